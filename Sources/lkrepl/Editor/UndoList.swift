/// The states of an input before each change, for undo. Typing a word is one change.
struct UndoList: Sendable {
    private enum Run {
        case none
        case typing
        case deleting
    }

    private var states: [EditBuffer] = []
    private var run = Run.none

    /// Saves the state before a separate change.
    mutating func remember(_ buffer: EditBuffer) {
        push(buffer, .none)
    }

    /// Saves the state before typing; text with a space ends the word.
    mutating func remember(_ buffer: EditBuffer, typing text: String) {
        let isWord = !text.contains { $0.isWhitespace }
        push(buffer, isWord ? .typing : .none)
    }

    /// Saves the state before deleting a character.
    mutating func remember(_ buffer: EditBuffer, deleting isRun: Bool) {
        push(buffer, isRun ? .deleting : .none)
    }

    /// Makes the next change a separate one, as after a cursor movement.
    mutating func endRun() {
        run = .none
    }

    /// The state to restore; `nil` if there is none.
    mutating func takeLast(before current: EditBuffer) -> EditBuffer? {
        run = .none
        while let last = states.popLast() {
            if last.characters != current.characters { return last }
        }
        return nil
    }

    private mutating func push(_ buffer: EditBuffer, _ next: Run) {
        defer { run = next }
        if next != .none, next == run { return }
        states.append(buffer)
        if states.count > 500 { states.removeFirst() }
    }
}
