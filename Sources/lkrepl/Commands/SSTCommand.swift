import ArgumentParser
import DocIndex
import LevelFiles

/// Inspects table files.
struct SSTCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sst", abstract: "List the table files, or inspect one.",
        discussion: """
            Example: lkrepl sst app.db
            Reads only files: nothing is opened, locked or changed, and another process may be writing. Without a \
            file, lists all tables on disk, including obsolete ones that LevelDB has not deleted yet.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @Argument(help: "The database, or the path of a table file.") var database: String
    @Argument(help: "The name or number of a table.") var file: String?
    @Flag(name: .long, help: "List every entry, including old versions and tombstones.") var keys = false
    @Flag(name: .long, help: "List every data block.") var blocks = false
    @Flag(name: .long, help: "Show counts and sizes; the default for a single table.") var props = false
    @Flag(name: .long, help: "With --keys, omit values.") var noValues = false

    func validate() throws {
        guard [keys, blocks, props].count(where: { $0 }) <= 1 else {
            throw ValidationError("--keys, --blocks and --props cannot be combined")
        }
    }

    func run() throws {
        try InspectedFiles.requireNoPackage(database)
        if file == nil, !FileDescriptor.isDirectory(database), FileDescriptor.exists(database) {
            return try show(try Table(at: database))
        }
        let inspected = try InspectedFiles(at: database)
        guard let file else { return try list(inspected) }
        let found = try inspected.file(file, "table") { if case .table = $0 { true } else { false } }
        try show(try Table(at: inspected.files.path(of: found.name)))
    }

    private func list(_ inspected: InspectedFiles) throws {
        guard !keys, !blocks, !props else {
            throw CommandError(
                .usage, "--keys, --blocks and --props need a table", hint: "specify it after the database")
        }
        let writer = try EntryWriter(options, view: try view.view(ofDatabaseAt: database))
        let tables = inspected.files.manifest?.version.tables ?? []
        for file in inspected.files.files {
            guard case .table(let number) = file.kind else { continue }
            var row = DocumentObject()
            inspected.append(file, to: &row)
            if let table = tables.first(where: { $0.number == number }) {
                writer.append(table.smallest.userKey, "smallest", "smallest", to: &row)
                writer.append(table.largest.userKey, "largest", "largest", to: &row)
            }
            try writer.write(row)
        }
        try writer.finish()
    }

    private func show(_ table: Table) throws {
        let writer = try EntryWriter(options, view: try view.view(ofDatabaseAt: database), hasValues: !noValues)
        do {
            if keys {
                try showKeys(of: table, writer)
            } else if blocks {
                try showBlocks(of: table, writer)
            } else {
                try showProperties(of: table, writer)
            }
        } catch let fault as FileError {
            try writer.finish()
            throw fault
        }
        try writer.finish()
    }

    private func showKeys(of table: Table, _ writer: EntryWriter) throws {
        for block in try table.index() {
            var entries: [Table.Entry] = []
            try table.forEachEntry(inBlockAt: block.handle) { entry throws(FileError) in entries.append(entry) }
            for entry in entries { try writer.write(entry.key, value: entry.value) }
        }
    }

    private func showBlocks(of table: Table, _ writer: EntryWriter) throws {
        for entry in try table.index() {
            try Interruption.check()
            let block = try table.block(at: entry.handle)
            var count = 0
            var first: [UInt8] = []
            try table.forEachEntry(inBlockAt: entry.handle) { entry throws(FileError) in
                if count == 0 { first = entry.key.userKey }
                count += 1
            }
            var row: DocumentObject = [
                "offset": .int(Int64(clamping: entry.handle.offset)),
                "stored": .int(Int64(clamping: entry.handle.byteCount)), "unpacked": .int(Int64(block.bytes.count)),
                "compression": .string(block.compression.name), "entries": .int(Int64(count)),
            ]
            writer.append(first, "first", "first", to: &row)
            try writer.write(row)
        }
    }

    private func showProperties(of table: Table, _ writer: EntryWriter) throws {
        let summary = try TableSummary(table)
        var row: DocumentObject = [
            "file": .string(table.name), "bytes": .int(Int64(clamping: table.byteCount)),
            "entries": .int(Int64(clamping: summary.entryCount)),
            "deletions": .int(Int64(clamping: summary.deletionCount)),
            "keyBytes": .int(Int64(clamping: summary.keyByteCount)),
            "valueBytes": .int(Int64(clamping: summary.valueByteCount)),
            "blocks": .int(Int64(summary.dataBlockCount)),
            "storedBytes": .int(Int64(clamping: summary.storedByteCount)),
            "unpackedBytes": .int(Int64(clamping: summary.unpackedByteCount)),
            "compression": .string(summary.compressions.map(\.name).joined(separator: ", ")),
            "indexBytes": .int(Int64(clamping: summary.indexByteCount)),
        ]
        for filter in summary.filters {
            row["filter"] = .string(VisibleText.singleLine(filter.name))
            row["filterBytes"] = .int(Int64(clamping: filter.byteCount))
        }
        if let sequences = summary.sequences {
            row["firstSeq"] = .int(Int64(clamping: sequences.lowerBound))
            row["lastSeq"] = .int(Int64(clamping: sequences.upperBound))
        }
        if let key = summary.firstKey { writer.append(key, "smallest", "smallest", to: &row) }
        if let key = summary.lastKey { writer.append(key, "largest", "largest", to: &row) }
        try writer.write(row)
    }
}
