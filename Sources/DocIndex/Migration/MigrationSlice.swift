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

    /// The progress of a migration.
    struct Position: Sendable, Hashable {
        /// The last row that was processed.
        var row: UInt64
        /// The last row when the migration began.
        var lastRow: UInt64
        /// The sum of the references to attachments that the processed documents had and must keep.
        var before: UInt64 = 0
        /// The sum of those that they kept.
        var after: UInt64 = 0

        /// The progress record.
        var encoded: [UInt8] {
            var bytes: [UInt8] = []
            for number in [row, lastRow, before, after] { Varint.append(number, to: &bytes) }
            return bytes
        }
    }

    /// Returns the progress of a migration that has begun.
    static func position(of migration: Migration, in database: Database) throws -> Position {
        guard let bytes = try database.value(forKey: StoreKey.migrationProgress(migration.name)),
            let numbers = Varint.readAll(bytes), [2, 4].contains(numbers.count)
        else {
            throw DocIndexError(
                .corruption,
                "the progress record of the migration \(migration.name) is unreadable; restore a checkpoint")
        }
        // Earlier versions wrote no sums.
        guard numbers.count == 4 else { return Position(row: numbers[0], lastRow: numbers[1]) }
        return Position(row: numbers[0], lastRow: numbers[1], before: numbers[2], after: numbers[3])
    }

    /// Transforms the next documents.
    mutating func run(in collection: LoadedCollection) throws -> Migration.Progress {
        var position = try Self.position(of: migration, in: database)
        let lastRow = position.lastRow
        var row = position.row
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
                    .corruption, "the collection \(collection.name) contains an unreadable key; restore a backup")
            }
            row = next
            count += 1
            try transform(
                try RowReader.document(record: cursor.value, row: row, collection: collection), in: collection,
                &position)
        }
        if isAtEnd { row = lastRow }
        position.row = row
        record = position.encoded
        return Migration.Progress(name: migration.name, row: row, lastRow: lastRow)
    }

    private mutating func transform(
        _ document: Document, in collection: LoadedCollection, _ position: inout Position
    ) throws {
        guard let new = try migration.transform(document.content) else {
            guard migration.deletesDocuments else {
                throw failure(document, "would delete the document; return it, or declare deletesDocuments")
            }
            try checkReferences(of: document, to: nil, &position)
            changes.append((document.id, nil))
            return
        }
        try checkReferences(of: document, to: new, &position)
        if new == document.content { return }
        guard try Transaction.id(of: new, in: collection) == document.id else {
            throw failure(document, "would change the document's ID; keep the ID")
        }
        if let lost = DataLossCheck(drops: migration.drops + migration.dropsAttachments)
            .lostPath(from: document.content, to: new)
        {
            throw failure(document, "would lose \(lost); keep it, or declare it in drops")
        }
        guard try migration.transform(new) == new else {
            throw failure(document, "would change its own result again; make it idempotent")
        }
        changes.append((document.id, new))
    }

    /// Throws if a document would lose references to attachments; otherwise adds them to the sums.
    private func checkReferences(
        of document: Document, to new: DocumentObject?, _ position: inout Position
    ) throws {
        let references = AttachmentLossCheck(drops: migration.dropsAttachments).run(from: document.content, to: new)
        if let (path, attachment) = references.lost {
            let name = attachment.name.map { "\($0), " } ?? ""
            throw failure(
                document,
                "would lose the attachment \(path) (\(name)\(attachment.digest)); "
                    + "keep it, or declare it in dropsAttachments")
        }
        position.before &+= references.before
        position.after &+= references.after
    }

    private func failure(_ document: Document, _ what: String) -> DocIndexError {
        DocIndexError(
            .migrationFailed,
            "the migration \(migration.name) stopped at the document \(document.id): it \(what)")
    }
}
