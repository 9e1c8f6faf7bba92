import ArgumentParser
import StorePackages

/// The meaning of the process's arguments: one command, or the shell on a database.
enum Invocation {
    /// Where a shell reads its commands from.
    enum Source: Hashable, Sendable {
        /// The value of a `-c` option.
        case text(String)
        /// The file of a `-f` option; `-` is standard input.
        case file(String)
    }

    /// A shell and its sources.
    struct ShellInvocation {
        var database: String
        /// The sources to run, in order; empty for standard input.
        var sources: [Source] = []
        /// Options that apply to every command of the shell, such as `--write`.
        var options = SharedOptions()
        /// Whether a script continues after a failure. The exit code still reports the failure.
        var keepsGoing = false
        /// Whether typed lines are saved in the history file.
        var keepsHistory = true
        /// Whether the user's configuration and startup script are read.
        var readsConfiguration = true
    }

    /// One command and its arguments, with global options moved after its name.
    case command([String])
    /// The overview of all commands, or one topic of help.
    case help(HelpTopic?)
    /// The shell.
    case shell(ShellInvocation)

    /// Aliases of commands. Abbreviations are not accepted: adding a command must not change the meaning of a
    /// script.
    static let aliases = ["ls": "keys", "rm": "del"]

    /// Reads the arguments of a process, without the name of the program.
    ///
    /// The first argument that is not an option is the name of a command or the path of a database. ArgumentParser
    /// cannot tell the two apart, so this initializer does.
    init(_ arguments: [String]) throws {
        var options = SharedOptions()
        var rest = arguments[...]
        // Shell options may precede the database.
        var shellOptions: [String] = []
        while true {
            if try options.take(from: &rest) { continue }
            guard let first = rest.first, Self.shellFlags.contains(first) else { break }
            shellOptions.append(rest.removeFirst())
        }
        if rest.first == "--" { rest.removeFirst() }
        guard let first = rest.first, !first.hasPrefix("-") else {
            guard let first = rest.first, !["-h", "--help"].contains(first) else {
                self = .help(nil)
                return
            }
            guard first == "--version" else { throw Self.misplaced(rest) }
            self = .command(Array(rest))
            return
        }
        if first == "help" {
            guard let word = rest.dropFirst().first else {
                self = .help(nil)
                return
            }
            if !word.hasPrefix("-") {
                let names = RootCommand.configuration.subcommands.map { $0._commandName }
                if rest.count == 2, let topic = HelpTopic(rawValue: word) {
                    self = .help(topic)
                    return
                }
                guard names.contains(Self.aliases[word] ?? word) else {
                    if let topic = HelpTopic(rawValue: word) {
                        throw CommandError(
                            .usage, "help \(topic.rawValue) takes no further words",
                            hint: "in a shell its examples use the fields of the store: lkrepl STORE -c 'help "
                                + "\(topic.rawValue)'")
                    }
                    throw CommandError(
                        .usage, "unknown command or topic \(word)",
                        hint: NearestName.find(near: word, of: names + HelpTopic.allCases.map(\.rawValue))
                            .map { "did you mean \($0)?" } ?? "lkrepl --help lists the commands and topics")
                }
            }
            self = .command(["help"] + rest.dropFirst().map { Self.aliases[$0] ?? $0 })
            return
        }
        if let command = try Self.command(rest, options: options) {
            if let option = shellOptions.first {
                throw CommandError(
                    .usage, "\(option) is a shell option and cannot be used with the command \(first)",
                    hint: "lkrepl DATABASE \(option) -c '\(first) …' runs the command in a shell")
            }
            self = .command(command)
            return
        }
        if rest.dropFirst().contains(where: { $0 == "--help" || $0 == "-h" }) {
            self = .help(nil)
            return
        }
        if first == "repl", rest.count > 1 { rest.removeFirst() }
        self = .shell(try Self.shell(rest.removeFirst(), rest + shellOptions, options: options))
    }

    /// The failure of an option that precedes the database and is not one of all commands.
    private static func misplaced(_ arguments: ArraySlice<String>) -> CommandError {
        let option = arguments.first ?? ""
        if ["-c", "-f"].contains(option) {
            return CommandError(
                .usage, "\(option) must follow the database", hint: "use lkrepl DB \(option) …")
        }
        let known = SharedOptions.flags.union(SharedOptions.valued).union(shellFlags).union(["--help", "--version"])
        let near = NearestName.find(near: option, of: known.sorted()).map { "did you mean \($0)?" }
        return CommandError(
            .usage, "unknown option \(option)",
            hint: near ?? "options of a command follow its name: lkrepl COMMAND DB \(option)")
    }

    /// Shell options that take no value.
    static let shellFlags = ["--keep-going", "--no-history", "--no-config"]

    /// The arguments of a command in the order that ArgumentParser expects: options follow the name of the command
    /// or subcommand. `nil` if the first argument is not a command.
    ///
    /// - Parameter database: The path to insert after the name, as in the shell; `nil` if the arguments include it.
    /// - Throws: ``CommandError`` if the command has subcommands and the next argument is not one of them.
    static func command(
        _ arguments: ArraySlice<String>, options: SharedOptions, database: String? = nil
    ) throws -> [String]? {
        guard let first = arguments.first else { return nil }
        let name = aliases[first] ?? first
        guard let type = RootCommand.configuration.subcommands.first(where: { $0._commandName == name }) else {
            return nil
        }
        let below = type.configuration.subcommands.map { $0._commandName }
        var names = [name]
        var rest = arguments.dropFirst()
        if !below.isEmpty, let word = rest.first, !word.hasPrefix("-") {
            guard below.contains(word) else {
                throw CommandError(
                    .usage, "\(name) has no subcommand \(word)",
                    hint: (FileDescriptor.exists(word) ? nil : NearestName.find(near: word, of: below))
                        .map { "did you mean \(name) \($0)?" } ?? "use one of \(below.joined(separator: ", "))")
            }
            names.append(rest.removeFirst())
        }
        if !below.isEmpty, names.count == 1 { return names + rest }
        let asksForHelp = rest.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
        if asksForHelp, database != nil { return names + ["--help"] }
        return names + options.arguments + (database.map { [$0] } ?? []) + protecting(rest, of: names)
    }

    private static func shell(
        _ database: String, _ rest: ArraySlice<String>, options: SharedOptions
    ) throws -> ShellInvocation {
        guard FileDescriptor.isDirectory(database) || Package.isPackage(at: database) else {
            if FileDescriptor.exists(database) {
                let name = ShellWord.quoted(database)
                throw CommandError(
                    .noInput, "\(database) is a file and not a database",
                    hint: "lkrepl init photos.store --infer \(name) makes a store for its documents, and lkrepl import "
                        + "reads them")
            }
            let near = UsageAdvice.command(
                for: database, of: RootCommand.configuration.subcommands.map { $0._commandName })
            throw CommandError(
                near == nil ? .noInput : .usage, "unknown command or database \"\(database)\"",
                hint: near.map { "did you mean \($0)?" } ?? UsageAdvice.hint(forMissingDatabase: [database])
                    ?? "lkrepl --help lists the commands; lkrepl init creates a store")
        }
        var shell = ShellInvocation(database: database, options: options)
        var rest = rest
        while let first = rest.first {
            if try shell.options.take(from: &rest) { continue }
            rest.removeFirst()
            switch first {
            case "-c", "-f":
                guard let value = rest.popFirst() else { throw CommandError(.usage, "\(first) needs a value") }
                shell.sources.append(first == "-c" ? .text(value) : .file(value))
            case "--keep-going": shell.keepsGoing = true
            case "--no-history": shell.keepsHistory = false
            case "--no-config": shell.readsConfiguration = false
            default:
                throw CommandError(
                    .usage, "unexpected argument \(first) after the database",
                    hint: RootCommand.configuration.subcommands.contains { $0._commandName == first }
                        ? "the command comes first: lkrepl \(first) \(ShellWord.quoted(database)) …"
                        : "use lkrepl COMMAND \(ShellWord.quoted(database)) …, or "
                            + "lkrepl \(ShellWord.quoted(database)) -c 'COMMAND …'")
            }
        }
        return shell
    }

    // MARK: - Arguments that look like options

    /// Commands that take words, numbers or keys that may begin with a dash.
    private static let expressive: Set<String> = [
        "find", "count", "search", "suggest", "complete", "facets", "distinct", "explain", "export", "doc", "get",
        "put", "del", "mget", "seek", "versions", "tree", "near", "nearest", "timeline", "duplicates", "album",
        "history",
        "update", "delete", "attach", "conflicts", "resolve",
    ]
    /// Marks arguments such as `-73.99`, and words such as `-ice` in a search, so that they are not read as
    /// options. ``ProtectedArgument/plain(_:)`` removes the mark.
    ///
    /// - Parameter words: The words of the command's name.
    static func protecting(_ arguments: some Sequence<String>, of words: [String]) -> [String] {
        guard expressive.contains(words[0]) else { return Array(arguments) }
        var previous = ""
        // -0 is a number in a condition, and an option beside --ids.
        let hasIDs = arguments.contains("--ids")
        return arguments.map { argument in
            defer { previous = argument }
            // The options of count select keys, as they do for commands whose arguments are not marked.
            if words[0] == "count", takesValue(previous, of: words) { return argument }
            // An argument that begins with the mark gets a second one, so that `plain` restores it.
            let isMarked =
                argument.hasPrefix(ProtectedArgument.mark)
                || isValue(argument, of: words[0]) && !takesValue(previous, of: words) && !(hasIDs && argument == "-0")
            return isMarked ? ProtectedArgument.mark + argument : argument
        }
    }

    /// Whether the argument after `argument` is the value of an option, even if it begins with a dash.
    private static func takesValue(_ argument: String, of words: [String]) -> Bool {
        argument.hasPrefix("-") && CommandCatalog.command(words)?.takesValue(argument) ?? false
    }

    private static func isValue(_ argument: String, of command: String) -> Bool {
        let utf8 = Array(argument.utf8.prefix(3))
        guard utf8.count >= 2, utf8[0] == UInt8(ascii: "-"), utf8[1] != UInt8(ascii: "-") else { return false }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        if digits.contains(utf8[1]) { return true }
        if utf8[1] == UInt8(ascii: "."), utf8.count == 3, digits.contains(utf8[2]) { return true }
        // The operators -= and -> of assignments.
        if command == "update", utf8[1] == UInt8(ascii: "=") || utf8[1] == UInt8(ascii: ">") { return true }
        return ["search", "suggest", "complete"].contains(command)
            && !["-q", "-v", "-y", "-h", "-qy", "-yq", "-vy", "-yv"].contains(argument)
    }
}
