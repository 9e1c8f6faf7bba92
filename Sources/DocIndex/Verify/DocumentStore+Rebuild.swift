internal import LevelKit

extension DocumentStore {
    /// The result of a rebuild.
    public struct RebuildReport: Sendable, Hashable {
        /// The number of documents that were read.
        public internal(set) var documentCount = 0
        /// The number of records of IDs, counters, changes, field names and attachments that were missing, wrong or
        /// left over, and have been corrected.
        public internal(set) var repairCount = 0
        /// Documents whose ID also belongs to a newer document, by collection and row. They have received a new ID: the
        /// old one, followed by ` recovered from row ` and the row number.
        public internal(set) var shadowedRows: [String] = []
        /// Unreadable documents, by collection and row. Their bytes are kept under their original keys with
        /// the prefix `Q`, which nothing else uses.
        public internal(set) var unreadableRows: [String] = []
        /// Documents for which the change feed records a newer version that is no longer stored, by collection and row.
        /// They are kept as they are.
        public internal(set) var outdatedRows: [String] = []
        /// Documents that existed although they had been deleted later, by collection and row. They have been deleted
        /// again.
        public internal(set) var returnedRows: [String] = []
        /// The number of keys that belonged to no collection and no index. Index entries are removed; other keys are
        /// set aside like ``unreadableRows``.
        public internal(set) var unknownKeyCount = 0
        /// The attachments that documents refer to, and whose content is stored nowhere. The references stay, and
        /// adding the content again makes them readable.
        public internal(set) var lostAttachments: [Attachment.Digest] = []
    }
}

extension DocumentStore {
    /// Rebuilds an index. The existing index remains in use until the new one is complete.
    ///
    /// - Parameters:
    ///   - name: the name of the index.
    ///   - collection: the name of its collection.
    ///   - progress: called between slices. If it throws, the work stops and can be continued with
    ///     ``finishSchemaChange(_:)``.
    /// - Throws: ``DocIndexError``: `unknownCollection`, `unknownIndex`.
    /// - Complexity: O(*n*) in the documents of the collection.
    public func rebuildIndex(
        _ name: String, of collection: String, _ progress: (DocumentStore.BuildProgress) throws -> Void = { _ in }
    ) throws {
        try withWriter { _ in
            var catalog = currentCatalog
            guard let position = catalog.collections.firstIndex(where: { $0.name.hasSameBytes(as: collection) }) else {
                throw DocIndexError(.unknownCollection, "no collection named \(collection)")
            }
            let known = catalog.collections[position].indexes.contains {
                !$0.isRetiring && $0.definition.name.hasSameBytes(as: name)
            }
            guard known else { throw DocIndexError(.unknownIndex, "\(collection) has no index \(name)") }
            try catalog.replaceIndexes(ofCollectionAt: position) { $0.definition.name.hasSameBytes(as: name) }
            try save(catalog)
        }
        try finishSchemaChange(progress)
    }

    /// Rebuilds everything that is derived from documents: IDs, counters, the change feed, the records of attachments,
    /// and all indexes. Use it if ``verify(attachments:problemLimit:_:)`` reports that a store is inconsistent, for
    /// example because a repair has lost parts of it or because LevelDB has restored old versions of keys.
    ///
    /// Writers wait while IDs, counters and the feed are corrected. Deleted documents stay deleted, or are deleted
    /// again. If the record of a deletion itself is damaged, the feed does not report the deletion. If interrupted, a
    /// rebuild can be run again.
    ///
    /// The contents of attachments are never deleted. An attachment whose record is lost gets a new one if its bytes
    /// have the digest by which a document refers to it, or if it is in the database.
    ///
    /// - Parameter progress: called while indexes are built. If it throws, the work stops and can be continued with
    ///   ``finishSchemaChange(_:)``.
    /// - Throws: `LevelError` if the storage itself is damaged.
    /// - Complexity: O(*n*) in everything that is stored; memory only for the IDs of documents that are listed twice.
    @discardableResult
    public func rebuild(_ progress: (DocumentStore.BuildProgress) throws -> Void = { _ in }) throws
        -> DocumentStore.RebuildReport
    {
        let report = try withMaintenance {
            // No attachment is added during the rebuild.
            try contentGate.withLock {
                try withWriter { state in
                    defer { state.forget() }
                    return try documents.whileWriting(nil) { try rebuildRecords() }
                }
            }
        }
        try finishSchemaChange(progress)
        return report
    }

    private func rebuildRecords() throws -> DocumentStore.RebuildReport {
        var rebuilder = try Rebuilder(database: database, catalog: loadedCatalog, files: files)
        try rebuilder.run()
        var catalog = currentCatalog
        catalog.hasAttachments = rebuilder.hasAttachments
        for position in catalog.collections.indices {
            try catalog.replaceIndexes(ofCollectionAt: position) { _ in true }
        }
        try save(catalog)
        return rebuilder.report
    }
}

extension Catalog.IndexEntry {
    /// Whether this index, which is not ready, is to replace another one.
    fileprivate func isSuccessor(of other: Catalog.IndexEntry) -> Bool {
        !isReady && !isRetiring && definition.name.hasSameBytes(as: other.definition.name)
    }
}

extension Catalog {
    /// Declares indexes again with new numbers. The existing ones remain in use until then, unless they were
    /// incomplete.
    mutating func replaceIndexes(
        ofCollectionAt position: Int, where isReplaced: (IndexEntry) -> Bool
    ) throws {
        var indexes: [IndexEntry] = []
        var retiring: [IndexEntry] = []
        for var entry in collections[position].indexes {
            if entry.isRetiring || !isReplaced(entry) {
                if entry.isRetiring { retiring.append(entry) } else { indexes.append(entry) }
                continue
            }
            indexes.append(IndexEntry(number: try takeIndexNumber(), definition: entry.definition, isReady: false))
            if entry.isReady {
                entry.isRetiring = true
                retiring.append(entry)
            } else {
                dropped.append(DroppedIndex(number: entry.number, kind: entry.definition.kind))
            }
        }
        collections[position].indexes = indexes + retiring
    }

    /// Withdraws the replacement of indexes that are still in use: they stay, and their successors are dropped.
    mutating func keepIndexes(_ numbers: Set<UInt32>) {
        for position in collections.indices {
            let indexes = collections[position].indexes
            let kept = indexes.filter { $0.isRetiring && numbers.contains($0.number) }
            for var entry in kept {
                guard let successor = indexes.first(where: { $0.isSuccessor(of: entry) }) else { continue }
                entry.isRetiring = false
                dropped.append(DroppedIndex(number: successor.number, kind: successor.definition.kind))
                collections[position].indexes.removeAll { $0.number == entry.number }
                for index in collections[position].indexes.indices
                where collections[position].indexes[index].number == successor.number {
                    collections[position].indexes[index] = entry
                }
            }
        }
    }

    private mutating func takeIndexNumber() throws -> UInt32 { try Self.take(&nextIndex) }
}
