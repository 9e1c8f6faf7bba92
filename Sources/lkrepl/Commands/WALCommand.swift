import ArgumentParser
import DocIndex
import LevelFiles

/// Inspects write-ahead logs.
struct WALCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wal", abstract: "List the write-ahead logs, or the operations in one.",
        discussion: """
            Example: lkrepl wal app.db
            Reads only files: nothing is opened, locked or changed, and another process may be writing. Exit code 65 \
            if a log is damaged; an incomplete last write is not damage.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @Argument(help: "The database, or the path of a log.") var database: String
    @Argument(help: "The name or number of a log.") var file: String?
    @Flag(name: .long, help: "Omit values.") var noValues = false

    func run() throws {
        try InspectedFiles.requireNoPackage(database)
        let writer = try EntryWriter(options, view: try view.view(ofDatabaseAt: database), hasValues: !noValues)
        var faults: [FileError] = []
        if file == nil, !FileDescriptor.isDirectory(database), FileDescriptor.exists(database) {
            try show(try WriteLog(at: database), writer, &faults)
        } else {
            let inspected = try InspectedFiles(at: database)
            if let file {
                let found = try inspected.file(file, "log") { if case .log = $0 { true } else { false } }
                try show(try WriteLog(at: inspected.files.path(of: found.name)), writer, &faults)
            } else {
                for file in inspected.files.files {
                    guard case .log = file.kind else { continue }
                    try summarize(file, inspected, writer, &faults)
                }
            }
        }
        try writer.finish()
        for fault in faults.dropLast() { StandardError.shared.write("\(VisibleText.singleLine(fault.description))\n") }
        if let last = faults.last { throw last }
    }

    private func next(_ log: inout WriteLog) throws -> WriteLog.Item? {
        try Interruption.check()
        return try log.next()
    }

    private func show(_ log: WriteLog, _ writer: EntryWriter, _ faults: inout [FileError]) throws {
        var log = log
        while let item = try next(&log) {
            switch item {
            case .damage(let fault, _): faults.append(fault)
            case .batch(let batch, let endOffset):
                for operation in batch.operations {
                    try writer.write(
                        operation.key, value: operation.value,
                        ["batch": .int(Int64(clamping: batch.sequence)), "end": .int(Int64(clamping: endOffset))])
                }
            }
        }
    }

    private func summarize(
        _ file: DatabaseFiles.File, _ inspected: InspectedFiles, _ writer: EntryWriter, _ faults: inout [FileError]
    ) throws {
        var log: WriteLog
        do throws(FileError) {
            log = try WriteLog(at: inspected.files.path(of: file.name))
        } catch {
            // The writing process has switched to another log.
            guard error.kind != .missing else { return }
            throw error
        }
        var row = DocumentObject()
        inspected.append(file, to: &row)
        var (batches, operations, damage) = (0, 0, 0)
        var sequences: ClosedRange<UInt64>?
        while let item = try next(&log) {
            switch item {
            case .damage(let fault, _):
                damage += 1
                // Obsolete logs are never read again.
                if inspected.files.use(of: file).use != .obsolete { faults.append(fault) }
            case .batch(let batch, _):
                batches += 1
                operations += batch.operations.count
                guard let first = batch.operations.first, let last = batch.operations.last else { continue }
                sequences =
                    min(
                        sequences?.lowerBound ?? .max, first.key.sequence)...max(
                        sequences?.upperBound ?? 0, last.key.sequence)
            }
        }
        row["batches"] = .int(Int64(batches))
        row["operations"] = .int(Int64(operations))
        if let sequences {
            row["firstSeq"] = .int(Int64(clamping: sequences.lowerBound))
            row["lastSeq"] = .int(Int64(clamping: sequences.upperBound))
        }
        if log.byteCount > log.endOffset, damage == 0 {
            row["unfinishedBytes"] = .int(Int64(clamping: log.byteCount - log.endOffset))
        }
        if damage > 0 { row["damages"] = .int(Int64(damage)) }
        try writer.write(row)
    }
}
