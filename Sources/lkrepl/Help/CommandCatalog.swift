import ArgumentParser
import DocIndex

/// What there is to know of all commands, for help, hints, completion and the manual.
///
/// Made from the declarations that ArgumentParser reads the command line with, so that none of them can say otherwise.
struct CommandCatalog: Sendable {
    /// One argument, option or flag.
    struct Argument: Hashable, Sendable {
        enum Kind: String, Sendable {
            case positional
            case option
            case flag
        }

        var kind: Kind
        /// The spellings of an option or flag, dashes included, the long one first.
        var names: [String]
        /// What stands for the value, such as `limit`.
        var valueName: String
        var abstract: String
        var isOptional: Bool
        var isRepeating: Bool
        /// Whether help shows it.
        var isShown: Bool

        /// As it stands in a synopsis: `<limit>`, `[--limit <limit>]`, `[<field> ...]`.
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
        /// The words that name it, such as `doc put`.
        var words: [String]
        var abstract: String
        /// The first example, as typed in the user's own shell; `nil` if it has none.
        var example: String?
        /// What else there is to say.
        var discussion: String
        var arguments: [Argument]
        var subcommands: [Command]

        var name: String { words.joined(separator: " ") }

        /// The arguments in the shell, where the database is given.
        var shellArguments: [Argument] { arguments.filter { !($0.kind == .positional && $0.valueName == "database") } }

        /// Whether the command works on a database.
        var takesDatabase: Bool { arguments.contains { $0.kind == .positional && $0.valueName == "database" } }

        /// The example as typed in lkrepl's shell.
        var shellExample: String? {
            guard let example, takesDatabase, words != ["init"],
                let command = try? ShellScanner.commands(in: example).first
            else {
                return nil
            }
            let tokens = command.arguments.dropFirst(1 + words.count)
            // What makes a database cannot be shown on one that is open.
            guard !tokens.contains(where: { $0 == "--create" || $0 == "--into-new" }) else { return nil }
            // The database is the first argument that is no option; flags before it stay.
            guard let position = tokens.firstIndex(where: { !$0.hasPrefix("-") }) else { return nil }
            let redirection = tokens.firstIndex { $0 == ">" } ?? tokens.endIndex
            let rest = tokens[..<redirection].enumerated().filter { $0.offset + tokens.startIndex != position }
            return (words + rest.map(\.element).filter { $0 != "--write" }).joined(separator: " ")
        }
    }

    /// The commands below `lkrepl`, in the order of its declaration.
    let commands: [Command]
    /// Options of every command, which are described once.
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
                    // A sentence may follow an example.
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

    /// The command that words name; `nil` if there is none.
    func command(_ words: some Sequence<String>) -> Command? {
        Self.commandNamed(Array(words), in: commands)
    }

    private static func commandNamed(_ words: [String], in commands: [Command]) -> Command? {
        guard let first = words.first, let command = commands.first(where: { $0.words.last == first }) else {
            return nil
        }
        return words.count == 1 ? command : commandNamed(Array(words.dropFirst()), in: command.subcommands)
    }

    /// The commands that do something, those below others included.
    var leaves: [Command] { commands.flatMap { $0.subcommands.isEmpty ? [$0] : $0.subcommands } }

    /// Whether an option is one that every command has.
    func isShared(_ argument: Argument) -> Bool { sharedOptions.contains { $0.names == argument.names } }
}

extension CommandCatalog.Argument {
    /// Reads what ArgumentParser tells of an argument.
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
