internal import LevelKit

/// What a rebuild found and did.
public struct RebuildReport: Sendable, Hashable {
    /// Documents that were read.
    public internal(set) var documentCount = 0
    /// Records of ids, counters, changes and names of members that were missing, wrong or left over, and are right now.
    public internal(set) var repairCount = 0
    /// Documents whose id a newer one has; collection and row. They have an id of their own now: the old one, followed by
    /// ` recovered from row ` and the number.
    public internal(set) var shadowedRows: [String] = []
    /// Documents that cannot be read; collection and row. Their bytes are set aside under the key `Q`, followed by the
    /// key that they had, where nothing touches them.
    public internal(set) var unreadableRows: [String] = []
    /// Documents of which the feed knows a newer version that is not stored any more; collection and row. They are kept as
    /// they are.
    public internal(set) var outdatedRows: [String] = []
    /// Documents that were there although they had been deleted later; collection and row. They are deleted again.
    public internal(set) var returnedRows: [String] = []
    /// Keys that belonged to no collection and no index. Entries of indexes are removed, others are set aside as
    /// ``unreadableRows`` are.
    public internal(set) var unknownKeyCount = 0
}

extension DocumentStore {
    /// Builds an index anew, beside the one there is, which answers until the new one is complete.
    ///
    /// - Parameter progress: called between slices; what it throws ends the work for now, and
    ///   ``finishSchemaChange(_:)`` goes on.
    /// - Throws: ``DocIndexError``: `unknownCollection`, `unknownIndex`.
    /// - Complexity: O(*n*) in the documents of the collection.
    public func rebuildIndex(
        _ name: String, of collection: String, _ progress: (BuildProgress) throws -> Void = { _ in }
    ) throws {
        try withWriter { _ in
            var catalog = currentCatalog
            guard let position = catalog.collections.firstIndex(where: { $0.name.hasSameBytes(as: collection) }) else {
                throw DocIndexError(.unknownCollection, "there is no collection \(collection)")
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

    /// Makes everything that follows from the documents anew: ids, counters, the feed, all indexes. For a store of which
    /// ``verify(_:)`` says that it contradicts itself, such as one of which a repair has lost parts, or to which LevelDB has
    /// brought old versions of keys back.
    ///
    /// Writers wait while ids, counters and feed are put right. What was deleted stays deleted, or is deleted again; where the record of a
    /// deletion itself is damaged, followers of the feed do not hear of it. Interrupted, it may be run again.
    ///
    /// - Parameter progress: called while indexes are built; what it throws ends the work for now, and
    ///   ``finishSchemaChange(_:)`` goes on.
    /// - Throws: `LevelError` where the storage itself is damaged.
    /// - Complexity: O(*n*) in everything that is stored; memory for the ids of documents that are listed twice only.
    @discardableResult
    public func rebuild(_ progress: (BuildProgress) throws -> Void = { _ in }) throws -> RebuildReport {
        let report = try withMaintenance {
            try withWriter { state in
                defer { state.forget() }
                var rebuilder = Rebuilder(database: database, catalog: currentCatalog)
                try rebuilder.run()
                var catalog = currentCatalog
                for position in catalog.collections.indices {
                    try catalog.replaceIndexes(ofCollectionAt: position) { _ in true }
                }
                try save(catalog)
                return rebuilder.report
            }
        }
        try finishSchemaChange(progress)
        return report
    }
}

extension Catalog {
    /// Declares indexes anew under new numbers; those there are answer until then, unless they were not complete.
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

    private mutating func takeIndexNumber() throws -> UInt32 { try Self.take(&nextIndex) }
}
