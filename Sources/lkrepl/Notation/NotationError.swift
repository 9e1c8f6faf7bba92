/// The reason that a string is not valid byte notation (see ``ByteNotation``).
struct NotationError: Error, Equatable, CustomStringConvertible {
    /// The position of the error, in Unicode scalars, from 1.
    var column: Int
    /// The error and its correction; a sentence without its final period.
    var message: String

    var description: String { "column \(column): \(message)" }
}
