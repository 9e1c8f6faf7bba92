import TestSupport
import Testing

@testable import lkrepl

@Suite struct `Screen painter` {
    private func screen(_ content: ScreenPainter.Content, width: Int, height: Int = 100) -> VirtualScreen {
        var painter = ScreenPainter(width: width, height: height, isStyled: true)
        var screen = VirtualScreen(width: width)
        screen.feed(painter.paint(content))
        return screen
    }

    @Test(
        arguments: [
            ("", 0, ["p>"], 0, 3), ("abc", 3, ["p> abc"], 0, 6), ("abc", 0, ["p> abc"], 0, 3),
            ("abcdefg", 7, ["p> abcdefg"], 1, 0), ("abcdefgh", 8, ["p> abcdefg", "h"], 1, 1),
            ("abcdefgh", 7, ["p> abcdefg", "h"], 1, 0), ("a\nb", 3, ["p> a", "...> b"], 1, 6),
            ("a\nb", 1, ["p> a", "...> b"], 0, 4), ("猫猫猫猫", 4, ["p> 猫猫猫", "猫"], 1, 2),
            ("猫猫猫猫", 3, ["p> 猫猫猫", "猫"], 1, 0), ("e\u{301}x", 1, ["p> e\u{301}x"], 0, 4),
            ("👨‍👩‍👧x", 1, ["p> 👨‍👩‍👧x"], 0, 5), ("a\tb", 2, ["p> a    b"], 0, 8), ("a\u{1b}b", 3, ["p> a\\eb"], 0, 7),
        ] as [(String, Int, [String], Int, Int)])
    func `Every character and the cursor are painted at the right position`(
        text: String, cursor: Int, lines: [String], row: Int, column: Int
    ) {
        let shown = screen(.init(prompt: "p> ", text: text, cursor: cursor), width: 10)
        #expect(shown.lines == lines, "\(shown.lines)")
        #expect(shown.row == row && shown.column == column, "\(shown.row), \(shown.column)")
    }

    @Test func `Painting over existing content gives the same screen as painting an empty one`() {
        var random = TestRun.random(stream: 0x7061_696e)
        let pieces = ["a", "é", "猫", "👨‍👩‍👧", " ", "\n", "\t", "x\u{301}", "word "]
        for width in [7, 10, 20] {
            for height in [3, 100] {
                var painter = ScreenPainter(width: width, height: height, isStyled: true)
                var used = VirtualScreen(width: width)
                for _ in 0..<200 {
                    let text = (0..<random.number(below: 30)).map { _ in random.pick(pieces) }.joined()
                    let cursor = random.number(below: text.count + 1)
                    let content = ScreenPainter.Content(
                        prompt: "ro> ", text: text, styles: text.map { _ in random.pick([.plain, .command, .quoted]) },
                        cursor: cursor, hint: random.once(in: 2) ? "hint" : "")
                    used.feed(painter.paint(content))
                    let fresh = screen(content, width: width, height: height)
                    #expect(used.lines == fresh.lines, "\(text.debugDescription), \(TestRun.repetition)")
                    #expect(used.row == fresh.row && used.column == fresh.column, "\(TestRun.repetition)")
                    #expect(used.lines.count <= max(height, 1))
                }
            }
        }
    }

    @Test func `A hint is shown only at the end of the text, and never on a separate row`() {
        let hint = ScreenPainter.Content(prompt: "p> ", text: "find", cursor: 4, hint: "COLLECTION [CONDITION]")
        #expect(screen(hint, width: 20).lines == ["p> findCOLLECTION …"])
        var inside = hint
        inside.cursor = 2
        #expect(screen(inside, width: 20).lines == ["p> find"])
        #expect(screen(hint, width: 20).column == 7)
    }

    @Test func `No colors are sent when they are disabled`() {
        var plain = ScreenPainter(width: 20, height: 10, isStyled: false)
        let content = ScreenPainter.Content(prompt: "p> ", text: "find", styles: [.command, .command], cursor: 4)
        #expect(!plain.paint(content).contains("m"))
        var styled = ScreenPainter(width: 20, height: 10, isStyled: true)
        #expect(styled.paint(content).contains("\u{1b}[1;34m"))
    }

    @Test func `Leaving the editor puts the cursor below the text`() {
        var painter = ScreenPainter(width: 10, height: 10, isStyled: false)
        var screen = VirtualScreen(width: 10)
        screen.feed(painter.paint(.init(prompt: "p> ", text: "a\nb\nc", cursor: 0)))
        screen.feed(painter.leave() + "out")
        #expect(screen.lines == ["p> a", "...> b", "...> c", "out"])
    }
}
