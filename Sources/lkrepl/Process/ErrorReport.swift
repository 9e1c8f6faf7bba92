import DocIndex
import Synchronization

/// How failures are told on standard error: a text for people, or a line of JSON for programs.
///
/// ```
/// {"error":{"code":65,"kind":"badData","where":["night.lk:12","load"],"message":"…","hint":"…"}}
/// ```
enum ErrorReport {
    /// The form of what is told.
    enum Format: String, CaseIterable, Sendable {
        case text
        case json
    }

    /// What was asked for with `--error-format`, for the whole process.
    static let format = Mutex(Format.text)

    /// Tells of a failure; silent ones only in JSON.
    static func tell(_ failure: CommandFailure) {
        if let text = text(of: failure) { StandardError.shared.write(text) }
    }

    /// What is told of a failure; `nil` for a silent one.
    static func text(of failure: CommandFailure) -> String? {
        switch format.withLock({ $0 }) {
        case .text: failure.text
        case .json: json(failure.exitCode, failure.message, hint: failure.hint, context: failure.context)
        }
    }

    /// Tells of arguments that fit no command.
    static func tell(_ usage: UsageFailure) {
        switch format.withLock({ $0 }) {
        case .text: StandardError.shared.write(usage.text + "\n")
        case .json:
            StandardError.shared.write(json(.usage, usage.message, hint: nil, context: usage.context))
        }
    }

    private static func json(_ code: ExitCode, _ message: String, hint: String?, context: [String]) -> String {
        var error: DocumentObject = ["code": .int(Int64(code.rawValue)), "kind": .string("\(code)")]
        if !context.isEmpty { error["where"] = .array(context.map { .string($0) }) }
        error["message"] = .string(message.isEmpty ? code.meaning : message)
        if let hint { error["hint"] = .string(hint) }
        // Whatever it is written to: a terminal must not act on what a message quotes.
        let json = TerminalText.escaped(DocumentValue.object(["error": .object(error)]).json.utf8, as: .json)
        return String(decoding: json, as: UTF8.self) + "\n"
    }
}
