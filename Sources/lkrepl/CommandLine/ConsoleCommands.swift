import ArgumentParser

/// Which commands the console of the inspector runs, and why it refuses the others.
///
/// The console reads one store. No command may write, read or write other files, open another database, or wait for input.
/// A test checks that every command and every option is on one of these lists.
enum ConsoleCommands {
    /// The commands that read the store.
    static let reading: Set<String> = [
        "collections", "describe", "stats", "schema", "indexes", "explain", "find", "search", "suggest", "complete",
        "similar", "near", "nearest", "count", "doc get", "attach list", "attach verify", "renditions list",
        "facets", "distinct", "timeline", "duplicates", "album list", "album show", "history", "commits", "conflicts",
        "index check", "digest", "verify",
        "get", "mget", "scan", "keys", "values", "first", "last", "seek", "tree", "bigkeys", "approx-size", "levels",
        "sst", "wal", "manifest", "versions", "properties",
    ]

    /// The other commands, with the reason.
    static let refused: [String: String] = [
        "import": writes, "update": writes, "delete": writes, "doc put": writes, "doc patch": writes,
        "doc del": writes, "doc apply": writes, "attach add": writes, "attach restore": writes, "attach gc": writes,
        "renditions make": writes, "renditions drop": writes, "album save": writes,
        "album add": writes, "album remove": writes, "album move": writes, "album drop": writes, "undo": writes,
        "resolve": writes, "load": writes, "put": writes, "del": writes, "delrange": writes, "batch": writes,
        "index create": writes, "index drop": writes, "index rebuild": writes, "migrate": writes, "repair": writes,
        "compact": writes, "destroy": writes, "init": "It creates a database.",
        "attach get": "It prints a file; the page of the document links it.",
        "export": "It prints whole collections; a table links the export of what it shows.",
        "dump": "It prints the whole store.", "snapshot": "It creates a directory.",
        "pack": "It writes a file.", "unpack": writes,
        "diff": "It reads another database.", "sync": "It connects to another store.", "serve": "It starts a server.",
        "keyfmt": "It changes the configuration of the user.", "generate": "It is for those who install the program.",
    ]

    private static let writes = "It changes the store."

    /// The commands of the shell itself, with the reason; `help` is possible.
    static let refusedMeta: [MetaCommand: String] = [
        .quit: "The console has no end.", .mode: "Add --mode to a command.", .once: "It writes a file.",
        .output: "It writes a file.", .pager: "The console has no pager.", .timer: "The page shows the time.",
        .last: "Run the command again.", .read: "It reads a file.", .write: writes,
        .open: "It opens another database.", .refresh: "Each command reads the newest state.",
        .edit: "It starts a program.", .history: "The browser keeps it.", .show: "The console has no settings.",
    ]

    /// The options of ``reading`` commands that select what is read, or how it is shown.
    static let options: Set<String> = [
        "--all", "--at", "--before", "--after", "--blocks", "--box", "--by", "--bytes", "--candidates", "--count",
        "--deep", "--delim", "--depth", "--edits", "--exact", "--exists", "--explain", "--fields", "--filter-json",
        "--from", "--gaps", "--full", "--highlight", "--histogram", "--id", "--ids", "--index", "--infer", "--invert",
        "--json",
        "--json-schema", "--keyfmt",
        "--keys", "--limit", "--location", "--match", "--missing", "--mode", "--no-scan", "--no-values", "--null", "-0",
        "--offset",
        "--param", "--plan", "--prefix", "--props", "--quiet", "-q", "--raw", "--regex", "--reverse", "--sample",
        "--score", "--sizes", "--snapshot", "--skip", "--sort", "--strict", "--tables", "--terms", "--to", "--top",
        "--types", "--upto", "--vector", "--verbose", "-v", "--where", "--wide", "--within",
    ]

    /// Their other options, with the reason.
    static let refusedOptions: [String: String] = [
        "--write": writes, "--yes": "The console never asks for confirmation.",
        "-y": "The console never asks for confirmation.",
        "--no-input": "The console never asks for confirmation.", "--untrusted": "Start lkrepl serve with it.",
        "--no-pager": "The console has no pager.", "--wait": "The console never waits for other processes.",
        "--progress": "The console shows no progress.", "--color": "The console has no colors.",
        "--vector-file": "It reads a file.", "--no-color": "The console has no colors.",
        "--error-format": "The response has the exit code.",
    ]

    /// Throws unless the console runs a command.
    ///
    /// - Parameter words: The name of the command and its arguments, in their raw spelling.
    /// - Throws: ``CommandError`` with the reason.
    static func check(_ words: [String]) throws {
        let path = CommandCatalog.type(words.prefix(2)) == nil ? words.prefix(1) : words.prefix(2)
        let name = path.joined(separator: " ")
        if let reason = refused[name] { throw refusal(name, reason) }
        // Without its subcommand, a command prints its help.
        let isGroup = CommandCatalog.type(path)?.configuration.subcommands.isEmpty == false
        guard reading.contains(name) || isGroup else {
            throw CommandError(.usage, "unknown command \(name)", hint: "help lists the commands")
        }
        for word in words.dropFirst(path.count) {
            let option = String(word.prefix { $0 != "=" })
            if let reason = refusedOptions[option] { throw refusal(option, reason) }
        }
    }

    static func refusal(_ name: String, _ reason: String) -> CommandError {
        CommandError(.noPermission, "\(name) is not possible in the console", hint: reason)
    }
}
