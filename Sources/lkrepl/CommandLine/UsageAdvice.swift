import DocIndex
import LevelKit

/// Advice on invalid arguments: what people who know other programs type, and what they probably mean here.
enum UsageAdvice {
    /// Commands of other programs, and their equivalents here.
    private static let commandsElsewhere = [
        "select": "find", "sql": "find", "pragma": "stats", "query": "find",
        "where": "find", "list": "find", "show": "find", "grep": "search",
        "tables": "collections", "databases": "collections", "dbs": "collections", "columns": "describe",
        "fields": "describe", "info": "stats", "status": "stats", "size": "stats", "insert": "doc put",
        "add": "import", "set": "put", "update": "doc patch", "edit": "doc patch", "delete": "doc del",
        "remove": "doc del", "drop": "destroy", "create": "init", "new": "init", "make": "init", "restore": "load",
        "backup": "dump", "save": "dump", "copy": "snapshot", "check": "verify", "fix": "repair",
        "vacuum": "compact", "optimize": "compact", "hash": "digest", "version": "--version", "open": "lkrepl DB",
        "group": "facets", "unique": "distinct", "print": "get", "cat": "get", "prefix": "scan",
    ]

    /// The command that another program's command corresponds to, or the nearest name; `nil` if none is close.
    static func command(for word: String, of names: [String]) -> String? {
        if let other = commandsElsewhere[word.lowercased()], !names.contains(word) { return other }
        return NearestName.find(near: word, of: names)
    }

    /// Options of other programs, and their equivalents here.
    private static let optionsElsewhere: [(names: [String], here: String)] = [
        (["-n", "--top", "--max", "--head", "--num"], "--limit"), (["--offset", "--from"], "--skip"),
        (["--format", "--output-format", "--output", "-f"], "--mode"),
        (["--order", "--order-by", "--orderby", "--sort-by", "-s"], "--sort"),
        (["--columns", "--select", "--cols"], "--fields"), (["--force"], "--yes"), (["-f"], "--format"),
    ]
    private static let modes = ["csv", "tsv", "jsonl", "table", "line", "pretty"]

    /// Advice on a message of the argument parser; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - words: The name of the command.
    ///   - arguments: The arguments after it.
    static func hint(_ message: String, of words: [String], _ arguments: [String]) -> String? {
        let command = CommandCatalog.command(words)
        if message.hasPrefix("Unknown option '"), let option = quoted(in: message) {
            return unknown(option, command)
        }
        if message.hasPrefix("Unexpected argument"), let argument = quoted(in: message) {
            let options = command?.arguments.flatMap(\.names) ?? []
            if options.contains("--prefix") {
                return "--prefix \(ShellWord.quoted(argument)) selects the keys that begin like this"
            }
            return nil
        }
        if message.hasPrefix("Missing value for '--schema"), arguments.contains("--infer") {
            return "--schema FILE reads a schema, and --infer FILE chooses one; give one of them, and its file"
        }
        guard message.hasPrefix("Missing expected argument") || message.hasPrefix("specify a file") else { return nil }
        return missing(command, arguments)
    }

    private static func unknown(_ option: String, _ command: CommandCatalog.Command?) -> String? {
        let options = command?.arguments.flatMap(\.names) ?? []
        if let mode = modes.first(where: { option == "--" + $0 }) {
            return "use --mode \(mode == "pretty" ? "json-pretty" : mode)"
        }
        if let match = optionsElsewhere.first(where: { $0.names.contains(option) && options.contains($0.here) }) {
            return "use \(match.here)"
        }
        if ["--desc", "--descending", "--asc", "--reverse"].contains(option), options.contains("--sort") {
            return "--sort -FIELD sorts in descending order"
        }
        let positional = command?.arguments.filter { $0.kind == .positional } ?? []
        let name = String(option.drop { $0 == "-" })
        let synonyms = [
            "db": "database", "where": "condition", "filter": "condition", "query": "condition", "schema": "file",
        ]
        guard let argument = positional.first(where: { $0.valueName == synonyms[name] ?? name }) else { return nil }
        return "omit \(option): the \(argument.valueName) is an argument, \(argument.synopsis)"
    }

    /// Advice on a missing argument: a store that is not one, and the collections of the store.
    private static func missing(_ command: CommandCatalog.Command?, _ arguments: [String]) -> String? {
        let given = arguments.filter { !$0.hasPrefix("-") }
        let positional = command?.arguments.filter { $0.kind == .positional } ?? []
        guard positional.first?.valueName == "database" else { return nil }
        if let first = given.first, !FileDescriptor.isDirectory(first) {
            return "\(first) is not a database; the database comes first"
        }
        guard positional.count > 1, positional[1].valueName == "collection", let path = given.first else { return nil }
        // The commands that need one of several things say so themselves.
        let isMissing = given.count < positional.count(where: { !$0.isOptional })
        guard isMissing || given.count > 1 && FileDescriptor.exists(given[1]) else { return nil }
        if given.count > 1, FileDescriptor.exists(given[1]) {
            return "\(given[1]) stands where the collection is expected; collections: \(collections(of: path))"
        }
        return "collections: \(collections(of: path))"
    }

    private static func collections(of path: String) -> String {
        func names(_ session: Session) -> String {
            ((try? session.collections()) ?? []).map(\.name).joined(separator: ", ")
        }
        if let shell = Session.shell?.session, shell.path == path { return names(shell) }
        let access = DatabaseAccess(isExclusive: false, isQuiet: true)
        guard let session = try? Session(path: path, access: access) else { return "none" }
        defer { try? session.close() }
        return names(session)
    }

    /// Advice on a database that does not exist; `nil` if there is none.
    ///
    /// - Parameter arguments: The arguments after the name of the command.
    static func hint(forMissingDatabase arguments: [String]) -> String? {
        let given = arguments.filter { !$0.hasPrefix("-") }
        guard let path = given.first, !isDatabase(path) else { return nil }
        if given.count > 1, isDatabase(given[1]) { return "the database comes first: \(given[1]) \(path)" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let parent = parts.dropLast().joined(separator: "/")
        let directory = parts.count == 1 ? "." : parent.isEmpty ? "/" : parent
        let names = FileDescriptor.names(in: directory).filter { isDatabase(directory + "/" + $0) }.sorted()
        guard let name = parts.last, let near = NearestName.find(near: String(name), of: names) else { return nil }
        return "did you mean \((parts.dropLast().map(String.init) + [near]).joined(separator: "/"))?"
    }

    private static func isDatabase(_ path: String) -> Bool { FileDescriptor.exists(path + "/CURRENT") }

    private static func quoted(in message: String) -> String? {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        return parts.count > 2 ? String(parts[1]).replacing(ProtectedArgument.mark, with: "") : nil
    }
}
