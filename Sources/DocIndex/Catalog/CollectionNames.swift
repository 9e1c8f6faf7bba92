internal import LevelKit
internal import Synchronization

/// The table of member names of one collection, shared by the writer and all readers.
///
/// Names are only ever added, so the newest table fits every stored body. The writer publishes names before it writes
/// the batch with the bodies that use them, so a reader that sees a body also sees its names.
///
/// The names of a failed batch stay published and are stored with the next batch. LevelDB may recover a failed batch
/// when it reads its log again. If its numbers had been assigned to other names in between, its documents would change
/// their meaning.
final class CollectionNames: Sendable {
    private struct State {
        var names = FieldNames()
        /// The number of names known to be on disk.
        var storedCount = 0
    }

    private let state = Mutex(State())

    /// The newest table.
    var current: FieldNames { state.withLock { $0.names } }

    /// Reads the stored names of a collection, those that are lost from their copies.
    ///
    /// - Returns: the number of consecutive records.
    /// - Throws: ``DocIndexError`` with `corruption` for an unreadable record, or if records are missing. Otherwise
    ///   documents stored later would reuse the numbers of the lost names.
    @discardableResult
    func load(_ collection: Catalog.CollectionEntry, from reader: some KeyValueReader) throws -> Int {
        var names = FieldNames()
        var recordCount = 0
        func append(_ record: [UInt8]) throws {
            let count = names.count
            do throws(FieldNamesError) {
                try names.append(encoded: record)
            } catch {
                throw Self.damaged(collection)
            }
            if names.count == count { throw Self.damaged(collection) }
            recordCount += 1
        }
        // Each record holds a run of names. The next record starts where the run ends.
        var cursor = try reader.cursor(in: .prefix(StoreKey.names.prefix(collection.number)))
        while try cursor.advance() {
            let next = StoreKey.names(collection.number, from: names.count)
            guard cursor.key.hasSameBytes(as: next.span) else { break }
            try append(cursor.value.copied())
        }
        // Unreadable counters are reported where they are needed.
        let counters = try? CollectionCounters.read(collection.number, in: reader)
        // Looking for a record that does not exist makes LevelDB open every table.
        if names.count != counters?.nameCount {
            while let record = try reader.valueOrCopy(forKey: StoreKey.names(collection.number, from: names.count)) {
                try append(record)
            }
        }
        if let counters, names.count < counters.nameCount { throw Self.damaged(collection) }
        state.withLock { $0 = State(names: names, storedCount: names.count) }
        return recordCount
    }

    private static func damaged(_ collection: Catalog.CollectionEntry) -> DocIndexError {
        DocIndexError(
            .corruption,
            "the field names of the collection \(collection.name) cannot be read; run verify and restore a backup")
    }

    /// Publishes a table that has grown, and adds the names that are not on disk yet to the batch that needs them.
    ///
    /// - Returns: the number of names on disk once the batch is written; for ``didStore(_:)``.
    func publish(_ names: FieldNames, of collection: UInt32, in batch: WriteBatch) throws -> Int {
        let stored = state.withLock { $0.storedCount }
        if names.count > stored {
            try batch.putWithCopy(names.encoded(from: stored), forKey: StoreKey.names(collection, from: stored))
        }
        state.withLock { $0.names = names }
        return names.count
    }

    /// Records that the batch of a ``publish(_:of:in:)`` has been written.
    func didStore(_ count: Int) {
        state.withLock { $0.storedCount = count }
    }
}
