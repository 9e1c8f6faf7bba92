import TestSupport
import Testing

@testable import lkrepl

@Suite struct `Terminal input` {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return Array(text.utf8).flatMap { decoder.feed($0) }
    }

    @Test(
        arguments: [
            ("a", [.text("a")]), ("é", [.text("é")]), ("猫😀", [.text("猫"), .text("😀")]), ("\r", [.enter]),
            ("\n", [.enter]),
            ("\t", [.tab]), ("\u{7f}", [.backspace]), ("\u{8}", [.backspace]), ("\u{1}", [.control("a")]),
            ("\u{1f}", [.control("_")]), ("\u{1b}[A", [.up]), ("\u{1b}[B", [.down]), ("\u{1b}[C", [.right]),
            ("\u{1b}[D", [.left]), ("\u{1b}OA", [.up]), ("\u{1b}OH", [.home]), ("\u{1b}[H", [.home]),
            ("\u{1b}[F", [.end]),
            ("\u{1b}[1~", [.home]), ("\u{1b}[4~", [.end]), ("\u{1b}[7~", [.home]), ("\u{1b}[8~", [.end]),
            ("\u{1b}[3~", [.delete]), ("\u{1b}[1;5C", [.wordRight]), ("\u{1b}[1;3D", [.wordLeft]),
            ("\u{1b}b", [.alt("b")]),
            ("\u{1b}F", [.alt("f")]), ("\u{1b}.", [.alt(".")]), ("\u{1b}\u{7f}", [.alt("\u{8}")]),
            ("\u{1b}[Z", [.backTab]),
            // Unknown sequences type nothing.
            ("\u{1b}[15~x", [.unknown, .text("x")]), ("\u{1b}[1;2;3;4Px", [.unknown, .text("x")]),
            ("\u{1b}]11;rgb:0/0/0\u{7}x", [.text("x")]), ("\u{1b}]11;rgb:0/0/0\u{1b}\\x", [.text("x")]),
            ("\u{1b}P1$r0m\u{1b}\\x", [.text("x")]),
            ("\u{1b}[200~a\nb\u{1b}[A\u{1b}[201~c", [.paste("a\nb\u{1b}[A"), .text("c")]),
            ("\u{1b}[200~a\r\nb\rc\u{1b}[201~", [.paste("a\nb\nc")]), ("\u{1b}[200~\u{1b}[201~", [.paste("")]),
        ] as [(String, [Key])])
    func `Terminal bytes are decoded to keys`(bytes: String, expected: [Key]) {
        #expect(keys(bytes) == expected)
    }

    @Test func `Terminal bytes that are not UTF-8 are shown as such and swallow nothing`() {
        var decoder = KeyDecoder()
        let keys = ([0xff, 0xc3, 0x28, 0x80, 0xe2, 0x82, 0x61] as [UInt8]).flatMap { decoder.feed($0) }
        #expect(keys == ["\u{fffd}", "\u{fffd}", "(", "\u{fffd}", "\u{fffd}", "a"].map { .text($0) })
    }

    @Test func `A lone escape byte becomes the Escape key after a timeout`() {
        var decoder = KeyDecoder()
        #expect(decoder.feed(0x1b) == [])
        #expect(decoder.isWaiting)
        #expect(decoder.timeOut() == .escape)
        #expect(decoder.timeOut() == nil)
        #expect(decoder.feed(UInt8(ascii: "a")) == [.text("a")])
    }

    /// Like Alt-], Alt-^, Alt-_ and Alt-Shift-X, Alt-P starts a control string.
    @Test(arguments: [("]", "]"), ("P", "p"), ("X", "x"), ("^", "^"), ("_", "_")])
    func `Bytes that could start a control string are a key if nothing follows`(byte: String, key: String) {
        var decoder = KeyDecoder()
        for byte in "\u{1b}\(byte)".utf8 { #expect(decoder.feed(byte) == []) }
        #expect(decoder.isWaiting)
        #expect(decoder.timeOut() == .alt(Character(key)))
        #expect(decoder.feed(UInt8(ascii: "a")) == [.text("a")])
    }

    @Test func `An unterminated control string is discarded after a timeout or by ^C`() {
        for ending in ["\u{3}", "\u{18}", "\u{1a}", "\u{1b}[A", "\u{1b}\u{1b}\\", ""] {
            var decoder = KeyDecoder()
            for byte in "\u{1b}]11;rgb".utf8 { #expect(decoder.feed(byte) == []) }
            #expect(decoder.isWaiting)
            let keys = ending.utf8.flatMap { decoder.feed($0) }
            #expect(keys == (ending == "\u{3}" ? [.control("c")] : ending == "\u{1b}[A" ? [.up] : []))
            if ending.isEmpty { #expect(decoder.timeOut() == nil) }
            #expect(!decoder.isWaiting)
            #expect(decoder.feed(UInt8(ascii: "a")) == [.text("a")])
        }
    }

    @Test func `An unterminated paste is discarded by ^C after a timeout; before that, ^C is text`() {
        var decoder = KeyDecoder()
        let begun = "\u{1b}[200~ab\u{3}c".utf8.flatMap { decoder.feed($0) }
        #expect(begun == [] && decoder.isWaiting)
        #expect(decoder.timeOut() == nil && !decoder.isWaiting)
        // The rest arrives late, and is also text.
        #expect("d\u{3}".utf8.flatMap { decoder.feed($0) } == [])
        #expect(decoder.isWaiting && decoder.timeOut() == nil)
        #expect(decoder.feed(3) == [.control("c")])
        #expect("e\u{1b}[200~f\u{1b}[201~".utf8.flatMap { decoder.feed($0) } == [.text("e"), .paste("f")])
    }

    @Test func `After any bytes, the key decoder returns to its ground state`() {
        var random = TestRun.random(stream: 0x6b6579)
        for _ in 0..<2000 {
            var decoder = KeyDecoder()
            // No paste, because a paste waits for its end.
            let bytes = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                [0x1b, 0x5b, 0x4f, 0x3b, 0x31, 0x41, 0x7e, 0xc3, 0xe2, 0x80, 0x5d, 0x50, 0x58, 0x5e, 0x5f]
                    .randomElement(using: &random)
                    ?? UInt8(0x41)
            }
            for byte in bytes { _ = decoder.feed(byte) }
            for _ in 0..<4 { _ = decoder.timeOut() }
            _ = decoder.feed(UInt8(ascii: "x"))
            #expect(decoder.feed(UInt8(ascii: "y")) == [.text("y")], "\(bytes), \(TestRun.repetition)")
        }
    }
}
