internal import LevelKit

/// Changes of the schema while the store is in use.
extension DocumentStore {
    /// Returns the changes that a schema would cause, without making them.
    public func changes(for schema: Schema) throws -> [Schema.Change] {
        try schema.validate()
        let catalog = currentCatalog
        _ = try catalog.changed(to: schema)
        var changes = schema.difference(from: catalog.schema)
        for collection in catalog.collections {
            for index in collection.indexes where !index.isCurrent && !index.isRetiring {
                let subject = Schema.Change.Subject.index(index.definition.name, collection: collection.name)
                if changes.contains(where: { $0.subject == subject }) { continue }
                changes.append(
                    Schema.Change(
                        kind: .changed, subject: subject,
                        reasons: ["it was built by another version of the library", "it is rebuilt"],
                        buildsIndex: true))
            }
        }
        return changes
    }

    /// Changes the schema while the store is in use.
    ///
    /// New indexes are built in slices of a few milliseconds, and other threads write in between. Until an index is
    /// complete, the index that it replaces answers. If the work is interrupted or canceled, the next
    /// ``finishSchemaChange(_:)`` or open continues it.
    ///
    /// - Parameters:
    ///   - schema: the new schema.
    ///   - progress: called between slices; an error it throws suspends the work.
    /// - Returns: the changes.
    /// - Throws: ``DocIndexError``: `invalidSchema`; `CancellationError` if the task is canceled; what `progress`
    ///   throws.
    /// - Complexity: O(*n*) in the documents of a collection that gains an index, otherwise O(1).
    @discardableResult
    public func apply(
        _ schema: Schema, _ progress: (DocumentStore.BuildProgress) throws -> Void = { _ in }
    ) throws -> [Schema.Change] {
        let changes = try self.changes(for: schema)
        try adopt(schema)
        try finishSchemaChange(progress)
        return changes
    }

    /// Finishes a schema change: builds new indexes, rebuilds those whose rules are outdated (for example because of
    /// another Unicode version), and deletes dropped ones. Does nothing if no work is left.
    ///
    /// - Parameter progress: called between slices; an error it throws suspends the work.
    /// - Throws: the errors of ``apply(_:_:)``.
    public func finishSchemaChange(_ progress: (DocumentStore.BuildProgress) throws -> Void = { _ in }) throws {
        try adopt(nil)
        if !currentCatalog.hasPendingWork { return }
        var failure: DocIndexError?
        try maintenance.withLock {
            while let collection = currentCatalog.collections.first(where: { !$0.isBuilt }) {
                do {
                    try buildIndexes(of: collection.number, progress)
                } catch let error as DocIndexError where error.isOfIndexEntries {
                    // That index is abandoned; the others continue.
                    failure = error
                }
            }
            while let dropped = currentCatalog.dropped.first {
                let builder = IndexBuilder(database: database, state: writerState)
                while try builder.deleteSlice(of: dropped) { try CancellationCheck.now() }
                try writer.withLock {
                    var catalog = currentCatalog
                    catalog.dropped.removeAll { $0.number == dropped.number }
                    try save(catalog)
                    texts.drop(dropped.number)
                }
            }
            while let collection = currentCatalog.droppedHistory.first { try dropHistory(of: collection) }
        }
        if let failure { throw failure }
    }

    /// Indexes that could not be built because a document would have too many entries, or because the field of a vector
    /// index is not a vector. They contain no entries and answer no queries, and documents are stored without them.
    /// Change the document and call ``rebuildIndex(_:of:_:)``, or change the declaration of the index.
    public var failedIndexes: [DocumentStore.FailedIndex] {
        currentCatalog.collections.flatMap { collection in
            collection.indexes.compactMap { entry in
                entry.failure.map {
                    DocumentStore.FailedIndex(collection: collection.name, index: entry.definition.name, reason: $0)
                }
            }
        }
    }

    private func buildIndexes(of collection: UInt32, _ progress: (DocumentStore.BuildProgress) throws -> Void) throws {
        var isDone = false
        while !isDone {
            let step = try writer.withLock { () -> DocumentStore.BuildProgress? in
                let catalog = loadedCatalog
                guard let entry = catalog.collection(numbered: collection) else { return nil }
                let building = entry.indexes.filter(\.isBuilding)
                let builder = IndexBuilder(database: database, state: writerState)
                let row: UInt64?
                do {
                    row = try builder.buildSlice(of: building, in: entry, catalog: catalog)
                } catch let failure as IndexBuilder.BuildError {
                    try abandon(failure, of: collection)
                    throw failure.error
                }
                if row == nil { try switchToNewIndexes(of: collection) }
                let last = try writerState.counters(collection, in: database).nextRow - 1
                return DocumentStore.BuildProgress(
                    collection: entry.name, indexes: building.map(\.definition.name), row: min(row ?? last, last),
                    lastRow: last)
            }
            guard let step else { return }
            isDone = step.row == step.lastRow && currentCatalog.collection(numbered: collection)?.isBuilt != false
            try progress(step)
            try CancellationCheck.now()
        }
    }

    /// Makes the new indexes answer in place of the old ones. Called under the writer's lock.
    private func switchToNewIndexes(of collection: UInt32) throws {
        var catalog = currentCatalog
        guard let entry = catalog.collection(numbered: collection) else { return }
        let complete = try entry.indexes.filter(\.isBuilding).map(\.number).filter {
            try writerState.progress(of: $0, in: database) == .max
        }
        catalog.finishBuilding(Set(complete), in: collection)
        let batch = WriteBatch()
        for number in complete { try batch.delete(StoreKey.progress.prefix(number)) }
        try save(catalog, with: batch)
    }

    /// Records that an index cannot be built, and schedules its entries for deletion. Called under the writer's lock.
    private func abandon(_ failure: IndexBuilder.BuildError, of collection: UInt32) throws {
        var catalog = currentCatalog
        try catalog.abandonBuilding(failure.index, in: collection, reason: failure.error.message)
        try save(catalog)
    }

    /// Makes a schema the one in effect: stores a catalog with its indexes still to be built. With `nil`, schedules the
    /// rebuild of outdated indexes.
    func adopt(_ schema: Schema?) throws {
        try writer.withLock {
            if let catalog = try ContentAdoption.run(currentCatalog, in: database) { try save(catalog) }
            let old = currentCatalog
            guard let schema = schema ?? (old.hasOutdatedIndexes ? old.schema : nil) else { return }
            var new = try old.changed(to: schema)
            for position in new.collections.indices where new.collections[position].history != nil {
                let number = new.collections[position].number
                if old.collection(numbered: number)?.history != nil { continue }
                new.collections[position].history?.since = try WriterState.storedSequence(in: database)
            }
            // Compared as bytes: two spellings of a name are equal strings but different names.
            if new.encoded != old.encoded || old.nextCollection == 1 { try save(new) }
        }
    }
}
