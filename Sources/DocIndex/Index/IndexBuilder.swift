internal import LevelKit

/// Builds indexes over documents that are there already, and deletes those that are no longer declared.
struct IndexBuilder {
    let database: Database

    /// Operations in one batch.
    private static let batchCount = 4096

    /// Deletes every key of an index.
    func deleteEntries(of index: Catalog.DroppedIndex) throws {
        switch index.kind {
        case .value, .geo:
            try deleteKeys(StoreKeyspace.values.prefix(index.number))
            try deleteKeys(StoreKeyspace.valueCounts.prefix(index.number))
        case .text: try deleteKeys(StoreKeyspace.text.prefix(index.number))
        }
    }

    /// Puts the entries of every document into indexes that hold none, or part of them from a build that was killed.
    ///
    /// A build that is run again puts the same entries under the same keys; what it left of documents that were changed
    /// since cannot exist, because an index that is not ready keeps the store from being written.
    func build(_ entries: [Catalog.IndexEntry], of collection: Catalog.CollectionEntry) throws {
        let indexes = entries.map(\.index)
        let batch = WriteBatch()
        var statistics: [UInt32: IndexStatistics] = [:]
        var cursor = try database.cursor(
            in: .prefix(StoreKeyspace.documents.prefix(collection.number)), reverse: false, fillsCache: false)
        let prefixCount = StoreKeyspace.documents.prefix(collection.number).count
        while try cursor.advance() {
            guard let row = StoreKeyspace.row(in: cursor.key, at: prefixCount) else {
                throw DocIndexError(
                    .corruption, "the collection \(collection.name) holds a key that cannot be read; restore a backup")
            }
            let document = try RowReader.document(body: cursor.value.copied(), row: row, collection: collection)
            for index in indexes {
                do {
                    try index.forEachEntry(of: document.content, row: row) { try batch.put($1, forKey: $0) }
                } catch is IndexTuples.LimitError {
                    throw IndexChanges.tooManyEntries(
                        document.id, index: index.definition.name, collection: collection.name)
                }
                statistics[index.number, default: IndexStatistics()] += index.statistics(of: document.content)
            }
            if batch.count >= Self.batchCount { try write(batch) }
        }
        for case let index as TextIndex in indexes {
            let sum = statistics[index.number] ?? IndexStatistics()
            try batch.put(TextIndex.encoded(sum), forKey: StoreKeyspace.textStatistics(index.number))
        }
        try write(batch)
        for case let index as ValueIndex in indexes where index.definition.countsValues {
            try IndexCounters(index: index).rebuild(in: database)
        }
    }

    private func deleteKeys(_ prefix: [UInt8]) throws {
        let batch = WriteBatch()
        var cursor = try database.cursor(in: .prefix(prefix), reverse: false, fillsCache: false)
        while try cursor.advance() {
            try batch.delete(cursor.key.copied())
            if batch.count >= Self.batchCount { try write(batch) }
        }
        try write(batch)
    }

    private func write(_ batch: WriteBatch) throws {
        try database.write(batch)
        batch.removeAll()
    }
}
