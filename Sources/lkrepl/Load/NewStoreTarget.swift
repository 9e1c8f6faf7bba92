import DocIndex
import LevelKit

/// Makes a document store when its schema is known, which comes behind the header of a dump.
final class NewStoreTarget: LoadTarget {
    private let mode: LoadMode
    private let open: () throws -> Database
    private var store: DocumentStore?
    private var target: DocumentLoadTarget?

    /// - Parameter open: makes the database.
    init(mode: LoadMode, _ open: @escaping () throws -> Database) {
        self.mode = mode
        self.open = open
    }

    func begin(_ header: DumpHeader) throws {
        guard header.changes == nil else {
            throw RecordFault(
                .format, "the dump holds changes since commit \(header.changes?.since ?? 0), and not a whole store",
                hint: "load the whole dump first, then this one with --write", isRecoverable: false)
        }
    }

    func adopt(_ schema: Schema) throws {
        let database = try open()
        let store = try DocumentStore.open(on: database, schema: schema)
        self.store = store
        target = DocumentLoadTarget(store, on: database, path: store.path, mode: mode, markerName: nil)
    }

    func clear(_ step: (Int) throws -> Void) throws -> Int { 0 }

    func store(_ batch: LoadBatch) throws -> LoadOutcome {
        guard let target else {
            if batch.items.isEmpty { return LoadOutcome() }
            throw RecordFault(.format, "a document stands before the schema").final
        }
        return try target.store(batch)
    }

    /// What is interrupted leaves no store, and so no marker.
    var resumesInserts: Bool { true }
    func marker() throws -> LoadMarker? { nil }
    func synchronize() throws {
        // What is pending of a text index would be read again by the next opening.
        try store?.flushTextIndexes()
        try target?.synchronize()
    }
    func count() throws -> Int? { try target?.count() ?? 0 }
}
