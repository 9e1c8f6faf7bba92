import ArgumentParser
import DocIndex
import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Writes everything a database holds as text that proves itself.
struct DumpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump", abstract: "Write all content as JSON Lines that load takes back.",
        discussion: """
            Example: lkrepl dump photos.store -o photos.lkd.jsonl
            The same content gives the same bytes. A dump that was cut or changed is refused by load. Indexes are not
            written; load builds them anew.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String
    @Option(name: .shortAndLong, help: "The file; standard output if not given.") var output: String?

    func run() throws {
        try Session.with(database) { session in
            let progress = try options.reporter("dump", unit: .items("records"))
            guard let file = try output.map({ try ArgumentOrigin.current.text(of: $0) }), file != "-" else {
                let count = try dump(session, to: StandardOutput(), progress: progress)
                progress.finish()
                return options.note("dump: \(count) records")
            }
            guard !file.isEmpty, !FileDescriptor.isDirectory(file) else {
                throw CommandFailure(
                    .cannotCreate, "cannot write to \(file): it is no file", hint: "name a file with -o")
            }
            if FileDescriptor.isSpecial(file) {
                let descriptor = try FileDescriptor.openForWriting(file, isNew: false)
                let count = try dump(
                    session, to: StandardOutput(descriptor: descriptor, name: file), progress: progress)
                progress.finish()
                return options.note("dump: \(count) records")
            }
            let count = try dump(session, toFile: FileDescriptor.resolvingLinks(file), progress: progress)
            progress.finish()
            options.note("dump: \(count) records in \(file)")
        }
    }

    /// A dump under its own name is a whole one: it is renamed only when it is on the disk.
    private func dump(_ session: Session, toFile file: String, progress: ProgressReporter) throws -> Int {
        let partial = "\(file).partial-\(getpid())"
        let writer = StandardOutput(descriptor: try FileDescriptor.openForWriting(partial, isNew: true), name: partial)
        do {
            let count = try dump(session, to: writer, progress: progress)
            try writer.synchronize()
            try writer.close()
            guard unsafe rename(partial, file) == 0 else {
                throw CommandFailure.system(SystemError(number: errno), "cannot rename \(partial) to \(file)")
            }
            return count
        } catch {
            unsafe unlink(partial)
            throw error
        }
    }

    private func dump(_ session: Session, to output: StandardOutput, progress: ProgressReporter) throws -> Int {
        var writer = DumpWriter(output)
        if try session.isDocumentStore() {
            try dumpDocuments(try session.store(), to: &writer, progress: progress)
        } else {
            try writer.write(.header(.raw))
            var cursor = try session.database.cursor(in: .all, reverse: false, fillsCache: false)
            while try cursor.advance() {
                try writer.write(.pair(key: cursor.key.copied(), value: cursor.value.copied()))
                progress.advance(done: writer.recordCount)
            }
        }
        try writer.finish()
        return writer.recordCount
    }

    /// Collections in the order of their names, documents in the order of their ids.
    private func dumpDocuments(_ store: DocumentStore, to writer: inout DumpWriter, progress: ProgressReporter) throws {
        try writer.write(.header(.documents))
        try writer.write(.schema(store.schema))
        let view = try store.snapshot()
        let total = try view.collections.reduce(0) { try $0 + $1.count() }
        for collection in view.collections.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            try collection.forEach { document in
                try writer.write(
                    .document(collection: collection.name, id: document.id, content: document.content))
                progress.advance(done: writer.recordCount, total: total)
            }
        }
    }
}
