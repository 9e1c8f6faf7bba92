import ArgumentParser
import DocIndex
import LevelKit

/// Prints LevelDB's properties.
struct PropertiesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "properties",
        abstract: "Print LevelDB's own properties. Exit code 1 for an unknown property.",
        discussion: """
            Example: lkrepl properties app.db leveldb.approximate-memory-usage
            levels, stats and manifest present most of this better; these properties are for people who know LevelDB.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The name, such as leveldb.stats. Default: all.") var name: String?

    func run() throws {
        try Session.with(database, options) { session in
            if let name {
                let name = try ArgumentOrigin.current.text(of: name)
                guard let value = try session.database.property(name) else {
                    throw CommandError(
                        .no, "LevelDB has no property \(name)", hint: "properties without a name prints all")
                }
                let output = StandardOutput()
                // Some properties contain user keys.
                for line in value.split(separator: "\n") {
                    try output.write(VisibleText.singleLine(String(line)) + "\n")
                }
                return try output.flush()
            }
            let writer = try options.writer()
            let names =
                (0..<7).map { "leveldb.num-files-at-level\($0)" }
                + ["leveldb.approximate-memory-usage", "leveldb.stats", "leveldb.sstables"]
            for name in names {
                guard let text = try session.database.property(name) else { continue }
                let value: DocumentValue = Int64(text).map { .int($0) } ?? .string(text)
                try writer.write(["property": .string(name), "value": value])
            }
            try writer.finish()
        }
    }
}
