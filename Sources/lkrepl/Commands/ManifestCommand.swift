import ArgumentParser
import DocIndex
import LevelFiles

/// Prints the manifest.
struct ManifestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manifest", abstract: "Print the state in the manifest, or every edit.",
        discussion: """
            Example: lkrepl manifest app.db --edits
            Reads only files: nothing is opened, locked or changed, and another process may be writing. levels \
            --tables lists the tables.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The name or number of a manifest. Default: the current one.") var file: String?
    @Flag(name: .long, help: "List every edit, oldest first.") var edits = false

    func run() throws {
        let path = try manifestPath()
        let writer = try EntryWriter(options, view: try view.view(ofDatabaseAt: database))
        var fault: FileError?
        if edits {
            var edits = try ManifestEdits(at: path)
            while let item = try edits.next() {
                switch item {
                case .edit(let edit, let endOffset): try write(edit, endOffset, writer)
                case .damage(let damage): fault = fault ?? damage
                }
            }
        } else {
            let manifest = try ManifestFile(at: path)
            try write(manifest, writer)
            fault = manifest.faults.first
        }
        try writer.finish()
        if let fault { throw fault }
    }

    private func manifestPath() throws -> String {
        let inspected = try InspectedFiles(at: database)
        guard let file else {
            if let manifest = inspected.files.manifest { return inspected.files.path(of: manifest.name) }
            throw Diagnosis.findings(in: inspected.files).first.map { CommandError($0) }
                ?? CommandError(.badData, "\(database) has no manifest")
        }
        let found = try inspected.file(file, "manifest") { if case .manifest = $0 { true } else { false } }
        return inspected.files.path(of: found.name)
    }

    private func write(_ manifest: ManifestFile, _ writer: EntryWriter) throws {
        let version = manifest.version
        let rows: [(String, DocumentValue?)] = [
            ("file", .string(manifest.name)), ("edits", .int(Int64(manifest.editCount))),
            ("comparator", version.comparatorName.map { .string($0) }),
            ("log number", version.logNumber.map { .int(Int64(clamping: $0)) }),
            ("previous log number", version.previousLogNumber.map { .int(Int64(clamping: $0)) }),
            ("next file number", version.nextFileNumber.map { .int(Int64(clamping: $0)) }),
            ("last sequence", version.lastSequence.map { .int(Int64(clamping: $0)) }),
            ("tables", .int(Int64(version.tables.count))),
            ("bytes in tables", .int(version.tables.reduce(Int64(0)) { $0 &+ Int64(clamping: $1.byteCount) })),
        ]
        for (what, value) in rows {
            guard let value else { continue }
            try writer.write(["what": .string(what), "value": value])
        }
    }

    private func write(_ edit: VersionEdit, _ endOffset: UInt64, _ writer: EntryWriter) throws {
        var row: DocumentObject = ["end": .int(Int64(clamping: endOffset))]
        if let name = edit.comparatorName { row["comparator"] = .string(name) }
        for (name, number) in [
            ("log", edit.logNumber), ("previousLog", edit.previousLogNumber), ("nextFile", edit.nextFileNumber),
            ("lastSeq", edit.lastSequence),
        ] {
            if let number { row[name] = .int(Int64(clamping: number)) }
        }
        if !edit.deletedTables.isEmpty {
            row["deleted"] = .array(
                edit.deletedTables.map { .string("\($0.level):\(EngineFileName.table(named: $0.number))") })
        }
        if !edit.newTables.isEmpty {
            row["added"] = .array(
                edit.newTables.map { .string("\($0.level):\(EngineFileName.table(named: $0.number)) \($0.byteCount)") })
        }
        try writer.write(row)
    }
}
