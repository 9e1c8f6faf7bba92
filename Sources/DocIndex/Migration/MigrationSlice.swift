internal import LevelKit

/// The documents that a migration changes in one commit.
struct MigrationSlice {
    let migration: Migration
    let database: Database
    /// The new content of each document that changes; `nil` for one to delete.
    private(set) var changes: [(id: DocumentID, content: DocumentObject?)] = []
    /// The progress record after this slice.
    private(set) var record: [UInt8] = []

    private static let documentCount = 256

    init(migration: Migration, database: Database) {
        self.migration = migration
        self.database = database
    }

    static func record(row: UInt64, lastRow: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(row, to: &bytes)
        Varint.append(lastRow, to: &bytes)
        return bytes
    }

    /// Returns the progress of a migration that has begun.
    static func progress(of migration: Migration, in database: Database) throws -> (row: UInt64, lastRow: UInt64) {
        guard let bytes = try database.value(forKey: StoreKey.migrationProgress(migration.name)),
            let progress = Varint.readAll(bytes), progress.count == 2
        else {
            throw DocIndexError(
                .corruption,
                "the progress record of the migration \(migration.name) is unreadable; restore a checkpoint")
        }
        return (progress[0], progress[1])
    }

    /// Transforms the next documents.
    mutating func run(in collection: LoadedCollection) throws -> Migration.Progress {
        let progress = try Self.progress(of: migration, in: database)
        let lastRow = progress.lastRow
        var row = progress.row
        let prefix = StoreKey.documents.prefix(collection.number)
        var range = KeyRange.prefix(prefix)
        range.lower = .excluded(StoreKey.document(collection.number, row: row))
        range.upper = .included(StoreKey.document(collection.number, row: lastRow))
        var cursor = try database.cursor(in: range, cache: .bypass)
        var count = 0
        var isAtEnd = true
        while try cursor.advance() {
            if count >= Self.documentCount {
                isAtEnd = false
                break
            }
            guard let next = StoreKey.row(in: cursor.key, at: prefix.count) else {
                throw DocIndexError(
                    .corruption, "the collection \(collection.name) holds a key that cannot be read; restore a backup")
            }
            row = next
            count += 1
            try transform(
                try RowReader.document(record: cursor.value, row: row, collection: collection), in: collection)
        }
        if isAtEnd { row = lastRow }
        record = Self.record(row: row, lastRow: lastRow)
        return Migration.Progress(name: migration.name, row: row, lastRow: lastRow)
    }

    private mutating func transform(_ document: Document, in collection: LoadedCollection) throws {
        guard let new = try migration.transform(document.content) else {
            guard migration.deletesDocuments else {
                throw failure(document, "would delete it, but does not declare that it deletes documents")
            }
            changes.append((document.id, nil))
            return
        }
        if new == document.content { return }
        guard try Transaction.id(of: new, in: collection) == document.id else {
            throw failure(document, "would give it another id")
        }
        if let lost = DataLossCheck(drops: migration.drops).lostPath(from: document.content, to: new) {
            throw failure(document, "would lose \(lost), but does not declare it in drops")
        }
        guard try migration.transform(new) == new else {
            throw failure(document, "would change it a second time; make it idempotent")
        }
        changes.append((document.id, new))
    }

    private func failure(_ document: Document, _ what: String) -> DocIndexError {
        DocIndexError(
            .migrationFailed,
            "the migration \(migration.name) \(what), at the document \(document.id); it stopped there")
    }
}
