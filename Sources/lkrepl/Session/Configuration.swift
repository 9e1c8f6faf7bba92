import Synchronization

/// The user's settings: lines of the form `name = value`; `#` begins a comment.
///
/// ```
/// mode = table
/// pager = off
/// timer = on
/// confirm = off
/// hints = on
/// highlight = on
/// color = auto
/// ```
///
/// Only interactive shells read them: the meaning of a script must not depend on the user.
enum Configuration {
    /// The supported settings.
    static let names = ["mode", "pager", "timer", "confirm", "hints", "highlight", "color"]

    /// Applies a configuration file to settings. A missing file changes nothing.
    ///
    /// - Throws: ``CommandError`` with `badConfiguration`, the file and the line.
    static func apply(_ path: String, to settings: inout ShellSettings) throws {
        guard FileDescriptor.exists(path) else { return }
        // A pipe could block the shell forever.
        guard !FileDescriptor.isSpecial(path) else {
            throw CommandError(
                .badConfiguration, "\(path) is not a regular file", hint: "replace it, or use --no-config")
        }
        let file = try FileDescriptor.openForReading(path)
        defer { try? file.closeFile() }
        let bytes = try file.readAll(limit: 1 << 20, name: path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.badConfiguration, "the file is not UTF-8").within(path)
        }
        try apply(text: text, name: path, to: &settings)
    }

    /// Applies the content of a configuration file.
    static func apply(text: String, name: String, to settings: inout ShellSettings) throws {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = line.prefix { $0 != "#" }
            if content.allSatisfy(\.isWhitespace) { continue }
            do {
                let parts = content.split(separator: "=", maxSplits: 1).map(trimmed)
                guard parts.count == 2 else {
                    throw CommandError(.badConfiguration, "invalid setting", hint: "write name = value")
                }
                try set(parts[0], to: parts[1], in: &settings)
            } catch let failure as CommandError {
                throw failure.within("\(name):\(index + 1)")
            }
        }
    }

    private static func set(_ name: String, to value: String, in settings: inout ShellSettings) throws {
        switch name {
        case "mode":
            guard OutputMode(rawValue: value) != nil else {
                throw unknown(name, value, OutputMode.allCases.map(\.rawValue))
            }
            settings.options.mode = settings.options.mode ?? value
        case "pager":
            guard let paging = PagerGate.Paging(rawValue: value) else {
                throw unknown(name, value, PagerGate.Paging.allCases.map(\.rawValue))
            }
            settings.paging = paging
        case "timer": settings.isTimed = try isOn(name, value)
        case "confirm": settings.confirms = try isOn(name, value)
        case "hints": settings.showsHints = try isOn(name, value)
        case "highlight": settings.highlights = try isOn(name, value)
        case "color":
            guard let choice = Terminal.ColorChoice(rawValue: value) else {
                throw unknown(name, value, Terminal.ColorChoice.allCases.map(\.rawValue))
            }
            // The command line takes precedence.
            Terminal.colorChoice.withLock { if $0 == .auto { $0 = choice } }
        default:
            throw CommandError(
                .badConfiguration, "unknown setting \(name)",
                hint: NearestName.find(near: name, of: names).map { "did you mean \($0)?" }
                    ?? "use one of \(names.joined(separator: ", "))")
        }
    }

    private static func isOn(_ name: String, _ value: String) throws -> Bool {
        switch value {
        case "on", "yes", "true", "1": true
        case "off", "no", "false", "0": false
        default: throw unknown(name, value, ["on", "off"])
        }
    }

    private static func unknown(_ name: String, _ value: String, _ values: [String]) -> CommandError {
        CommandError(
            .badConfiguration, "\(name) cannot be \(value)", hint: "use one of \(values.joined(separator: ", "))")
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace ?? false { text.removeLast() }
        return String(text)
    }
}
