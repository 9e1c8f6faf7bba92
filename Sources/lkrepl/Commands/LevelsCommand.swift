import ArgumentParser
import DocIndex
import LevelFiles

/// Shows the tables of each level.
struct LevelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "levels", abstract: "List the levels, or every table with its key range.",
        discussion: """
            Example: lkrepl levels app.db --tables
            Reads only the manifest: nothing is opened, locked or changed, and another process may be writing.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @Argument(help: "The database.") var database: String
    @Flag(name: .long, help: "List every table.") var tables = false

    func run() throws {
        let inspected = try InspectedFiles(at: database)
        guard let version = inspected.files.manifest?.version else {
            throw Diagnosis.findings(in: inspected.files).first.map { CommandError($0) }
                ?? CommandError(.badData, "\(database) has no manifest")
        }
        let writer = try EntryWriter(options, view: try view.view(ofDatabaseAt: database))
        for level in 0..<VersionEdit.levelCount {
            let members = version.tables.filter { $0.level == level }
            if tables {
                for table in members {
                    var row: DocumentObject = [
                        "level": .int(Int64(level)),
                        "file": .string(
                            inspected.files.tableFile(table.number)?.name ?? EngineFileName.table(named: table.number)),
                        "bytes": .int(Int64(clamping: table.byteCount)),
                    ]
                    writer.append(table.smallest.userKey, "smallest", "smallest", to: &row)
                    writer.append(table.largest.userKey, "largest", "largest", to: &row)
                    try writer.write(row)
                }
            } else if !members.isEmpty {
                var row: DocumentObject = [
                    "level": .int(Int64(level)), "tables": .int(Int64(members.count)),
                    "bytes": .int(members.reduce(Int64(0)) { $0 &+ Int64(clamping: $1.byteCount) }),
                ]
                // With an unknown key order, the smallest key of several tables cannot be determined.
                if version.isBytewise {
                    let smallest = members.map(\.smallest.userKey).min { $0.lexicographicallyPrecedes($1) } ?? []
                    let largest = members.map(\.largest.userKey).max { $0.lexicographicallyPrecedes($1) } ?? []
                    writer.append(smallest, "smallest", "smallest", to: &row)
                    writer.append(largest, "largest", "largest", to: &row)
                }
                try writer.write(row)
            }
        }
        try writer.finish()
    }
}
