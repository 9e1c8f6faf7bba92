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
    /// Writes pending words as segments, and merges the segments of each text index into one.
    ///
    /// Searches do not depend on it, because segments are flushed and merged along with commits. After a large load, it
    /// makes the index as small and as fast as possible. Other writers wait; readers do not.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`; `LevelError`.
    /// - Complexity: O(*n*) in the size of the text indexes.
    public func optimizeTextIndexes() throws {
        try withWriter { _ in try texts.compact(loadedCatalog, database: database, merges: true) }
    }

    /// Writes pending words as segments.
    ///
    /// This speeds up the next open, which otherwise reads the documents that are not in segments yet.
    ///
    /// - Throws: the errors of ``optimizeTextIndexes()``.
    public func flushTextIndexes() throws {
        try withWriter { _ in try texts.compact(loadedCatalog, database: database, merges: false) }
    }

    /// Text indexes whose segments could not be written or merged along with a commit. Empty if there were no failures.
    ///
    /// The commit itself was stored, and the index still answers, but its pending documents accumulate in memory. There
    /// is no retry until the store is reopened, or until ``flushTextIndexes()`` or ``optimizeTextIndexes()`` succeeds;
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
