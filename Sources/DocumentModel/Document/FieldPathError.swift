extension FieldPath {
    /// An error in a field path, with its position.
    public struct SyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The kinds of errors.
        public enum Code: Sendable, Hashable {
            /// A name is missing: the path is empty, begins or ends with a dot, or has two dots in a row.
            case missingName
            /// A bracket that is not part of `[]` after a name.
            case misplacedBracket
            /// A double quote inside a name without quotes.
            case misplacedQuote
            /// A character other than `.` or `[]` after a quoted name or `[]`.
            case missingSeparator
            /// The closing quote is missing.
            case unterminatedQuote
            /// A backslash in quotes before a character other than `"` or `\`.
            case invalidEscape
            /// The path has more than ``FieldPath/maximumStepCount`` steps.
            case tooManySteps
        }

        /// The kind of error.
        public let code: Code
        /// The offset of the error in UTF-8 bytes from the start of the string.
        public let offset: Int

        /// What was expected and what to do.
        public var message: String {
            switch code {
            case .missingName:
                "expected a name; separate names by one dot, and write an empty name as \"\""
            case .misplacedBracket:
                "a bracket is allowed only as [] after a name; put a name that contains brackets in double quotes"
            case .misplacedQuote:
                "a double quote is inside a name; put the whole name in double quotes and write \\\" for the quote"
            case .missingSeparator:
                "expected a dot, [] or the end of the path after a quoted name or []"
            case .unterminatedQuote:
                "the closing double quote is missing"
            case .invalidEscape:
                "a backslash in quotes must precede a double quote or a backslash; write \\\\ for a backslash"
            case .tooManySteps:
                "the path has more than \(FieldPath.maximumStepCount) steps; shorten it"
            }
        }

        /// The position and the message in one sentence.
        public var description: String { "Invalid field path at byte \(offset): \(message)." }
    }
}
