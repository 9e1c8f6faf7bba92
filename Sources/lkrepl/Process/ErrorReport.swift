import DocIndex
import Synchronization

/// Reports failures on standard error: as text for people, or as a line of JSON for programs.
///
/// ```
/// {"error":{"code":65,"kind":"badData","where":["night.lk:12","load"],"message":"…","hint":"…"}}
/// ```
enum ErrorReport {
    /// The format of reports.
    enum Format: String, CaseIterable, Sendable {
        case text
        case json
    }

    /// The value of `--error-format`, for the whole process.
    static let format = Mutex(Format.text)

    /// Reports a failure; silent ones only in JSON.
    static func tell(_ failure: CommandError) {
        if let text = text(of: failure) { StandardError.shared.write(text) }
    }

    /// The report of a failure; `nil` for a silent one in text format.
    static func text(of failure: CommandError) -> String? {
        switch format.withLock({ $0 }) {
        case .text: failure.text
        case .json: json(failure.exitCode, failure.message, hint: failure.hint, context: failure.context)
        }
    }

    /// Reports invalid arguments.
    static func tell(_ usage: UsageError) {
        switch format.withLock({ $0 }) {
        case .text: StandardError.shared.write(usage.text + "\n")
        case .json:
            StandardError.shared.write(json(.usage, usage.message, hint: usage.hint, context: usage.context))
        }
    }

    private static func json(_ code: ExitCode, _ message: String, hint: String?, context: [String]) -> String {
        var error: DocumentObject = ["code": .int(Int64(code.rawValue)), "kind": .string("\(code)")]
        if !context.isEmpty { error["where"] = .array(context.map { .string($0) }) }
        error["message"] = .string(message.isEmpty ? code.meaning : message)
        if let hint { error["hint"] = .string(hint) }
        // Escaped regardless of the destination: quoted text in a message must not control a terminal.
        let json = TerminalText.escaped(DocumentValue.object(["error": .object(error)]).json.utf8, as: .json)
        return String(decoding: json, as: UTF8.self) + "\n"
    }
}
