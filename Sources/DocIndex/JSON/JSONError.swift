/// Why a text is not the JSON that was expected, and where.
///
/// The message never contains a value of the text, because messages are logged; a member name may appear in it.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: Sendable, Hashable, CaseIterable {
        /// The text ends inside a value, or is empty.
        case unexpectedEnd
        /// Something other than what the grammar allows at this place.
        case unexpectedByte
        /// Something follows the value.
        case trailingContent
        /// A number with a leading zero, or without a digit where one is required.
        case invalidNumber
        /// A number that neither a 64-bit integer nor a double can hold.
        case numberOutOfRange
        /// A backslash before something that is no escape of JSON.
        case invalidEscape
        /// A `\u` escape of one half of a surrogate pair without the other.
        case loneSurrogate
        /// A control character in a string that is not escaped.
        case controlCharacter
        /// A string that is not valid UTF-8.
        case invalidUTF8
        /// Two members of one object with the same name.
        case duplicateName
        /// More than ``DocumentValue/maximumDepth`` arrays and objects inside each other.
        case tooDeep
        /// The text begins with a byte order mark.
        case byteOrderMark
        /// An object has a `$` name with a meaning and is none of the known forms; see ``JSONNotation``.
        case invalidExtendedForm
        /// An element of a ``JSONElementStream`` that is longer than its limit.
        case elementTooLong
    }

    /// What is wrong.
    public let code: Code
    /// Where it is wrong: the first byte that cannot be accepted.
    public let position: JSONPosition
    /// What was expected, what was found, and what to do.
    public let message: String

    /// The line, from 1; see ``JSONPosition/line``.
    public var line: Int { position.line }
    /// The column, from 1, in bytes; see ``JSONPosition/column``.
    public var column: Int { position.column }
    /// The bytes before the place.
    public var offset: Int { position.offset }

    /// Place and message.
    public var description: String { "line \(line), column \(column): \(message)" }

    init(_ fault: JSONFault, at position: JSONPosition) {
        code = fault.code
        message = fault.message
        self.position = position
    }
}
