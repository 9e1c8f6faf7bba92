import ArgumentParser
import DocIndex
import LevelFiles

/// Shows the versions of a key that are still on disk.
struct VersionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "Print every version of a key that is still on disk, deleted ones included.",
        discussion: """
            Example: lkrepl versions app.db user/1
            The newest first, with the number of the write and the file that holds it; current is what a read returns. What \
            LevelDB has overwritten or deleted stays until a compaction drops it, which any opening of the database may begin: \
            versions reads files alone and begins none, also where another process has the database open. Exit code 1 if \
            there is none.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The key.") var key: String

    func run() throws {
        let view = try view.view(ofDatabaseAt: database)
        let key = try view.key(of: Invocation.plain(key))
        let history = try history(of: key)
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
        try writer.finish()
        for fault in history.faults.dropLast() {
            StandardError.shared.write("\(VisibleText.singleLine(fault.description))\n")
        }
        if let fault = history.faults.last { throw CommandFailure(fault) }
        if history.versions.isEmpty { throw CommandFailure.silent(.no) }
    }

    /// The history; begins again where a process that writes has taken a file away meanwhile.
    private func history(of key: [UInt8]) throws -> KeyHistory {
        for _ in 0..<5 {
            let history = KeyHistory(of: key, in: try InspectedFiles(at: database).files)
            guard history.faults.contains(where: { $0.kind == .missing }) else { return history }
        }
        throw CommandFailure(
            .temporaryFailure, "the files of \(database) change faster than they can be read", hint: "try again")
    }
}
