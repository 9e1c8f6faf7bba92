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
    struct Command: Sendable {
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
    let sharedOptions: [Argument]

    /// The commands of this program.
    static let current = CommandCatalog()

    private init() {
        let tree = (try? JSONParser().parse(Array(RootCommand._dumpHelp().utf8))) ?? .null
        let all = Self.commands(tree["command"] ?? .null, below: [])
        let shared = Self.commandNamed(["stats"], in: all)?.arguments.filter { $0.kind != .positional } ?? []
        sharedOptions = shared
        commands = all
    }

    private static func commands(_ tree: DocumentValue, below words: [String]) -> [Command] {
        (tree["subcommands"]?.arrayValue ?? []).compactMap { item in
            guard let name = item["commandName"]?.stringValue, name != "help" else { return nil }
            let path = words + [name]
            var example: String?
            var others: [Substring] = []
            for line in (item["discussion"]?.stringValue ?? "").split(separator: "\n", omittingEmptySubsequences: false)
            {
                if line.hasPrefix("Example: ") {
                    // A sentence may follow the example.
                    let text = String(line.dropFirst("Example: ".count).split(separator: ". For ")[0])
                    if example == nil { example = text } else { others.append(line) }
                } else {
                    others.append(line)
                }
            }
            let arguments = (item["arguments"]?.arrayValue ?? []).compactMap(Argument.init)
            return Command(
                words: path, abstract: item["abstract"]?.stringValue ?? "", example: example,
                discussion: others.joined(separator: "\n"),
                arguments: arguments.filter { !$0.names.contains("--help") && !$0.names.contains("--version") },
                subcommands: commands(item, below: path))
        }
    }

    // MARK: - Looking up

    /// The command with the given name; `nil` if there is none.
    func command(_ words: some Sequence<String>) -> Command? {
        Self.commandNamed(Array(words), in: commands)
    }

    private static func commandNamed(_ words: [String], in commands: [Command]) -> Command? {
        guard let first = words.first, let command = commands.first(where: { $0.words.last == first }) else {
            return nil
        }
        return words.count == 1 ? command : commandNamed(Array(words.dropFirst()), in: command.subcommands)
    }

    /// All commands without subcommands, and all subcommands.
    var leaves: [Command] { commands.flatMap { $0.subcommands.isEmpty ? [$0] : $0.subcommands } }

    /// Whether every command has this option.
    func isShared(_ argument: Argument) -> Bool { sharedOptions.contains { $0.names == argument.names } }
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
