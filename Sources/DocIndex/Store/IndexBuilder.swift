internal import LevelKit

/// Builds indexes over existing documents, and deletes indexes that are no longer declared, in small slices.
///
/// A slice holds the writer's lock for a few milliseconds. It commits the entries of some documents together with the
/// last row that they cover. From then on, writers update the index for documents up to that row, so no document is
/// counted twice or left out. An interrupted build resumes at that row.
struct IndexBuilder {
    let database: Database
    let state: WriterState

    /// A document that an index cannot store.
    struct BuildError: Error {
        let index: UInt32
        let error: DocIndexError
    }

    /// The number of documents in one slice.
    static let sliceDocumentCount = 256
    /// The approximate number of operations in one slice.
    private static let sliceOperationCount = 8192

    /// Adds the entries of the next documents to indexes. Must be called with the writer's lock.
    ///
    /// - Returns: The last row that the indexes now cover; `nil` if they are complete.
    /// - Throws: ``BuildError`` for a document that an index cannot store. Nothing is written in that case.
    func buildSlice(
        of entries: [Catalog.IndexEntry], in collection: LoadedCollection, catalog: LoadedCatalog
    ) throws -> UInt64? {
        let progress = try entries.map { try state.progress(of: $0.number, in: database) }
        // Indexes that started at different times are built together once they have reached the same row.
        guard let start = progress.min() else { return nil }
        let indexes = zip(entries, progress).filter { $0.1 == start }.map(\.0.index)
        let limit = progress.filter { $0 > start }.min()
        var changes = IndexChanges(batch: WriteBatch())
        let prefix = StoreKey.documents.prefix(collection.number)
        var range = KeyRange.prefix(prefix)
        range.lower = .excluded(StoreKey.document(collection.number, row: start))
        var cursor = try database.cursor(in: range, cache: .bypass)
        var last = start
        var count = 0
        var isAtEnd = true
        while try cursor.advance() {
            guard let row = StoreKey.row(in: cursor.key, at: prefix.count) else {
                throw DocIndexError(
                    .corruption, "the collection \(collection.name) contains an unreadable key; restore a backup")
            }
            if let limit, row > limit {
                last = limit
                isAtEnd = false
                break
            }
            if count >= Self.sliceDocumentCount || changes.batch.count >= Self.sliceOperationCount {
                isAtEnd = false
                break
            }
            let document = try RowReader.document(record: cursor.value, row: row, collection: collection)
            for index in indexes {
                do {
                    try changes.update(
                        [index], of: document.id, old: nil, new: document.content, row: row,
                        collection: collection.name)
                } catch let error as DocIndexError where error.isOfIndexEntries {
                    throw BuildError(index: index.number, error: error)
                }
            }
            last = row
            count += 1
        }
        if isAtEnd { last = limit ?? .max }
        try changes.finish(catalog, reading: database, isUniqueEnforced: false)
        var record: [UInt8] = []
        Varint.append(last, to: &record)
        let built = indexes.map(\.number)
        for number in built { try changes.batch.put(record, forKey: StoreKey.progress.prefix(number)) }
        let texts = try state.texts.apply(changes.texts, of: catalog, database: database, to: changes.batch)
        do {
            try state.texts.write(texts) { try database.write(changes.batch) }
        } catch {
            state.forget()
            throw error
        }
        state.didBuild(built, upTo: last)
        state.texts.maintain(after: texts)
        if last == .max { state.texts.settle(catalog) }
        return last == .max ? nil : last
    }

    /// Deletes some keys of a dropped index.
    ///
    /// - Returns: Whether there may be more keys.
    func deleteSlice(of index: Catalog.DroppedIndex) throws -> Bool {
        let prefixes =
            switch index.kind {
            case .value, .geo, .vector:
                [StoreKey.values.prefix(index.number), StoreKey.valueCounts.prefix(index.number)]
            case .text: [StoreKey.text.prefix(index.number)]
            }
        for prefix in prefixes + [StoreKey.progress.prefix(index.number)] {
            if try deleteKeys(.prefix(prefix)) { return true }
        }
        return false
    }

    /// Deletes the first keys of a range.
    ///
    /// - Returns: Whether there were any.
    private func deleteKeys(_ range: KeyRange) throws -> Bool {
        let batch = WriteBatch()
        var cursor = try database.cursor(in: range, cache: .bypass)
        while batch.count < Self.sliceOperationCount, try cursor.advance() { try batch.delete(cursor.key) }
        try database.write(batch)
        return batch.count > 0
    }
}
