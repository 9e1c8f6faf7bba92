import ArgumentParser
import DocIndex

/// The commands and their arguments, for help, hints, completion and the manual.
///
/// Generated from the declarations that ArgumentParser uses, so that it always agrees with the parser.
struct CommandCatalog: Sendable {
    /// One argument, option or flag.
    struct Argument: Hashable, Sendable {
        enum Kind: String, Sendable {
            case positional
            case option
            case flag
        }

        var kind: Kind
        /// The spellings of an option or flag, including dashes, long ones first.
        var names: [String]
        /// The name of the value, such as `limit`.
        var valueName: String
        var abstract: String
        var isOptional: Bool
        var isRepeating: Bool
        /// Whether help shows it.
        var isShown: Bool

        /// The argument's form in a synopsis: `<limit>`, `[--limit <limit>]`, `[<field> ...]`.
        var synopsis: String {
            let value = "<\(valueName)>" + (isRepeating ? " ..." : "")
            let text =
                switch kind {
                case .positional: value
                case .option: "\(names[0]) \(value)"
                case .flag: names[0]
                }
            return isOptional ? "[\(text)]" : text
        }
    }

    /// One command.
    struct Command: Hashable, Sendable {
        /// The words of its name, such as `doc put`.
        var words: [String]
        var abstract: String
        /// The first example, as typed in the system shell; `nil` if there is none.
        var example: String?
        /// The rest of the discussion.
        var discussion: String
        var arguments: [Argument]
        var subcommands: [Command]

        var name: String { words.joined(separator: " ") }

        /// Whether a word is an option whose value is the next argument.
        func takesValue(_ word: String) -> Bool { arguments.contains { $0.kind == .option && $0.names.contains(word) } }

        /// The arguments in lkrepl's shell, where the database is implied.
        var shellArguments: [Argument] { arguments.filter { !($0.kind == .positional && $0.valueName == "database") } }

        /// Whether the command works on a database.
        var takesDatabase: Bool { arguments.contains { $0.kind == .positional && $0.valueName == "database" } }

        /// The example as typed in lkrepl's shell; `nil` if it cannot be used there.
        var shellExample: String? {
            guard let example, takesDatabase, words != ["init"],
                let command = try? ShellScanner.commands(in: example).first
            else {
                return nil
            }
            let tokens = command.arguments.dropFirst(1 + words.count)
            // Creating a database does not work in a shell that has one open.
            guard !tokens.contains(where: { $0 == "--create" || $0 == "--into-new" }) else { return nil }
            // The database is the first argument that is not an option; flags before it stay.
            guard let position = tokens.firstIndex(where: { !$0.hasPrefix("-") }) else { return nil }
            let redirection = tokens.firstIndex { $0 == ">" } ?? tokens.endIndex
            let rest = tokens[..<redirection].enumerated().filter { $0.offset + tokens.startIndex != position }
            return (words + rest.map(\.element).filter { $0 != "--write" }).joined(separator: " ")
        }
    }

    /// The top-level commands, in declaration order.
    let commands: [Command]
    /// The options of every command, which are described once.
    static let sharedOptions = command(["stats"])?.arguments.filter { $0.kind != .positional } ?? []

    /// The commands of this program.
    static let current = CommandCatalog()

    private init() {
        let tree = (try? JSONParser().parse(Array(RootCommand._dumpHelp().utf8))) ?? .null
        commands = Self.commands(tree["command"] ?? .null, below: [])
    }

    private static func commands(_ tree: DocumentValue, below words: [String]) -> [Command] {
        (tree["subcommands"]?.arrayValue ?? []).compactMap { command($0, below: words) }
    }

    private static func command(_ tree: DocumentValue, below words: [String]) -> Command? {
        guard let name = tree["commandName"]?.stringValue, name != "help" else { return nil }
        let path = words + [name]
        var example: String?
        var others: [Substring] = []
        for line in (tree["discussion"]?.stringValue ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("Example: ") {
                // A sentence may follow the example.
                let text = String(line.dropFirst("Example: ".count).split(separator: ". For ")[0])
                if example == nil { example = text } else { others.append(line) }
            } else {
                others.append(line)
            }
        }
        let arguments = (tree["arguments"]?.arrayValue ?? []).compactMap(Argument.init)
        return Command(
            words: path, abstract: tree["abstract"]?.stringValue ?? "", example: example,
            discussion: others.joined(separator: "\n"),
            arguments: arguments.filter { !$0.names.contains("--help") && !$0.names.contains("--version") },
            subcommands: commands(tree, below: path))
    }

    // MARK: - Looking up

    /// The type of the command with the given name; `nil` if there is none.
    static func type(_ words: some Collection<String>) -> (any ParsableCommand.Type)? {
        guard !words.isEmpty else { return nil }
        var type: any ParsableCommand.Type = RootCommand.self
        for word in words {
            guard let next = type.configuration.subcommands.first(where: { $0._commandName == word }) else {
                return nil
            }
            type = next
        }
        return type
    }

    /// Describes one command; `nil` if there is none with this name. Describing all of them takes longer than most
    /// commands run.
    static func command(_ words: [String]) -> Command? {
        guard let type = type(words), let dump = try? JSONParser().parse(Array(type._dumpHelp().utf8)) else {
            return nil
        }
        return dump["command"].flatMap { command($0, below: words.dropLast()) }
    }

    /// All commands without subcommands, and all subcommands.
    var leaves: [Command] { commands.flatMap { $0.subcommands.isEmpty ? [$0] : $0.subcommands } }

    /// Whether every command has this option.
    static func isShared(_ argument: Argument) -> Bool { sharedOptions.contains { $0.names == argument.names } }
}

extension CommandCatalog.Argument {
    /// Reads an argument from ArgumentParser's help dump.
    fileprivate init?(_ tree: DocumentValue) {
        guard let kind = tree["kind"]?.stringValue.flatMap(Kind.init) else { return nil }
        let spellings = (tree["names"]?.arrayValue ?? []).compactMap { name -> String? in
            guard let text = name["name"]?.stringValue else { return nil }
            return (name["kind"]?.stringValue == "long" ? "--" : "-") + text
        }
        self.init(
            kind: kind, names: spellings.sorted { $0.count > $1.count },
            valueName: tree["valueName"]?.stringValue ?? "",
            abstract: tree["abstract"]?.stringValue ?? "", isOptional: tree["isOptional"]?.boolValue ?? false,
            isRepeating: tree["isRepeating"]?.boolValue ?? false, isShown: tree["shouldDisplay"]?.boolValue ?? true)
    }
}
