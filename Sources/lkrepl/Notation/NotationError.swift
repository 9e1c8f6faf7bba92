/// Why a text is not byte notation (see ``ByteNotation``).
struct NotationError: Error, Equatable, CustomStringConvertible {
    /// Where the fault lies, in Unicode scalars of the text, counted from 1.
    var column: Int
    /// What is wrong and what to write instead; a sentence without its full stop.
    var message: String

    var description: String { "column \(column): \(message)" }
}
