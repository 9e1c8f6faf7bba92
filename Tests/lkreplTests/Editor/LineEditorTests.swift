import TestSupport
import Testing

@testable import lkrepl

@Suite struct `Line editor` {
    private static let history = ["find photos rating = 5", "count --prefix 'a b'", "search photos \"old bridge\""]

    /// Returns an editor after a sequence of keys, in terminal notation: `^a` for Control, `~b` for Alt, `<` and `>`
    /// for the arrows.
    private func editor(_ keys: String, history: [String] = Self.history) -> (LineEditor, [LineEditor.Effect]) {
        var editor = LineEditor(
            history: history, language: LineEditor.Language(isOpen: { ShellScanner.isOpen($0) }))
        var effects: [LineEditor.Effect] = []
        var rest = Substring(keys)
        while let character = rest.popFirst() {
            let key: Key =
                switch character {
                case "^": .control(rest.popFirst() ?? " ")
                case "~":
                    switch rest.popFirst() {
                    case "H": .alt("\u{8}")
                    case let other: .alt(other ?? " ")
                    }
                case "⌫": .backspace
                case "⌦": .delete
                case "←": .left
                case "→": .right
                case "↑": .up
                case "↓": .down
                case "⏎": .enter
                case "⇥": .tab
                case "⎋": .escape
                default: .text(String(character))
                }
            effects += editor.feed(key)
        }
        return (editor, effects)
    }

    /// Returns the text with a bar at the cursor.
    private func shown(_ editor: LineEditor) -> String {
        let view = editor.view
        return String(view.text.prefix(view.cursor)) + "|" + view.text.dropFirst(view.cursor)
    }

    @Test(
        arguments: [
            ("abc", "abc|"), ("abc←←x", "ax|bc"), ("abc^ax", "x|abc"), ("abc^a→x", "ax|bc"), ("abc^a^e", "abc|"),
            ("ab⌫", "a|"), ("ab^a⌦", "|b"), ("ab^a^d", "|b"), ("^b^b", "|"), ("→", "|"),
            // By grapheme.
            ("e\u{301}x←⌫", "|x"), ("👨‍👩‍👧x←⌫", "|x"), ("猫x←←y", "y|猫x"),
            // By word.
            ("one two  three~b", "one two  |three"), ("one two  three~b~b", "one |two  three"),
            ("one two^a~f", "one| two"),
            ("one two^a~f~f~f", "one two|"), ("exif.model~b", "exif.|model"),
            // Kill and yank.
            ("one two^w", "one |"), ("a.b c.d^w", "a.b |"), ("a.b c.d~H", "a.b c.|"), ("one two^w^w", "|"),
            ("one two^w^w^y", "one two|"),
            ("one two^a^k^y", "one two|"), ("one two^a~d^e^y", " twoone|"), ("one two^u", "|"), ("one two~b^u", "|two"),
            ("one two^w~b^k^y", "one |"), ("a^u b^u^y~y", "a|"), ("^y", "|"),
            // Case and transposition.
            ("one two^a~u", "ONE| two"), ("ONE^a~l", "one|"), ("one^a~c", "One|"), ("ab^t", "ba|"), ("abc←^t", "acb|"),
            ("a^t", "a|"),
            // Undo, a word at a time.
            ("one two^_", "one |"), ("one two^_^_", "one|"), ("one two^_^_^_", "|"), ("one^w^_", "one|"),
            ("ab⌫⌫^_", "ab|"),
            ("^_", "|"),
            // History.
            ("↑", "search photos \"old bridge\"|"), ("↑↑", "count --prefix 'a b'|"), ("x↑↓", "x|"),
            ("x↑y↓↑", "search photos \"old bridge\"y|"),
            ("^p^p^p^p", "find photos rating = 5|"), ("~<", "find photos rating = 5|"), ("x~<~>", "x|"),
            // The last argument, and that of the previous input.
            ("x ~.", "x \"old bridge\"|"), ("x ~.~.", "x 'a b'|"), ("x ~.~.~.", "x 5|"),
            ("x ~.y~.", "x \"old bridge\"y\"old bridge\"|"),
            // Search.
            ("^rphotos", "search |photos \"old bridge\""), ("^rphotos^r", "find |photos rating = 5"), ("^rRATING", "|"),
            ("^rrating", "find photos |rating = 5"), ("^rzzz", "|"), ("ab^rzzz", "ab|"), ("^rphotos^rx^g", "|"),
            ("^rphotos^g", "|"), ("x^rphotos^g", "x|"),
            ("^rcount⎋", "|count --prefix 'a b'"), ("^rcount^e", "count --prefix 'a b'|"),
            ("^rphotosx⌫", "search |photos \"old bridge\""),
            ("^rphotos^r^s", "search |photos \"old bridge\""),
            // An open quote or bracket continues on the next line.
            ("find 'a⏎b", "find 'a\nb|"), ("put k {⏎1", "put k {\n1|"), ("find 'a⏎b↑", "f|ind 'a\nb"),
            ("find 'a⏎bcdefghij↑", "find 'a|\nbcdefghij"),
            ("find 'a⏎b↑↓", "find 'a\nb|"), ("find 'a⏎bc^a", "find 'a\n|bc"), ("find 'a⏎bc^a^u", "find 'a\n|bc"),
        ] as [(String, String)])
    func `Each key has its editing function`(keys: String, expected: String) {
        let (editor, _) = editor(keys)
        #expect(shown(editor) == expected, "\(keys)")
    }

    @Test(
        arguments: [
            ("ab⏎", [.submit("ab")]), ("⏎", [.submit("")]), ("^d", [.end]), ("^c", [.interrupt(hadText: false)]),
            ("a^c", [.interrupt(hadText: true)]), ("^z", [.suspend]), ("^l", [.clearScreen]), ("⇥", [.complete]),
            ("⌫", [.bell]), ("↓", [.bell]), ("^rzzz", [.bell, .bell, .bell]), ("abc^x^e", [.editExternally("abc")]),
            ("find 'a⏎b'⏎", [.submit("find 'a\nb'")]), ("^rcount⏎", [.submit("count --prefix 'a b'")]),
            ("a~#", [.submit("#a")]),
            ("⎋", []), ("^q", []),
        ] as [(String, [LineEditor.Effect])])
    func `The line editor requests effects that it cannot perform itself`(keys: String, expected: [LineEditor.Effect]) {
        let (_, effects) = editor(keys)
        #expect(effects == expected, "\(keys)")
    }

    @Test func `The line editor does not execute pasted text`() {
        var editor = LineEditor()
        let effects = editor.feed(.paste("find photos\nput a b\u{1b}[2J\n"))
        #expect(effects == [])
        #expect(editor.view.text == "find photos\nput a b[2J\n")
        let undone = editor.feed(.control("_"))
        #expect(undone == [] && editor.view.text == "")
    }

    @Test func `Completion inserts the common prefix, then lists the candidates and cycles through them`() {
        let candidates: [Completion.Candidate] = [.init(text: "photos"), .init(text: "phones")]
        var editor = editor("find p").0
        #expect(editor.complete(Completion(start: 5, candidates: candidates)) == [])
        #expect(shown(editor) == "find pho|")
        #expect(editor.feed(.tab) == [.complete])
        #expect(editor.complete(Completion(start: 5, candidates: candidates)) == [.list(candidates)])
        for expected in ["find photos|", "find phones|", "find pho|", "find photos|"] {
            #expect(editor.feed(.tab) == [])
            #expect(shown(editor) == expected)
        }
        _ = editor.feed(.backTab)
        #expect(shown(editor) == "find pho|")
        _ = editor.feed(.control("_"))
        #expect(shown(editor) == "find pho|" || shown(editor) == "find p|")
    }

    @Test func `Completion adds a space after a single candidate, except after a directory`() {
        var editor = editor("fi").0
        #expect(editor.complete(Completion(start: 0, candidates: [.init(text: "find")])) == [])
        #expect(shown(editor) == "find |")
        #expect(editor.complete(Completion(start: 5, candidates: [.init(text: "dir/", isFinal: false)])) == [])
        #expect(shown(editor) == "find dir/|")
        #expect(editor.complete(Completion(start: 5, candidates: [])) == [.bell])
    }

    @Test func `Random keys keep the cursor within the text, and undo restores the start`() {
        var random = TestRun.random(stream: 0x6564_6974)
        let keys: [Key] =
            [
                .left, .right, .up, .down, .home, .end, .wordLeft, .wordRight, .backspace, .delete, .enter, .escape,
                .backTab,
            ]
            + "abdefghklnprstuwxyz_".map { .control($0) } + "bdfluc.y<>".map { .alt($0) }
            + ["a", "é", "猫", "👩‍🚀", " ", "'", "{", "\u{301}"].map { .text($0) } + [.paste("p q\nr")]
        for _ in 0..<TestRun.rounds(200, long: 5000) {
            var editor = LineEditor(
                history: Self.history, language: LineEditor.Language(isOpen: { ShellScanner.isOpen($0) }))
            for _ in 0..<60 {
                _ = editor.feed(random.pick(keys))
                let view = editor.view
                #expect((0...view.text.count).contains(view.cursor), "\(TestRun.repetition)")
            }
        }
        // Without history, undoing leads back to the empty input.
        for _ in 0..<TestRun.rounds(200, long: 5000) {
            var editor = LineEditor()
            for _ in 0..<30 {
                let key = random.pick(keys)
                if [.control("r"), .control("s"), .control("x"), .control("_")].contains(key) { continue }
                _ = editor.feed(key)
            }
            for _ in 0..<100 { _ = editor.feed(.control("_")) }
            #expect(editor.view.text == "", "\(TestRun.repetition)")
        }
    }
}
