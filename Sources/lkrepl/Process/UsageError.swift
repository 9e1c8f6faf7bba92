/// Arguments that no command accepts, with ArgumentParser's message.
struct UsageError: Error {
    /// The command, preceded by the position in a script if there is one.
    var context: [String]
    /// The next step; `nil` without advice.
    var hint: String?
    /// The error, followed by the expected usage, one line each.
    private let lines: [String]

    /// - Parameters:
    ///   - text: The message of ArgumentParser.
    ///   - command: The command; `nil` if there is none.
    init(_ text: String, within command: String?) {
        let text = text.hasPrefix("Error: ") ? String(text.dropFirst("Error: ".count)) : text
        // The message quotes arguments, which must not control the terminal.
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { VisibleText.singleLine(String($0).replacing(ProtectedArgument.mark, with: "")) }
        context = command.map { [VisibleText.singleLine($0)] } ?? []
    }

    /// The error in one line.
    var message: String { lines.first ?? "bad arguments" }

    /// The whole message: `lkrepl: find: Unknown option '--bogus'`, and how the command is used.
    var text: String {
        var lines = lines
        if let hint {
            // The parser's own suggestion goes by spelling alone.
            lines[0] = lines[0].split(separator: ". Did you mean").first.map(String.init) ?? lines[0]
            lines.insert("  hint: \(VisibleText.singleLine(hint))", at: min(1, lines.count))
        }
        return (["lkrepl"] + context).joined(separator: ": ") + ": " + lines.joined(separator: "\n")
    }
}
