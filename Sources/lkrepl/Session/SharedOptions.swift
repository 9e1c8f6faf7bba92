import Synchronization

/// The options of ``GlobalOptions`` that apply to all commands of a shell, or precede the name of a command.
struct SharedOptions: Hashable, Sendable {
    /// Whether changes are allowed.
    var isWritable = false
    /// The output mode; `nil` for the default.
    var mode: String?
    /// All other options as given.
    private(set) var others: [String] = []

    /// Options without a value.
    static let flags: Set<String> = [
        "--write", "-q", "--quiet", "-v", "--verbose", "--json", "--all", "-y", "--yes", "--no-input", "--no-color",
        "--no-pager", untrusted,
    ]
    /// The option that makes LevelKit check every block before LevelDB reads it.
    static let untrusted = "--untrusted"
    /// Options with a value.
    static let valued: Set<String> = ["--mode", "--progress", "--color", "--error-format", "--wait"]

    /// Whether every block is checked before LevelDB reads it.
    var checksEveryBlock: Bool { others.contains(Self.untrusted) }

    /// Whether only data and errors are printed.
    var isQuiet: Bool { others.contains("-q") || others.contains("--quiet") }

    /// The value of `--wait` as given, in seconds; `nil` if absent.
    var wait: String? { others.lastIndex(of: "--wait").map { others[$0 + 1] } }

    /// The options as arguments of a command.
    var arguments: [String] {
        others + (isWritable ? ["--write"] : []) + (mode.map { ["--mode", $0] } ?? [])
    }

    /// Removes a shared option from the beginning of `arguments`. Returns false if they do not begin with one.
    ///
    /// - Throws: ``CommandError`` if its value is missing.
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
            guard arguments.count > 1 else { throw CommandError(.usage, "\(first) needs a value") }
            set(first, arguments[arguments.startIndex + 1])
            arguments = arguments.dropFirst(2)
            return true
        }
        guard let name = Self.valued.first(where: { first.hasPrefix($0 + "=") }) else { return false }
        arguments.removeFirst()
        set(name, String(first.dropFirst(name.count + 1)))
        return true
    }

    /// Whether the arguments of a command disable the pager.
    static func refusesPager(_ arguments: some Sequence<String>) -> Bool {
        arguments.prefix { $0 != "--" }.contains("--no-pager")
    }

    private mutating func set(_ name: String, _ value: String) {
        if name == "--mode" { mode = value } else { others += [name, value] }
    }

    /// Applies the options that affect the whole process, at any position in the arguments.
    ///
    /// - Throws: ``CommandError`` for an invalid value.
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
                throw CommandError(.usage, "unknown value of --color: \(value)", hint: "use auto, always or never")
            }
            Terminal.colorChoice.withLock { $0 = choice }
        } else {
            guard let format = ErrorReport.Format(rawValue: value) else {
                throw CommandError(.usage, "unknown value of --error-format: \(value)", hint: "use text or json")
            }
            ErrorReport.format.withLock { $0 = format }
        }
    }
}
