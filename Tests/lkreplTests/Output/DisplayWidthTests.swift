import Testing

@testable import lkrepl

@Suite struct `Display width` {
    @Test(
        arguments: [
            ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("\u{301}", 0), ("日本語", 6), ("ﾊﾟ", 2), ("ｱ", 1), ("Ａ", 2),
            ("한글", 4), ("\u{1112}\u{1161}\u{11ab}", 2), ("👍", 2), ("👍🏽", 2), ("👨\u{200d}👩\u{200d}👧", 2), ("🇫🇷", 2),
            ("❤", 1), ("❤\u{fe0f}", 2), ("1\u{fe0f}\u{20e3}", 2), ("1", 1), ("1\u{200d}", 1), ("©", 1), ("→", 1),
            ("│", 1), ("…", 1), ("⌚", 2), ("ไทย", 3), ("นี้", 1), ("क्षि", 2), ("\u{200b}", 0), ("\u{ad}", 1), ("\n", 0),
            ("𠀀", 2), ("ا", 1), ("𝒜", 1), ("㉈", 1), ("㉐", 2),
        ])
    func `The display width of a string is its number of columns`(text: String, columns: Int) {
        #expect(DisplayWidth.columns(of: text) == columns)
    }

    @Test(
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""),
            ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("日本語", 3, "日…"), ("日本語", 2, "…"),
            ("e\u{301}e\u{301}e\u{301}", 3, "e\u{301}e\u{301}e\u{301}"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
            ("a👨\u{200d}👩\u{200d}👧b", 3, "a…"), ("a👨\u{200d}👩\u{200d}👧b", 4, "a👨\u{200d}👩\u{200d}👧b"),
        ])
    func `A string is truncated to a display width`(text: String, columns: Int, cut: String) {
        #expect(DisplayWidth.truncated(text, to: columns) == cut)
        #expect(DisplayWidth.columns(of: cut) <= columns)
    }

    @Test func `An ellipsis that does not fit is omitted`() {
        #expect(DisplayWidth.truncated("abcdef", to: 4, ellipsis: "...") == "a...")
        #expect(DisplayWidth.truncated("abcdef", to: 2, ellipsis: "...") == "ab")
    }
}

@Suite struct `Visible text` {
    @Test(
        arguments: [
            ("plain", "plain"), ("日本 👨\u{200d}👩", "日本 👨\u{200d}👩"), ("a\nb", "a⏎b"), ("a\r\nb", #"a\r⏎b"#),
            ("\u{1b}[31mred", #"\e[31mred"#), ("\u{9b}31m", #"\u{9b}31m"#), ("a\tb\0", #"a\tb\0"#),
            ("\u{7f}\u{7}", #"\u{7f}\u{7}"#), ("a\u{202e}b", #"a\u{202e}b"#), ("\u{2028}", #"\u{2028}"#),
            ("\u{feff}", #"\u{feff}"#),
        ])
    func `Characters that would control a terminal are made visible`(text: String, visible: String) {
        #expect(VisibleText.singleLine(text) == visible)
    }

    @Test func `Line feeds are shown as requested`() {
        #expect(VisibleText.singleLine("a\nb", newline: "\\n") == "a\\nb")
    }
}
