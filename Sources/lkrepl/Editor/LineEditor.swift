import DocIndex

/// Edits one input, which may have several lines; a pure state machine from keys to effects.
///
/// It does not access the terminal, files or the database. It requests such actions by an ``Effect``, and exposes its
/// state as ``view``. The key bindings follow Emacs and GNU readline.
struct LineEditor: Sendable {
    /// An action that the caller must perform.
    enum Effect: Hashable, Sendable {
        /// The input is complete.
        case submit(String)
        /// Ctrl-D on an empty input.
        case end
        /// Ctrl-C; the typed text is discarded. `hadText` is false if there was none.
        case interrupt(hadText: Bool)
        /// Ctrl-Z.
        case suspend
        /// Ctrl-L.
        case clearScreen
        /// The key has no effect here.
        case bell
        /// Completions for the text before the cursor are requested; pass them to ``complete(_:)``.
        case complete
        /// Candidates to show below the input.
        case list([Completion.Candidate])
        /// Edit the input in the user's editor.
        case editExternally(String)
    }

    /// The properties of the edited language.
    struct Language: Sendable {
        /// Whether a string is incomplete, so that Enter begins another line.
        var isOpen: @Sendable (String) -> Bool = { _ in false }
    }

    private(set) var buffer = EditBuffer()
    private let language: Language
    /// Earlier inputs, oldest first.
    private let history: [String]
    /// The current position in the history; `history.count` for the new input.
    private var historyPosition: Int
    /// The new input, and changed inputs of the history, by position.
    private var edited: [Int: EditBuffer] = [:]
    private var search: HistorySearch?
    private var killed: [String] = []
    /// The start of the last yanked text and its index in `killed`.
    private var yank: (start: Int, index: Int)?
    private var lastArgument: (start: Int, position: Int)?
    private var undo = UndoList()
    private var completion: CompletionCycle?
    private var joinsKill = false
    private var prefixIsControlX = false

    /// - Parameter history: Earlier inputs, oldest first.
    init(history: [String] = [], language: Language = Language(), text: String = "") {
        self.history = history
        self.language = language
        historyPosition = history.count
        buffer = EditBuffer(text)
    }

    /// The visible state.
    struct View: Hashable, Sendable {
        var text: String
        /// The number of characters before the cursor.
        var cursor: Int
        /// Replaces the prompt during a history search; `nil` for the ordinary prompt.
        var searchPrompt: String?

        /// The text to complete.
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

    /// Processes one key.
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
        // Reset state that lasts only while the same key is repeated.
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
            // Escape sequences and other control characters in a paste must not reach the screen.
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

    /// The end of the line, or the following position if the cursor is already there.
    private var killEnd: Int {
        buffer.lineEnd == buffer.cursor ? min(buffer.cursor + 1, buffer.characters.count) : buffer.lineEnd
    }

    /// Removes text and stores it for yanking. Consecutive kills are joined.
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

    /// Copies the killed texts of the previous input.
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

    /// Inserts the last argument of the previous input; repeated presses go to earlier inputs.
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

    /// Processes a key during a history search; `nil` if the key ends the search and is processed normally.
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

    /// Applies requested completions: inserts the common prefix of all candidates. If it adds nothing, lists the
    /// candidates, and the next Tab cycles through them.
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
