/// Why a text is no field path, and where.
public struct FieldPathError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: Sendable, Hashable {
        /// A name is missing: the path is empty, begins or ends with a dot, or has two dots in a row.
        case missingName
        /// A bracket that is not part of `[]` behind a name.
        case misplacedBracket
        /// A double quote inside a name without quotes.
        case misplacedQuote
        /// Something other than `.` or `[]` behind a quoted name or `[]`.
        case missingSeparator
        /// The closing quote is missing.
        case unterminatedQuote
        /// A backslash in quotes before something other than `"` or `\`.
        case invalidEscape
        /// The path has more than ``FieldPath/maximumStepCount`` steps.
        case tooManySteps
    }

    /// What is wrong.
    public let code: Code
    /// Where, in UTF-8 bytes from the beginning of the text.
    public let offset: Int

    /// What was expected and what to do.
    public var message: String {
        switch code {
        case .missingName:
            "expected a name; separate names by one dot, and write an empty name as \"\""
        case .misplacedBracket:
            "a bracket is allowed only as [] behind a name; put a name that contains brackets in double quotes"
        case .misplacedQuote:
            "a double quote stands inside a name; put the whole name in double quotes and write \\\" for the quote"
        case .missingSeparator:
            "expected a dot, [] or the end of the path behind a quoted name or []"
        case .unterminatedQuote:
            "the closing double quote is missing"
        case .invalidEscape:
            "a backslash in quotes must stand before a double quote or a backslash; write \\\\ for a backslash"
        case .tooManySteps:
            "the path has more than \(FieldPath.maximumStepCount) steps; shorten it"
        }
    }

    /// The failure in one sentence.
    public var description: String { "Invalid field path at byte \(offset): \(message)." }
}
