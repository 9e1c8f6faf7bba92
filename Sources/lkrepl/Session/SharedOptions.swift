import Synchronization

/// The options of ``GlobalOptions`` that are given once for all commands of a shell, or before the name of a command.
struct SharedOptions: Hashable, Sendable {
    /// Whether changes are allowed.
    var isWritable = false
    /// The form of the output; `nil` for the usual one.
    var mode: String?
    /// Everything else as it was given.
    private(set) var others: [String] = []

    /// Options without a value.
    static let flags: Set<String> = [
        "--write", "-q", "--quiet", "-v", "--verbose", "--json", "--all", "-y", "--yes", "--no-input", "--no-color",
        "--no-pager", untrusted,
    ]
    /// The option that has every block checked before LevelDB reads it.
    static let untrusted = "--untrusted"
    /// Options with one.
    static let valued: Set<String> = ["--mode", "--progress", "--color", "--error-format", "--wait"]

    /// Whether every block is checked before LevelDB reads it.
    var checksEveryBlock: Bool { others.contains(Self.untrusted) }

    /// Whether nothing but data and errors is to be said.
    var isQuiet: Bool { others.contains("-q") || others.contains("--quiet") }

    /// Seconds to wait for a process that has the database open, as they were given; `nil` if they were not.
    var wait: String? { others.lastIndex(of: "--wait").map { others[$0 + 1] } }

    /// The options as arguments of a command.
    var arguments: [String] {
        others + (isWritable ? ["--write"] : []) + (mode.map { ["--mode", $0] } ?? [])
    }

    /// Takes the option that `arguments` begins with; false if it is none of these.
    ///
    /// - Throws: ``CommandFailure`` if its value is missing.
    mutating func take(from arguments: inout ArraySlice<String>) throws -> Bool {
        guard let first = arguments.first else { return false }
        if Self.flags.contains(first) {
            arguments.removeFirst()
            switch first {
            case "--write": isWritable = true
            case "--json": mode = "json"
            default: if !others.contains(first) { others.append(first) }
            }
            return true
        }
        if Self.valued.contains(first) {
            guard arguments.count > 1 else { throw CommandFailure(.usage, "\(first) needs a value") }
            set(first, arguments[arguments.startIndex + 1])
            arguments = arguments.dropFirst(2)
            return true
        }
        guard let name = Self.valued.first(where: { first.hasPrefix($0 + "=") }) else { return false }
        arguments.removeFirst()
        set(name, String(first.dropFirst(name.count + 1)))
        return true
    }

    /// Whether the arguments of a command say that no pager is wanted.
    static func refusesPager(_ arguments: some Sequence<String>) -> Bool {
        arguments.prefix { $0 != "--" }.contains("--no-pager")
    }

    private mutating func set(_ name: String, _ value: String) {
        if name == "--mode" { mode = value } else { others += [name, value] }
    }

    /// Applies what holds for the whole process, wherever among the arguments it stands.
    ///
    /// - Throws: ``CommandFailure`` for a value that does not exist.
    static func applyToProcess(_ arguments: [String]) throws {
        var isColorless = false
        var rest = arguments.prefix { $0 != "--" }[...]
        while let argument = rest.popFirst() {
            if argument == "--no-color" { isColorless = true }
            if argument == untrusted { DatabaseAccess.checksEveryBlockInProcess.store(true, ordering: .relaxed) }
            for name in ["--color", "--error-format"] {
                let value: String
                if argument == name, let next = rest.first {
                    value = next
                } else if argument.hasPrefix(name + "=") {
                    value = String(argument.dropFirst(name.count + 1))
                } else {
                    continue
                }
                try set(name, toProcess: value)
            }
        }
        if isColorless { Terminal.colorChoice.withLock { $0 = .never } }
    }

    private static func set(_ name: String, toProcess value: String) throws {
        if name == "--color" {
            guard let choice = Terminal.ColorChoice(rawValue: value) else {
                throw CommandFailure(.usage, "there is no --color \(value)", hint: "use auto, always or never")
            }
            Terminal.colorChoice.withLock { $0 = choice }
        } else {
            guard let format = ErrorReport.Format(rawValue: value) else {
                throw CommandFailure(.usage, "there is no --error-format \(value)", hint: "use text or json")
            }
            ErrorReport.format.withLock { $0 = format }
        }
    }
}
