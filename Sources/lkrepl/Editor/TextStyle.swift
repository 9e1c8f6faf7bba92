/// How a part of the input looks.
enum TextStyle: Hashable, Sendable {
    case plain
    /// The name of a command that exists.
    case command
    /// A name in the place of a command that is none.
    case unknownCommand
    case option
    case quoted
    case number
    case comment
    /// What is shown and was not typed.
    case hint
    case prompt
    /// The prompt where changes are allowed.
    case warning

    /// The parameters of the escape sequence "select graphic rendition" (ECMA-48, 8.3.117); empty for plain text.
    ///
    /// The eight basic colours only: the user's terminal decides what they look like on its background.
    var parameters: String {
        switch self {
        case .plain: ""
        case .command: "1"
        case .unknownCommand: "31"
        case .option: "36"
        case .quoted: "32"
        case .number: "35"
        case .comment, .hint: "90"
        case .prompt: "1;34"
        case .warning: "1;31"
        }
    }
}
