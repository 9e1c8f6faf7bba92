import LevelFiles

/// The failure of a command, and its message for the user.
///
/// The text is built only here, so that all commands report failures in the same form:
///
/// ```
/// lkrepl: night.lk:12: scan: '0xf' is not a key
///   hint: a byte takes two hexadecimal digits
/// ```
struct CommandError: Error, Hashable, CustomStringConvertible {
    var exitCode: ExitCode
    /// What failed, on which object; a sentence without its final period. Empty if the exit code is sufficient.
    var message: String
    /// The next step; `nil` without advice.
    var hint: String?
    /// The location, outermost first, such as `script.lk:12` and the name of the command.
    var context: [String] = []

    init(_ exitCode: ExitCode, _ message: String, hint: String? = nil) {
        self.exitCode = exitCode
        self.message = message
        self.hint = hint
    }

    /// A failure that ends the run with `exitCode` and prints nothing, such as "not found".
    static func silent(_ exitCode: ExitCode) -> CommandError {
        CommandError(exitCode, "")
    }

    /// The failure of a system call.
    ///
    /// - Parameter action: The action that failed, such as `cannot open /tmp/a.jsonl`.
    static func system(_ error: SystemError, _ action: String) -> CommandError {
        CommandError(error.exitCode, "\(action): \(error.description)", hint: error.hint)
    }

    /// The failure with `place` added as its outermost location.
    func within(_ place: String) -> CommandError {
        var failure = self
        failure.context.insert(place, at: 0)
        return failure
    }

    /// The text for standard error, with its newline; `nil` for a silent failure.
    ///
    /// Messages quote file names, keys and input, so they are passed through ``VisibleText`` and cannot control the
    /// terminal.
    var text: String? {
        guard !message.isEmpty else { return nil }
        var text = "lkrepl: "
        for place in context { text += VisibleText.singleLine(place) + ": " }
        text += VisibleText.singleLine(Self.shortened(message)) + "\n"
        if let hint { text += "  hint: \(VisibleText.singleLine(hint))\n" }
        return text
    }

    /// Shortens a message, which may quote a whole file.
    private static func shortened(_ message: String) -> String {
        guard message.utf8.count > 2000 else { return message }
        return "\(message.prefix(1000)) … \(message.suffix(500))"
    }

    var description: String { text ?? exitCode.meaning }
}
