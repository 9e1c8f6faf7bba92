/// An error in JSON text, with its position.
///
/// The message never contains values from the text, because messages are logged. It may contain a member name.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    public enum Code: Sendable, Hashable, CaseIterable {
        /// The text ends inside a value, or is empty.
        case unexpectedEnd
        /// A byte that the grammar does not allow at this position.
        case unexpectedByte
        /// Something follows the value.
        case trailingContent
        /// A number with a leading zero, or without a digit where one is required.
        case invalidNumber
        /// A number that neither a 64-bit integer nor a double can represent.
        case numberOutOfRange
        /// A backslash that does not start a valid JSON escape.
        case invalidEscape
        /// A `\u` escape for one half of a surrogate pair without the other half.
        case loneSurrogate
        /// An unescaped control character in a string.
        case controlCharacter
        /// A string that is not valid UTF-8.
        case invalidUTF8
        /// Two members of one object have the same name.
        case duplicateName
        /// Arrays and objects are nested deeper than ``DocumentValue/maximumDepth``.
        case tooDeep
        /// The text starts with a byte order mark.
        case byteOrderMark
        /// An object has a `$` name with a meaning but is not a valid form; see ``DocumentValue/JSONNotation``.
        case invalidExtendedForm
        /// An element of a ``JSONParser/ElementStream`` exceeds its length limit.
        case elementTooLong
    }

    /// The kind of error.
    public let code: Code
    /// The position of the first byte that is not accepted.
    public let position: JSONError.Position
    /// A description: what was expected, what was found, and what to do.
    public let message: String

    /// The line, from 1; see ``JSONError/Position/line``.
    public var line: Int { position.line }
    /// The column, from 1, in bytes; see ``JSONError/Position/column``.
    public var column: Int { position.column }
    /// The number of bytes before the position.
    public var offset: Int { position.offset }

    /// The position and the message.
    public var description: String { "line \(line), column \(column): \(message)" }

    init(_ fault: JSONProblem, at position: JSONError.Position) {
        code = fault.code
        message = fault.message
        self.position = position
    }
}
