/// The text being typed and the place of the cursor in it, by grapheme.
///
/// Kept as characters, so that the cursor never stands within one: an accent, a flag or a family of emoji is one step.
struct EditBuffer: Hashable, Sendable {
    private(set) var characters: [Character] = []
    /// How many characters stand before the cursor.
    private(set) var cursor = 0

    init() {}

    /// A buffer with the cursor at the end, or at `cursor`.
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
    /// A mark that combines with what stands before it becomes one character with it.
    mutating func insert(_ text: String) {
        let inserted = Array(text)
        characters.insert(contentsOf: inserted, at: cursor)
        cursor += inserted.count
        joinMarks()
    }

    /// Makes one character of what has become one, such as a letter and the mark that a deletion has brought behind it.
    ///
    /// The cursor does not stay within it, but goes behind it.
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

    /// The characters from a place up to the cursor; none if the cursor stands before it.
    func rangeToCursor(from start: Int) -> Range<Int> { min(start, cursor)..<cursor }

    /// Removes the characters of a range and puts the cursor at its start; what was removed.
    @discardableResult
    mutating func remove(_ range: Range<Int>) -> String {
        let removed = String(characters[range])
        characters.removeSubrange(range)
        cursor = range.lowerBound
        joinMarks()
        return removed
    }

    /// Replaces the characters of a range and puts the cursor behind the replacement.
    mutating func replace(_ range: Range<Int>, with text: String) {
        remove(range)
        insert(text)
    }

    /// Exchanges the character before the cursor with the one at it, or the last two at the end.
    ///
    /// - Returns: whether there were two.
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

    /// Where the word before the cursor begins.
    var previousWord: Int {
        var position = cursor
        while position > 0, !Self.isWord(characters[position - 1]) { position -= 1 }
        while position > 0, Self.isWord(characters[position - 1]) { position -= 1 }
        return position
    }

    /// Where the word behind the cursor ends.
    var nextWord: Int {
        var position = cursor
        while position < characters.count, !Self.isWord(characters[position]) { position += 1 }
        while position < characters.count, Self.isWord(characters[position]) { position += 1 }
        return position
    }

    /// Where the argument before the cursor begins: behind the last space, as ^W has it.
    var previousArgument: Int {
        var position = cursor
        while position > 0, characters[position - 1].isWhitespace { position -= 1 }
        while position > 0, !characters[position - 1].isWhitespace { position -= 1 }
        return position
    }

    /// The start of the line that the cursor is on.
    var lineStart: Int { (characters[..<cursor].lastIndex(of: "\n") ?? -1) + 1 }

    /// The end of the line that the cursor is on.
    var lineEnd: Int { characters[cursor...].firstIndex(of: "\n") ?? characters.count }

    /// The cursor a line higher, as far into it as now; `nil` on the first line.
    var lineAbove: Int? {
        guard lineStart > 0 else { return nil }
        let column = cursor - lineStart
        let start = (characters[..<(lineStart - 1)].lastIndex(of: "\n") ?? -1) + 1
        return min(start + column, lineStart - 1)
    }

    /// The cursor a line lower; `nil` on the last line.
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
