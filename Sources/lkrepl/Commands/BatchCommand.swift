import ArgumentParser
import DocIndex
import LevelKit

/// Applies puts and deletions from a file.
struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch", abstract: "Apply puts and deletions from a file of JSON lines.",
        discussion: """
            Example: lkrepl batch --write app.db ops.jsonl
            A line is {"op":"put","k":"user/2","v":"Bo"} or {"op":"del","k":"user/9"}. k and v are strings; k64 and \
            v64 hold bytes in base64. All operations are written atomically if they fit in --batch-bytes. A larger file \
            is written in batches of that size; an error leaves the batches before it in the database.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The file, or - for standard input.") var file: String
    @Option(name: .long, help: "Write at most this many bytes at once, such as 16M.") var batchBytes =
        ByteCountArgument(
            64 << 20)
    @Flag(name: [.customShort("n"), .long], help: "Check the file, and change nothing.") var dryRun = false

    func validate() throws {
        guard (1...1 << 30).contains(batchBytes.value) else {
            throw ValidationError("--batch-bytes must be from 1 to 1G")
        }
    }

    func run() throws {
        if !dryRun { try options.requireWrite("batch") }
        let file = try ArgumentOrigin.current.text(of: file)
        let descriptor = try FileDescriptor.openForReading(file)
        defer { if file != "-" { try? descriptor.closeFile() } }
        try Session.with(database, options) { session in
            if !dryRun { try RawArgument.refuseDocumentStore(session, "batch") }
            var reader = LineReader(descriptor: descriptor)
            let name = file == "-" ? "standard input" : file
            let batch = WriteBatch()
            var counts = (puts: 0, deletions: 0)
            while let line = try RawArgument.nextLine(&reader, of: name) {
                try Interruption.check(HumanNumber.counted(counts.puts + counts.deletions, "operation"))
                guard !line.bytes.isEmpty else { continue }
                do {
                    switch try BatchOperation(line: line.bytes) {
                    case .put(let key, let value):
                        try batch.put(value, forKey: key)
                        counts.puts += 1
                    case .delete(let key):
                        try batch.delete(key)
                        counts.deletions += 1
                    }
                } catch {
                    throw CommandError(error).within("\(name):\(line.number)")
                }
                if batch.byteCount >= batchBytes.value {
                    if !dryRun { try session.database.write(batch) }
                    batch.removeAll()
                }
            }
            if !dryRun { try session.database.write(batch) }
            options.note(
                "batch: \(dryRun ? "would apply" : "applied") \(HumanNumber.counted(counts.puts, "put")) and "
                    + HumanNumber.counted(counts.deletions, "deletion"))
        }
    }
}
