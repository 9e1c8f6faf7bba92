import ArgumentParser
import DocIndex
import LevelFiles

/// Shows the versions of a key that still exist on disk.
struct VersionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions",
        abstract: "Print every version of a key that is still on disk, including deleted ones.",
        discussion: """
            Example: lkrepl versions app.db user/1
            The newest version is first; each has its sequence number and the file that contains it, and current marks \
            the one that a read returns. Overwritten and deleted values stay on disk until a compaction drops them, \
            and opening the database may start one. versions reads only files and starts none, even while another \
            process has the database open. Exit code 1 if there is no version.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The key.") var key: String

    func run() throws {
        try InspectedFiles.requireNoPackage(database)
        let view = try view.view(ofDatabaseAt: database)
        let key = try view.key(of: ProtectedArgument.plain(key))
        let history = try InspectedFiles.history(of: key, at: database)
        let writer = try EntryWriter(options, view: view)
        for version in history.versions {
            var others: DocumentObject = [
                "file": .string(version.file), "use": .string(version.use.rawValue),
                "current": .bool(version.isCurrent),
            ]
            if let level = version.level { others["level"] = .int(Int64(level)) }
            try writer.write(
                InternalKey(userKey: key, sequence: version.sequence, kind: version.kind), value: version.value, others)
        }
        if !history.versions.isEmpty { try writer.finish() }
        for fault in history.faults.dropLast() {
            StandardError.shared.write("\(VisibleText.singleLine(fault.description))\n")
        }
        if let fault = history.faults.last { throw fault }
        if history.versions.isEmpty {
            throw CommandError(.no, "no version of the key \(ByteNotation.print(key)) is on disk")
        }
    }
}
