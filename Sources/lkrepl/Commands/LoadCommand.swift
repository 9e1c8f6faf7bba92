import ArgumentParser
import DocIndex
import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Takes a dump back.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Load a dump into a database, or into a new one.",
        discussion: """
            Example: lkrepl load --create copy.store photos.lkd.jsonl
            With --create the database appears when all of it is there and checked, or not at all. Without it, a dump
            in a file is checked as a whole before anything is written. Records replace those with the same key or id.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The dump, or - for standard input.") var file: String
    @Flag(name: .long, help: "Make a new database.") var create = false

    func run() throws {
        let file = try ArgumentOrigin.current.text(of: file)
        if create {
            try loadIntoNew(file)
        } else {
            try options.requireWrite("load")
            try loadIntoExisting(file)
        }
    }

    // MARK: - A new database

    private func loadIntoNew(_ file: String) throws {
        guard !database.isEmpty else {
            throw CommandFailure(.usage, "the path of the database is empty", hint: "give the path of a directory")
        }
        var database = database
        while database.count > 1, database.hasSuffix("/") { database.removeLast() }
        let parent =
            database.lastIndex(of: "/").map { $0 == database.startIndex ? "/" : String(database[..<$0]) } ?? "."
        guard FileDescriptor.isDirectory(parent) else {
            throw CommandFailure(.cannotCreate, "there is no directory \(parent)", hint: "make it first")
        }
        guard !FileDescriptor.exists(database) else {
            throw CommandFailure(
                .cannotCreate, "\(database) exists already", hint: "choose another path, or leave out --create")
        }
        let partial = "\(database).loading-\(getpid())"
        do {
            let count = try withReader(file) { reader, progress in
                try Loader(path: partial, creates: true).run(&reader, progress)
            }
            guard unsafe rename(partial, database) == 0 else {
                throw CommandFailure.system(SystemError(number: errno), "cannot rename \(partial) to \(database)")
            }
            options.note("load: \(count) records in \(database)")
        } catch {
            FileDescriptor.removeDatabase(partial)
            throw error
        }
    }

    // MARK: - A database that is there

    private func loadIntoExisting(_ file: String) throws {
        if file != "-", !FileDescriptor.isSpecial(file) {
            // Nothing is written of a dump that is not whole. A pipe can be read once only.
            _ = try withReader(file) { reader, progress in
                while try reader.next() != nil { progress.advance(done: reader.byteCount) }
                return 0
            }
        }
        let count = try Session.with(database) { session in
            try withReader(file) { reader, progress in
                try Loader(session: session).run(&reader, progress)
            }
        }
        options.note("load: \(count) records in \(database)")
    }

    private func withReader(
        _ file: String, _ body: (inout DumpReader, ProgressReporter) throws -> Int
    ) throws -> Int {
        let descriptor = try FileDescriptor.openForReading(file)
        defer { if file != "-" { try? descriptor.closeFile() } }
        var reader = DumpReader(descriptor: descriptor, name: file == "-" ? "standard input" : file)
        let progress = try options.reporter("load", unit: .bytes)
        defer { progress.finish() }
        return try body(&reader, progress)
    }
}

/// Writes the records of a dump in batches.
private final class Loader {
    private let path: String
    private let creates: Bool
    private var session: Session?
    private var database: Database?
    private var store: DocumentStore?

    private var documents: [(collection: String, content: DocumentObject)] = []
    private let batch = WriteBatch()
    private var pendingByteCount = 0

    private static let batchCount = 1000
    private static let batchByteCount = 4 << 20

    init(path: String, creates: Bool) {
        self.path = path
        self.creates = creates
    }

    convenience init(session: Session) {
        self.init(path: session.path, creates: false)
        self.session = session
        database = session.database
    }

    func run(_ reader: inout DumpReader, _ progress: ProgressReporter) throws -> Int {
        do {
            var seen = 0
            while let record = try reader.next() {
                try take(record, byteCount: reader.byteCount - seen, reader)
                seen = reader.byteCount
                progress.advance(done: reader.byteCount)
            }
            try writePending(durability: .synced)
            try checkCount(reader)
            if creates { try database?.close() }
        } catch {
            if creates { try? database?.close() }
            throw error
        }
        return reader.recordCount
    }

    /// A new database holds as many records as the dump, unless a key or an id stood there twice.
    private func checkCount(_ reader: borrowing DumpReader) throws {
        guard creates, let database else { return }
        let count = try store?.collections.reduce(0) { try $0 + $1.count() } ?? database.count()
        guard count == reader.recordCount else {
            throw reader.fault("the dump has \(reader.recordCount) records and only \(count) different keys or ids")
        }
    }

    private func take(_ record: DumpRecord, byteCount: Int, _ reader: borrowing DumpReader) throws {
        switch record {
        case .header(let content): try begin(content, reader)
        case .schema(let schema): try adopt(schema, reader)
        case .document(let collection, let id, let content):
            guard let store else { throw reader.fault("a document stands before the schema") }
            guard let field = try? store.collection(collection).definition.idField else {
                throw reader.fault("there is no collection \(collection)")
            }
            guard content[field].flatMap(DocumentID.init) == id else {
                throw reader.fault("the document's member \(field) is not the id of its record")
            }
            documents.append((collection, content))
            pendingByteCount += byteCount
        case .pair(let key, let value):
            try batch.put(value, forKey: key)
            pendingByteCount += byteCount
        case .mark, .end: break
        }
        if documents.count + batch.count >= Self.batchCount || pendingByteCount >= Self.batchByteCount {
            try writePending()
        }
    }

    private func begin(_ content: DumpRecord.Content, _ reader: borrowing DumpReader) throws {
        if creates {
            var options = DocumentStore.Options().database
            options.errorIfExists = true
            database = try Database.open(at: path, options: options)
            return
        }
        let isStore = try session?.isDocumentStore() ?? false
        guard isStore == (content == .documents) else {
            throw reader.fault(
                isStore
                    ? "the dump holds raw pairs, and \(path) is a document store"
                    : "the dump holds documents, and \(path) is no document store")
        }
        store = isStore ? try session?.store() : nil
    }

    private func adopt(_ schema: Schema, _ reader: borrowing DumpReader) throws {
        if creates, let database {
            store = try DocumentStore.open(on: database, schema: schema)
            return
        }
        // A store that is there keeps its own schema; it must know every collection of the dump.
        for collection in schema.collections {
            guard let own = try? store?.collection(collection.name).definition, own.idField == collection.idField else {
                throw reader.fault(
                    "the store has no collection \(collection.name) with its ids in \(collection.idField)")
            }
        }
    }

    private func writePending(durability: Durability = .buffered) throws {
        if let store, !documents.isEmpty {
            try store.write(durability: durability) { transaction in
                for (collection, content) in documents { try transaction.put(content, in: collection) }
            }
        }
        if let database, batch.count > 0 { try database.write(batch, durability: durability) }
        documents = []
        batch.removeAll()
        pendingByteCount = 0
    }
}
