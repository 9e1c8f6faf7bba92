/// The style of a part of the input.
enum TextStyle: Hashable, Sendable {
    case plain
    /// The name of an existing command.
    case command
    /// A word in command position that is not a command.
    case unknownCommand
    case option
    case quoted
    case number
    case comment
    /// Text that is shown but was not typed.
    case hint
    case prompt
    /// The prompt if changes are allowed.
    case warning

    /// The parameters of the escape sequence "select graphic rendition" (ECMA-48, 8.3.117); empty for plain text.
    ///
    /// Only the eight basic colors and their bright forms: the terminal's theme chooses suitable shades.
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
