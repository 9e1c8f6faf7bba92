/// The purposes by which help groups the commands.
///
/// A new command must be added to one of them; a test checks that.
enum CommandGroup: String, CaseIterable, Sendable {
    case look = "Look around"
    case find = "Find documents"
    case change = "Change documents and indexes"
    case move = "Move data in and out"
    case maintain = "Maintain a database"
    case keys = "Keys of a plain database"
    case files = "Files on disk"
    case program = "This program"

    /// The commands of the group in the order of help. The name of a command stands for all of its subcommands that
    /// are not named elsewhere.
    var commands: [String] {
        switch self {
        case .look: ["collections", "describe", "stats", "schema", "indexes", "explain"]
        case .find:
            [
                "find", "search", "suggest", "complete", "similar", "near", "nearest", "count", "doc get",
                "attach list", "attach get", "facets", "distinct", "timeline", "duplicates", "album",
            ]
        case .change:
            [
                "update", "delete", "doc", "attach", "history", "commits", "undo", "conflicts", "resolve", "index",
                "migrate",
            ]
        case .move:
            ["import", "export", "dump", "load", "pack", "unpack", "snapshot", "diff", "digest", "sync", "serve"]
        case .maintain: ["init", "verify", "attach verify", "attach gc", "renditions", "repair", "compact", "destroy"]
        case .keys:
            [
                "get", "mget", "put", "del", "delrange", "batch", "scan", "keys", "values", "first", "last", "seek",
                "tree", "bigkeys", "approx-size", "keyfmt",
            ]
        case .files: ["levels", "sst", "wal", "manifest", "versions", "properties"]
        case .program: ["generate"]
        }
    }

    /// The group of a command by its name, such as `doc get`; `nil` if it has none.
    static func of(_ name: String) -> CommandGroup? {
        if let group = allCases.first(where: { $0.commands.contains(name) }) { return group }
        guard let space = name.firstIndex(of: " ") else { return nil }
        return of(String(name[..<space]))
    }

    /// The commands of a catalog by group, in the order of help. Commands without a group come last.
    static func grouped(_ catalog: CommandCatalog) -> [(title: String, commands: [CommandCatalog.Command])] {
        let leaves = catalog.leaves
        var groups: [(title: String, commands: [CommandCatalog.Command])] = allCases.map { group in
            let members = leaves.filter { of($0.name) == group }
            let names = group.commands
            func rank(_ command: CommandCatalog.Command) -> Int {
                names.firstIndex(of: command.name) ?? names.firstIndex(of: command.words[0]) ?? names.count
            }
            let sorted = members.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
            return (group.rawValue, sorted.map(\.element))
        }
        let others = leaves.filter { of($0.name) == nil }
        if !others.isEmpty { groups.append(("Other commands", others)) }
        return groups
    }
}
