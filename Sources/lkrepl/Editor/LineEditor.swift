/// Edits one input, which may have several lines: a pure state machine from keys to effects.
///
/// It knows no terminal, no file and no database. What it cannot do itself it asks for by an ``Effect``; what is to be
/// seen is ``view``. The keys are those of Emacs and GNU readline.
struct LineEditor: Sendable {
    /// What the surroundings are to do.
    enum Effect: Hashable, Sendable {
        /// The input is complete.
        case submit(String)
        /// Ctrl-D on an empty input.
        case end
        /// Ctrl-C; what was typed is forgotten. `true` if there was something.
        case interrupt(hadText: Bool)
        /// Ctrl-Z.
        case suspend
        /// Ctrl-L.
        case clearScreen
        /// Nothing can be done with that key.
        case bell
        /// Completions of what stands before the cursor are wanted; give them to ``complete(_:)``.
        case complete
        /// Candidates to show below the input.
        case list([Completion.Candidate])
        /// The input is to be edited in the user's own editor.
        case editExternally(String)
    }

    /// What the state machine must know of the language that is typed.
    struct Language: Sendable {
        /// Whether Enter leaves something open, so that another line follows.
        var isOpen: @Sendable (String) -> Bool = { _ in false }
    }

    private(set) var buffer = EditBuffer()
    private let language: Language
    /// Earlier inputs, the oldest first.
    private let history: [String]
    /// Where in the history the user is; `history.count` for the new input.
    private var historyPosition: Int
    /// The new input, and those of the history that were changed, by position.
    private var edited: [Int: EditBuffer] = [:]
    private var search: HistorySearch?
    private var killed: [String] = []
    /// Where the text of the last yank begins, and which it was.
    private var yank: (start: Int, index: Int)?
    private var lastArgument: (start: Int, position: Int)?
    private var undo = UndoList()
    private var completion: CompletionCycle?
    private var joinsKill = false
    private var prefixIsControlX = false

    /// - Parameter history: earlier inputs, the oldest first.
    init(history: [String] = [], language: Language = Language(), text: String = "") {
        self.history = history
        self.language = language
        historyPosition = history.count
        buffer = EditBuffer(text)
    }

    /// What is to be seen.
    struct View: Hashable, Sendable {
        var text: String
        /// How many characters stand before the cursor.
        var cursor: Int
        /// What stands in place of the prompt while the history is searched; `nil` for the ordinary prompt.
        var searchPrompt: String?

        /// What completion looks at.
        var textBeforeCursor: String { String(text.prefix(cursor)) }
    }

    var view: View {
        if let search {
            let sign = search.isFailing ? "failed " : ""
            return View(
                text: search.shown.text, cursor: search.shown.cursor,
                searchPrompt: "(\(sign)search '\(search.pattern)') ")
        }
        return View(text: buffer.text, cursor: buffer.cursor, searchPrompt: nil)
    }

    // MARK: - Keys

    /// Takes one key.
    mutating func feed(_ key: Key) -> [Effect] {
        if search != nil, let effects = feedSearch(key) { return effects }
        if prefixIsControlX {
            prefixIsControlX = false
            switch key {
            case .control("e"): return [.editExternally(buffer.text)]
            case .control("u"): return undoLast()
            default: return [.bell]
            }
        }
        // What goes on only while the same key is pressed again.
        if key != .tab, key != .backTab { completion = nil }
        if key != .alt("y") { yank = nil }
        if key != .alt("."), key != .alt("_") { lastArgument = nil }
        defer { joinsKill = Self.kills(key) }
        return act(key)
    }

    private mutating func act(_ key: Key) -> [Effect] {
        switch key {
        case .text(let text):
            undo.remember(buffer, typing: text)
            buffer.insert(text)
        case .paste(let text):
            undo.remember(buffer)
            // Escapes and other controls in a paste must not reach the screen.
            buffer.insert(text.filter { $0 == "\n" || $0 == "\t" || $0.unicodeScalars.allSatisfy(\.isHarmless) })
        case .enter: return enter()
        case .alt("\n"):
            undo.remember(buffer)
            buffer.insert("\n")
        case .tab: return next(1)
        case .backTab: return next(-1)
        case .backspace, .control("h"):
            return delete(max(0, buffer.cursor - 1)..<buffer.cursor, isTyping: true)
        case .delete: return delete(buffer.cursor..<min(buffer.cursor + 1, buffer.characters.count), isTyping: true)
        case .control("d"):
            if buffer.isEmpty { return [.end] }
            return delete(buffer.cursor..<min(buffer.cursor + 1, buffer.characters.count), isTyping: true)
        case .control("c"): return interrupt()
        case .control("z"): return [.suspend]
        case .control("l"): return [.clearScreen]
        case .control("r"): search = HistorySearch(from: buffer, isForward: false, position: historyPosition)
        case .control("s"): search = HistorySearch(from: buffer, isForward: true, position: historyPosition)
        case .control("x"): prefixIsControlX = true
        case .left, .control("b"): return move(to: buffer.cursor - 1)
        case .right, .control("f"): return move(to: buffer.cursor + 1)
        case .wordLeft, .alt("b"): return move(to: buffer.previousWord)
        case .wordRight, .alt("f"): return move(to: buffer.nextWord)
        case .home, .control("a"): return move(to: buffer.lineStart)
        case .end, .control("e"): return move(to: buffer.lineEnd)
        case .alt("<"): return showHistory(at: 0)
        case .alt(">"): return showHistory(at: history.count)
        case .up: return buffer.lineAbove.map { move(to: $0) } ?? showHistory(at: historyPosition - 1)
        case .down: return buffer.lineBelow.map { move(to: $0) } ?? showHistory(at: historyPosition + 1)
        case .control("p"): return showHistory(at: historyPosition - 1)
        case .control("n"): return showHistory(at: historyPosition + 1)
        case .control("k"): return kill(buffer.cursor..<killEnd)
        case .control("u"): return kill(buffer.lineStart..<buffer.cursor, before: true)
        case .control("w"): return kill(buffer.previousArgument..<buffer.cursor, before: true)
        case .alt("\u{8}"): return kill(buffer.previousWord..<buffer.cursor, before: true)
        case .alt("d"): return kill(buffer.cursor..<buffer.nextWord)
        case .control("y"): return yankLast()
        case .alt("y"): return yankOther()
        case .alt("."), .alt("_"): return insertLastArgument()
        case .control("_"), .alt("/"): return undoLast()
        case .control("t"):
            let before = buffer
            guard buffer.transpose() else { return [.bell] }
            undo.remember(before)
        case .alt("u"): return changeWord { $0.uppercased() }
        case .alt("l"): return changeWord { $0.lowercased() }
        case .alt("c"): return changeWord { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        case .alt("#"):
            undo.remember(buffer)
            buffer = EditBuffer("#" + buffer.text)
            return enter()
        case .control, .alt, .escape, .unknown: return []
        }
        return []
    }

    private static func kills(_ key: Key) -> Bool {
        switch key {
        case .control("k"), .control("u"), .control("w"), .alt("\u{8}"), .alt("d"): true
        default: false
        }
    }

    private mutating func enter() -> [Effect] {
        guard !language.isOpen(buffer.text) else {
            undo.remember(buffer)
            buffer.move(to: buffer.isAtEnd ? buffer.cursor : buffer.characters.count)
            buffer.insert("\n")
            return []
        }
        buffer.move(to: buffer.characters.count)
        return [.submit(buffer.text)]
    }

    private mutating func interrupt() -> [Effect] {
        let hadText = !buffer.isEmpty
        search = nil
        return [.interrupt(hadText: hadText)]
    }

    private mutating func move(to position: Int) -> [Effect] {
        guard (0...buffer.characters.count).contains(position) else { return [.bell] }
        undo.endRun()
        buffer.move(to: position)
        return []
    }

    private mutating func delete(_ range: Range<Int>, isTyping: Bool = false) -> [Effect] {
        guard !range.isEmpty else { return [.bell] }
        undo.remember(buffer, deleting: isTyping)
        buffer.remove(range)
        return []
    }

    private mutating func changeWord(_ change: (String) -> String) -> [Effect] {
        let end = buffer.nextWord
        guard end > buffer.cursor else { return [.bell] }
        undo.remember(buffer)
        let range = buffer.cursor..<end
        buffer.replace(range, with: change(String(buffer.characters[range])))
        return []
    }

    // MARK: - Kill and yank

    /// The end of the line, or the line feed if the cursor is there.
    private var killEnd: Int {
        buffer.lineEnd == buffer.cursor ? min(buffer.cursor + 1, buffer.characters.count) : buffer.lineEnd
    }

    /// Removes text and keeps it for a yank; kills in a row make one text.
    private mutating func kill(_ range: Range<Int>, before: Bool = false) -> [Effect] {
        guard !range.isEmpty else { return [.bell] }
        undo.remember(buffer)
        let text = buffer.remove(range)
        if joinsKill, let last = killed.last {
            killed[killed.count - 1] = before ? text + last : last + text
        } else {
            killed.append(text)
            if killed.count > 32 { killed.removeFirst() }
        }
        return []
    }

    private mutating func yankLast() -> [Effect] {
        guard let text = killed.last else { return [.bell] }
        undo.remember(buffer)
        let start = buffer.cursor
        buffer.insert(text)
        yank = (start, killed.count - 1)
        return []
    }

    private mutating func yankOther() -> [Effect] {
        guard let last = yank, killed.count > 1 else { return [.bell] }
        let index = last.index == 0 ? killed.count - 1 : last.index - 1
        buffer.replace(buffer.rangeToCursor(from: last.start), with: killed[index])
        yank = (last.start, index)
        return []
    }

    /// Keeps what was killed for the next input.
    mutating func takeKilled(from other: LineEditor) { killed = other.killed }

    // MARK: - Undo

    private mutating func undoLast() -> [Effect] {
        guard let earlier = undo.takeLast(before: buffer) else { return [.bell] }
        buffer = earlier
        return []
    }

    // MARK: - History

    private mutating func showHistory(at position: Int) -> [Effect] {
        guard (0...history.count).contains(position), position != historyPosition else { return [.bell] }
        edited[historyPosition] = buffer
        historyPosition = position
        buffer = edited[position] ?? EditBuffer(position < history.count ? history[position] : "")
        buffer.move(to: buffer.characters.count)
        undo = UndoList()
        return []
    }

    /// Puts in the last argument of the input before, and at the next press that of the one before it.
    private mutating func insertLastArgument() -> [Effect] {
        var position = lastArgument?.position ?? history.count
        while position > 0 {
            position -= 1
            guard let argument = ShellScanner.lastToken(of: history[position]) else { continue }
            if let last = lastArgument {
                buffer.remove(buffer.rangeToCursor(from: last.start))
            } else {
                undo.remember(buffer)
            }
            let start = buffer.cursor
            buffer.insert(argument)
            lastArgument = (start, position)
            return []
        }
        return [.bell]
    }

    // MARK: - Search

    /// Takes a key while the history is searched; `nil` if the key ends the search and acts as ever.
    private mutating func feedSearch(_ key: Key) -> [Effect]? {
        guard var search else { return nil }
        defer { if self.search != nil { self.search = search } }
        switch key {
        case .text(let text): search.extend(by: text, in: history)
        case .backspace, .control("h"): search.shorten(in: history)
        case .control("r"): search.findNext(isForward: false, in: history)
        case .control("s"): search.findNext(isForward: true, in: history)
        case .control("g"): self.search = nil
        case .control("c"):
            self.search = nil
            return []
        default:
            undo.remember(buffer)
            edited[historyPosition] = buffer
            buffer = search.shown
            if let found = search.found { historyPosition = found }
            self.search = nil
            return key == .escape ? [] : nil
        }
        return search.isFailing ? [.bell] : []
    }

    // MARK: - Completion

    private mutating func next(_ step: Int) -> [Effect] {
        guard var cycle = completion else { return step > 0 ? [.complete] : [.bell] }
        buffer.replace(buffer.rangeToCursor(from: cycle.start), with: cycle.advance(by: step))
        completion = cycle
        return []
    }

    /// Takes the completions that were asked for: puts in what all candidates have in common, lists them if that is
    /// nothing new, and goes through them from the next Tab on.
    mutating func complete(_ result: Completion) -> [Effect] {
        guard let first = result.candidates.first, (0...buffer.cursor).contains(result.start) else { return [.bell] }
        let range = result.start..<buffer.cursor
        let typed = String(buffer.characters[range])
        if result.candidates.count == 1 {
            undo.remember(buffer)
            buffer.replace(range, with: first.text + (first.isFinal ? " " : ""))
            return []
        }
        let common = result.commonPrefix
        if common.count > typed.count, common.hasPrefix(typed) || result.replacesSpelling {
            undo.remember(buffer)
            buffer.replace(range, with: common)
            return []
        }
        undo.remember(buffer)
        completion = CompletionCycle(start: result.start, texts: result.candidates.map(\.text), typed: typed)
        return [.list(result.candidates)]
    }
}
