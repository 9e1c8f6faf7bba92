/// A command that did not do what it was asked, and what the user is told about it.
///
/// The text for people is built here alone, so that every command fails in the same form:
///
/// ```
/// lkrepl: night.lk:12: scan: '0xf' is not a key
///   hint: a byte takes two hexadecimal digits
/// ```
struct CommandFailure: Error, Hashable, CustomStringConvertible {
    var exitCode: ExitCode
    /// What happened, to what; a sentence without its full stop. Empty if the exit code says it all.
    var message: String
    /// What to do about it; `nil` if there is nothing to do.
    var hint: String?
    /// Where it happened, the outermost first, such as `script.lk:12` and the name of the command.
    var context: [String] = []

    init(_ exitCode: ExitCode, _ message: String, hint: String? = nil) {
        self.exitCode = exitCode
        self.message = message
        self.hint = hint
    }

    /// A failure that ends the run with `exitCode` and tells nothing, as "not found" does.
    static func silent(_ exitCode: ExitCode) -> CommandFailure {
        CommandFailure(exitCode, "")
    }

    /// The failure of a system call.
    ///
    /// - Parameter action: What was being done, such as `cannot open /tmp/a.jsonl`.
    static func system(_ error: SystemError, _ action: String) -> CommandFailure {
        CommandFailure(error.exitCode, "\(action): \(error.description)", hint: error.hint)
    }

    /// The failure as seen from outside, in `place`.
    func within(_ place: String) -> CommandFailure {
        var failure = self
        failure.context.insert(place, at: 0)
        return failure
    }

    /// What goes to standard error, with its newline; `nil` for a silent failure.
    ///
    /// Messages quote file names, keys and input, so they pass through ``VisibleText``: an error never acts on the
    /// terminal.
    var text: String? {
        guard !message.isEmpty else { return nil }
        var text = "lkrepl: "
        for place in context { text += VisibleText.singleLine(place) + ": " }
        text += VisibleText.singleLine(Self.shortened(message)) + "\n"
        if let hint { text += "  hint: \(VisibleText.singleLine(hint))\n" }
        return text
    }

    /// A message of a length that people read: what it quotes may be a whole file.
    private static func shortened(_ message: String) -> String {
        guard message.utf8.count > 2000 else { return message }
        return "\(message.prefix(1000)) … \(message.suffix(500))"
    }

    var description: String { text ?? exitCode.meaning }
}
