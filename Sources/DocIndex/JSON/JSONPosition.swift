/// A place in JSON text.
public struct JSONPosition: Sendable, Hashable {
    /// Bytes before it.
    public var offset: Int
    /// The line, from 1. Lines end with a line feed (0x0a); a carriage return before it belongs to the line.
    public var line: Int
    /// The column, from 1, counted in UTF-8 bytes and not in characters: an "é" before it counts as two.
    public var column: Int

    /// A place; without arguments, the beginning of the text.
    public init(offset: Int = 0, line: Int = 1, column: Int = 1) {
        self.offset = offset
        self.line = line
        self.column = column
    }

    /// The place that lies `count` bytes further on in `bytes`, which begin at this place.
    ///
    /// - Complexity: O(`count`).
    func advanced(by count: Int, in bytes: Span<UInt8>) -> JSONPosition {
        var position = self
        position.offset += count
        position.column += count
        for index in 0..<count where bytes[index] == UInt8(ascii: "\n") {
            position.line += 1
            position.column = count - index
        }
        return position
    }
}
