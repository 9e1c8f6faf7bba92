extension DocumentStore {
    /// A failure to write or merge the segments of a text index.
    public struct TextIndexProblem: Sendable, Hashable {
        /// The collection.
        public let collection: String
        /// The index.
        public let index: String
        /// The error message.
        public let reason: String
    }
}

extension DocumentStore {
    /// Writes pending words as segments, and merges the segments of each text index into one. An index that consists
    /// mostly of former versions of documents is rebuilt first.
    ///
    /// Searches do not depend on this call, because segments are flushed and merged along with commits. After a large
    /// load, the call makes the index as small and as fast as possible. After many updates, a rebuild frees the 2 bytes
    /// on disk and 5 bytes in memory that each update takes in a text index. Other writers wait for a merge, but not
    /// for a rebuild; readers do not wait.
    ///
    /// - Parameter progress: called between slices of a rebuild. If it throws, the index stays as it was.
    /// - Throws: ``DocIndexError`` with `corruption`; `LevelError`; what `progress` throws.
    /// - Complexity: O(*n*) in the size of the text indexes; for a rebuild, in the documents of the collection.
    public func optimizeTextIndexes(_ progress: (DocumentStore.BuildProgress) throws -> Void = { _ in }) throws {
        try rebuildSparseTextIndexes(progress)
        try compactTextIndexes(merges: true)
    }

    /// Writes pending words as segments.
    ///
    /// This speeds up the next open, which otherwise reads the documents that are not in segments yet.
    ///
    /// - Throws: the errors of ``optimizeTextIndexes(_:)``.
    public func flushTextIndexes() throws { try compactTextIndexes(merges: false) }

    private func compactTextIndexes(merges: Bool) throws {
        try withWriter { _ in
            try noteOtherStemmers()
            try texts.compact(loadedCatalog, database: database, merges: merges)
        }
    }

    /// Rebuilds the text indexes that consist mostly of former versions of documents. If a rebuild fails or is
    /// interrupted, the index stays as it was.
    ///
    /// - Parameter progress: called between slices.
    /// - Throws: the errors of ``optimizeTextIndexes(_:)``.
    package func rebuildSparseTextIndexes(_ progress: (DocumentStore.BuildProgress) throws -> Void) throws {
        let sparse = try withWriter { _ in
            let ready = currentCatalog.collections.flatMap(\.indexes).filter { $0.isReady && !$0.isRetiring }
            let sparse = try texts.sparseIndexes(loadedCatalog, database: database)
                .intersection(ready.map(\.number))
            if sparse.isEmpty { return sparse }
            var catalog = currentCatalog
            for position in catalog.collections.indices {
                try catalog.replaceIndexes(ofCollectionAt: position) { sparse.contains($0.number) }
            }
            try save(catalog)
            return sparse
        }
        if sparse.isEmpty { return }
        do {
            try finishSchemaChange(progress)
        } catch {
            try? withWriter { _ in
                var catalog = currentCatalog
                catalog.keepIndexes(sparse)
                try save(catalog)
            }
            throw error
        }
    }

    /// Text indexes whose segments could not be written or merged along with a commit. Empty if there were no failures.
    ///
    /// The commit itself was stored, and the index still answers, but its pending documents accumulate in memory. There
    /// is no retry until the store is reopened, or until ``flushTextIndexes()`` or ``optimizeTextIndexes(_:)`` succeeds;
    /// both throw the underlying error. ``verify(attachments:problemLimit:_:)`` reports the failure, too.
    /// ``rebuildIndex(_:of:_:)`` rebuilds a damaged index.
    public var textIndexFailures: [DocumentStore.TextIndexProblem] {
        let failures = texts.maintenanceFailures
        if failures.isEmpty { return [] }
        return currentCatalog.collections.flatMap { collection in
            collection.indexes.compactMap { entry in
                failures[entry.number].map {
                    DocumentStore.TextIndexProblem(
                        collection: collection.name, index: entry.definition.name, reason: $0)
                }
            }
        }
    }
}
