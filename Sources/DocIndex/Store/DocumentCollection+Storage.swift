internal import LevelKit

/// Where a document is stored, for code that shows the layout of a store.
extension DocumentCollection {
    /// The keys of a document.
    package struct Storage: Sendable {
        /// An entry of an index.
        package struct Entry: Sendable {
            /// The name of the index.
            package let index: String
            package let key: [UInt8]
            /// Whether the entry is stored. It is not while the index is being built.
            package let isStored: Bool
        }

        /// The row.
        package let row: UInt64
        /// The size of the stored document in bytes.
        package let byteCount: Int
        /// The key of the document.
        package let documentKey: [UInt8]
        /// The key of its ID.
        package let idKey: [UInt8]
        /// The key of its last change in the feed.
        package let changeKey: [UInt8]
        /// The entries of indexes, by index. A text index has only the entry that leads to the words of the document.
        package fileprivate(set) var entries: [Entry] = []
        /// Whether there are more entries.
        package fileprivate(set) var hasMore = false
    }

    /// Returns the keys of a document; `nil` if there is none with that ID.
    ///
    /// - Parameter entryLimit: the maximum number of entries of each index.
    /// - Complexity: One lookup for each entry.
    package func storage(of id: DocumentID, entryLimit: Int) throws -> Storage? {
        let rows = try reader()
        guard let row = try rows.row(of: id) else { return nil }
        let document = try rows.document(row)
        let key = StoreKey.document(number, row: row)
        var storage = Storage(
            row: row, byteCount: try rows.snapshot.value(forKey: key)?.count ?? 0, documentKey: key,
            idKey: StoreKey.id(number, id), changeKey: StoreKey.change(document.sequence, collection: number, row: row))
        for entry in rows.collection.indexes where !entry.isRetiring {
            let keys = try Self.keys(of: document, row, in: entry, limit: entryLimit)
            try storage.add(keys, of: entry, in: rows.snapshot, limit: entryLimit)
        }
        return storage
    }

    /// Returns the document in a stored record, which may be of an earlier version.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`.
    package func document(inRecord record: [UInt8], row: UInt64) throws -> Document {
        try RowReader.document(record: record.span, row: row, collection: try reader().collection)
    }

    private struct EnoughEntries: Error {}

    /// Returns the keys of a document's entries, one more than `limit` if there are more.
    private static func keys(
        of document: Document, _ row: UInt64, in entry: Catalog.IndexEntry, limit: Int
    ) throws -> [[UInt8]] {
        if entry.definition.kind == .text { return [TextIndexKey.slots.key(entry.number, row)] }
        var keys: [[UInt8]] = []
        do {
            try entry.index.forEachEntry(of: document.content, row: row) { key, _ in
                keys.append(key)
                if keys.count > limit { throw EnoughEntries() }
            }
        } catch is EnoughEntries {
        } catch is IndexTuples.LimitError {} catch is VectorField.Failure {}
        return keys
    }
}

extension DocumentCollection.Storage {
    fileprivate mutating func add(
        _ keys: [[UInt8]], of entry: Catalog.IndexEntry, in snapshot: Snapshot, limit: Int
    ) throws {
        if keys.count > limit { hasMore = true }
        for key in keys.prefix(limit) {
            entries.append(
                Entry(index: entry.definition.name, key: key, isStored: try snapshot.value(forKey: key) != nil))
        }
    }
}
