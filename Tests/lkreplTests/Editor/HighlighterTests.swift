import TestSupport
import Testing

@testable import lkrepl

@Suite struct `Syntax highlighting` {
    private let highlighter = Highlighter(commands: ["find", "count", "put"])

    /// Returns a letter for each style.
    private func letters(_ text: String) -> String {
        highlighter.styles(of: text).map { style in
            switch style {
            case .plain: "."
            case .command: "c"
            case .unknownCommand: "u"
            case .option: "o"
            case .quoted: "q"
            case .number: "n"
            case .comment: "#"
            case .hint, .prompt, .warning: "?"
            }
        }.joined()
    }

    @Test(
        arguments: [
            ("find photos", "cccc......."), ("fin", "..."), ("fin ", "uuu."), ("xyz", "uuu"), (".find a", "ccccc.."),
            ("find a = 5", "cccc.....n"), ("find -5", "cccc.nn"), ("find --limit 5", "cccc.ooooooo.n"),
            ("count -q", "ccccc.oo"),
            ("find 'a b' c", "cccc.qqqqq.."), ("find \"a\\\"b\" c", "cccc.qqqqqq.."), ("find 'open", "cccc.qqqqq"),
            ("count; find", "ccccc..cccc"), ("count # find", "ccccc.######"), ("count\nfind", "ccccc.cccc"),
            ("put k {\"a b\": 1}", "ccc....qqqqq...."), ("find a;b", "cccc...u"), ("", ""),
        ])
    func `Highlighting follows the words of a command`(text: String, expected: String) {
        #expect(letters(text) == expected, "\(text)")
    }

    @Test func `Highlighting returns one style per character, whatever is typed`() {
        var random = TestRun.random(stream: 0x686c)
        for _ in 0..<2000 {
            let pieces = ["find", " ", "'", "\"", "\\", "{", "}", "[", "]", "#", "\n", ";", "é", "-", "5", "e\u{301}"]
            let text = (0..<random.number(below: 20)).map { _ in random.pick(pieces) }.joined()
            #expect(highlighter.styles(of: text).count == text.count, "\(text.debugDescription)")
        }
    }
}
