/// The states of an input before each change, for undoing; typing a word is one change.
struct UndoList: Sendable {
    private enum Run {
        case none
        case typing
        case deleting
    }

    private var states: [EditBuffer] = []
    private var run = Run.none

    /// Takes the state before a change that stands for itself.
    mutating func remember(_ buffer: EditBuffer) {
        push(buffer, .none)
    }

    /// Takes the state before text is typed; one with a space in it ends the word.
    mutating func remember(_ buffer: EditBuffer, typing text: String) {
        let isWord = !text.contains { $0.isWhitespace }
        push(buffer, isWord ? .typing : .none)
    }

    /// Takes the state before a character is deleted.
    mutating func remember(_ buffer: EditBuffer, deleting isRun: Bool) {
        push(buffer, isRun ? .deleting : .none)
    }

    /// Has the next change stand for itself, as after a movement.
    mutating func endRun() {
        run = .none
    }

    /// The state to go back to; `nil` if there is none.
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
