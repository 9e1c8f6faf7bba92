extension JSONError {
    /// A position in JSON text.
    public struct Position: Sendable, Hashable {
        /// The number of bytes before the position.
        public var offset: Int
        /// The line, from 1. Lines end with a line feed (0x0a); a carriage return before it is part of the line.
        public var line: Int
        /// The column, from 1, in UTF-8 bytes rather than characters: an "é" counts as two.
        public var column: Int

        /// Creates a position; without arguments, the start of the text.
        public init(offset: Int = 0, line: Int = 1, column: Int = 1) {
            self.offset = offset
            self.line = line
            self.column = column
        }

        /// Returns the position `count` bytes after this one. `bytes` starts at this position.
        ///
        /// - Complexity: O(`count`).
        func advanced(by count: Int, in bytes: Span<UInt8>) -> JSONError.Position {
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
}
