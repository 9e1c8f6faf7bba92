/// Why the segments of a text index could not be written or merged.
public struct TextIndexFailure: Sendable, Hashable {
    /// The collection.
    public let collection: String
    /// The index.
    public let index: String
    /// What went wrong.
    public let reason: String
}

extension DocumentStore {
    /// Writes the words that are still in memory as segments, and makes one segment of all in each text index.
    ///
    /// Not needed for right answers, nor for good ones: flushes and merges go along with commits. After a large load it
    /// makes the index as small and as fast as it gets. Other writers wait; readers do not.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`; `LevelError`.
    /// - Complexity: O(*n*) in the text indexes.
    public func optimizeTextIndexes() throws {
        try withWriter { _ in try texts.compact(catalog: currentCatalog, database: database, merges: true) }
    }

    /// Writes the words that are still in memory as segments.
    ///
    /// The next opening is faster for it: it need not read the documents that are not in segments yet.
    ///
    /// - Throws: as ``optimizeTextIndexes()``.
    public func flushTextIndexes() throws {
        try withWriter { _ in try texts.compact(catalog: currentCatalog, database: database, merges: false) }
    }

    /// Text indexes whose segments could not be written or merged along with a commit. Empty if all is well.
    ///
    /// The commit itself was stored, and the index answers; but its pending documents stay in memory and become more. It is
    /// not tried again until the store is opened anew, or until ``flushTextIndexes()`` or ``optimizeTextIndexes()``
    /// succeed, which throw what goes wrong. ``verify(_:)`` reports it as well. A damaged index is made anew by
    /// ``rebuildIndex(_:of:_:)``.
    public var textIndexFailures: [TextIndexFailure] {
        let failures = texts.maintenanceFailures
        if failures.isEmpty { return [] }
        return currentCatalog.collections.flatMap { collection in
            collection.indexes.compactMap { entry in
                failures[entry.number].map {
                    TextIndexFailure(collection: collection.name, index: entry.definition.name, reason: $0)
                }
            }
        }
    }
}
