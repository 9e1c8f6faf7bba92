/// The text being edited and the cursor position, in grapheme clusters.
///
/// The text is stored as characters, so that the cursor never lies inside one: an accented letter, a flag or an emoji
/// family is one step.
struct EditBuffer: Hashable, Sendable {
    private(set) var characters: [Character] = []
    /// The number of characters before the cursor.
    private(set) var cursor = 0

    init() {}

    /// Creates a buffer with the cursor at `cursor`, or at the end.
    init(_ text: String, cursor: Int? = nil) {
        characters = Array(text)
        self.cursor = min(max(0, cursor ?? characters.count), characters.count)
    }

    var text: String { String(characters) }
    var textBeforeCursor: String { String(characters[..<cursor]) }
    var isEmpty: Bool { characters.isEmpty }
    var isAtEnd: Bool { cursor == characters.count }

    // MARK: - Changes

    /// Inserts text before the cursor.
    ///
    /// A combining mark is merged with the preceding character.
    mutating func insert(_ text: String) {
        let inserted = Array(text)
        characters.insert(contentsOf: inserted, at: cursor)
        cursor += inserted.count
        joinMarks()
    }

    /// Merges characters that now form one, such as a letter and a mark that became adjacent by a deletion.
    ///
    /// A cursor inside such a character moves to its end.
    private mutating func joinMarks() {
        let whole = Array(String(characters))
        guard whole.count != characters.count else { return }
        let scalarCount = characters[..<cursor].reduce(0) { $0 + $1.unicodeScalars.count }
        characters = whole
        cursor = 0
        var passed = 0
        while cursor < characters.count, passed < scalarCount {
            passed += characters[cursor].unicodeScalars.count
            cursor += 1
        }
    }

    /// The characters from a position up to the cursor; empty if the cursor is before it.
    func rangeToCursor(from start: Int) -> Range<Int> { min(start, cursor)..<cursor }

    /// Removes a range of characters and moves the cursor to its start. Returns the removed text.
    @discardableResult
    mutating func remove(_ range: Range<Int>) -> String {
        let removed = String(characters[range])
        characters.removeSubrange(range)
        cursor = range.lowerBound
        joinMarks()
        return removed
    }

    /// Replaces a range of characters and moves the cursor to the end of the replacement.
    mutating func replace(_ range: Range<Int>, with text: String) {
        remove(range)
        insert(text)
    }

    /// Swaps the character before the cursor with the one after it, or the last two at the end.
    ///
    /// - Returns: Whether there were two characters to swap.
    mutating func transpose() -> Bool {
        guard characters.count > 1, cursor > 0 else { return false }
        let right = min(cursor, characters.count - 1)
        characters.swapAt(right - 1, right)
        cursor = right + 1
        joinMarks()
        return true
    }

    // MARK: - Movement

    mutating func move(to position: Int) {
        cursor = min(max(0, position), characters.count)
    }

    /// The start of the word before the cursor.
    var previousWord: Int {
        var position = cursor
        while position > 0, !Self.isWord(characters[position - 1]) { position -= 1 }
        while position > 0, Self.isWord(characters[position - 1]) { position -= 1 }
        return position
    }

    /// The end of the word after the cursor.
    var nextWord: Int {
        var position = cursor
        while position < characters.count, !Self.isWord(characters[position]) { position += 1 }
        while position < characters.count, Self.isWord(characters[position]) { position += 1 }
        return position
    }

    /// The start of the argument before the cursor, delimited by whitespace as for ^W.
    var previousArgument: Int {
        var position = cursor
        while position > 0, characters[position - 1].isWhitespace { position -= 1 }
        while position > 0, !characters[position - 1].isWhitespace { position -= 1 }
        return position
    }

    /// The start of the cursor's line.
    var lineStart: Int { (characters[..<cursor].lastIndex(of: "\n") ?? -1) + 1 }

    /// The end of the cursor's line.
    var lineEnd: Int { characters[cursor...].firstIndex(of: "\n") ?? characters.count }

    /// The cursor position one line up, in the same column if possible; `nil` on the first line.
    var lineAbove: Int? {
        guard lineStart > 0 else { return nil }
        let column = cursor - lineStart
        let start = (characters[..<(lineStart - 1)].lastIndex(of: "\n") ?? -1) + 1
        return min(start + column, lineStart - 1)
    }

    /// The cursor position one line down, in the same column if possible; `nil` on the last line.
    var lineBelow: Int? {
        guard lineEnd < characters.count else { return nil }
        let column = cursor - lineStart
        let start = lineEnd + 1
        let end = characters[start...].firstIndex(of: "\n") ?? characters.count
        return min(start + column, end)
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
