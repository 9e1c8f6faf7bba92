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
}
