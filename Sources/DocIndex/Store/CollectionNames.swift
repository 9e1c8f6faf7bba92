internal import LevelKit
internal import Synchronization

/// The table of member names of one collection, shared by the writer and all readers.
///
/// Names are only ever added, so the newest table fits every body that there is. The writer publishes names before it
/// writes the batch with the bodies that use them: whoever sees a body sees its names.
///
/// Names of a batch that failed stay published, and are stored with the next one. LevelDB may bring a failed batch back
/// when it reads its log again; a number given to another name meanwhile would change what its documents say.
final class CollectionNames: Sendable {
    private struct State {
        var names = FieldNames()
        /// How many of the names are known to be on disk.
        var storedCount = 0
    }

    private let state = Mutex(State())

    /// The newest table.
    var current: FieldNames { state.withLock { $0.names } }

    /// Reads what is stored of a collection's names.
    ///
    /// - Returns: how many records there are that fit together.
    /// - Throws: ``DocIndexError`` with `corruption` for a record that cannot be read, and where records are missing:
    ///   documents stored from then on would give the numbers of lost names to others.
    @discardableResult
    func load(_ collection: Catalog.CollectionEntry, from reader: some KeyValueReader) throws -> Int {
        var names = FieldNames()
        var recordCount = 0
        // Each record says how many it adds, and the next begins there.
        while let record = try reader.value(forKey: StoreKeyspace.names(collection.number, from: names.count)) {
            let count = names.count
            do throws(FieldNamesError) {
                try names.append(encoded: record)
            } catch {
                throw Self.damaged(collection)
            }
            if names.count == count { throw Self.damaged(collection) }
            recordCount += 1
        }
        // Counters that cannot be read have a message of their own, where they are needed.
        let counters = try? CollectionCounters.read(collection.number, in: reader)
        if let counters, names.count < counters.nameCount { throw Self.damaged(collection) }
        state.withLock { $0 = State(names: names, storedCount: names.count) }
        return recordCount
    }

    private static func damaged(_ collection: Catalog.CollectionEntry) -> DocIndexError {
        DocIndexError(
            .corruption,
            "the field names of the collection \(collection.name) cannot be read; run verify, restore a backup")
    }

    /// Takes over a table that has grown, and puts what is not on disk yet into the batch that needs it.
    ///
    /// - Returns: how many names are on disk once the batch is; for ``didStore(_:)``.
    func publish(_ names: FieldNames, of collection: UInt32, in batch: WriteBatch) throws -> Int {
        let stored = state.withLock { $0.storedCount }
        if names.count > stored {
            try batch.put(names.encoded(from: stored), forKey: StoreKeyspace.names(collection, from: stored))
        }
        state.withLock { $0.names = names }
        return names.count
    }

    /// Notes that the batch of a ``publish(_:of:in:)`` has been written.
    func didStore(_ count: Int) {
        state.withLock { $0.storedCount = count }
    }
}

extension CollectionNames: Hashable {
    /// True: the table is no part of what is declared of a collection, by which catalogs are compared.
    static func == (left: CollectionNames, right: CollectionNames) -> Bool { true }

    /// Feeds nothing into `hasher`.
    func hash(into hasher: inout Hasher) {}
}
