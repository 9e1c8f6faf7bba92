import DocIndex
import LevelKit

/// Creates a document store when its schema is read, which follows the header of the dump.
final class NewStoreTarget: LoadTarget {
    private let mode: LoadMode
    private let open: () throws -> Database
    /// Where attachments are found that the input does not contain; `nil` for nowhere.
    private let contents: ContentOrigin?
    private var store: DocumentStore?
    private var target: DocumentLoadTarget?
    /// The collections of the dump that are replicated.
    private var replicated: [String] = []

    /// - Parameter open: Creates the database.
    init(mode: LoadMode, contents: ContentOrigin? = nil, _ open: @escaping () throws -> Database) {
        self.mode = mode
        self.contents = contents
        self.open = open
    }

    func begin(_ header: DumpHeader) throws {
        guard header.changes == nil else {
            throw RecordError(
                .format, "the dump contains only changes since commit \(header.changes?.since ?? 0)",
                hint: "load the full dump first, then this one with --write", isRecoverable: false)
        }
        replicated = header.revisions ?? []
    }

    func adopt(_ schema: Schema) throws {
        let database = try open()
        let store = try DocumentStore.open(on: database, schema: schema)
        for name in replicated { try store.collection(name).startReplication() }
        self.store = store
        let target = DocumentLoadTarget(store, on: database, path: store.path, mode: mode, markerName: nil)
        target.contents = contents
        self.target = target
    }

    func add(_ part: ContentPart) throws {
        guard let target else { throw RecordError(.format, "an attachment precedes the schema").final }
        try target.add(part)
    }

    func lose(_ digest: Attachment.Digest, _ fault: RecordError) { target?.lose(digest, fault) }

    func removeSuperfluousContents() throws -> Int { try target?.removeSuperfluousContents() ?? 0 }

    func clear(_ step: (Int) throws -> Void) throws -> Int { 0 }

    func store(_ batch: LoadBatch) throws -> LoadOutcome {
        guard let target else {
            if batch.items.isEmpty { return LoadOutcome() }
            throw RecordError(.format, "a document precedes the schema").final
        }
        return try target.store(batch)
    }

    /// An interrupted load leaves no store, and thus no marker.
    var resumesInserts: Bool { true }
    func marker() throws -> ResumePoint? { nil }
    func synchronize() throws {
        // Otherwise the next opening would have to read pending changes of text indexes again.
        try store?.flushTextIndexes()
        try target?.synchronize()
    }
    func count() throws -> Int? { try target?.count() ?? 0 }
}
