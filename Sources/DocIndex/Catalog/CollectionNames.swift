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
        var table = StoredNames(collection)
        // Unreadable counters are reported where they are needed.
        let counters = try? CollectionCounters.read(collection.number, in: reader)
        // A lookup of a record that does not exist makes LevelDB open every table, so there are lookups only if
        // something is lost or damaged.
        var isComplete = try table.readAll(from: reader)
        if isComplete {
            isComplete =
                try table.hasRecordBehind(copies: true, in: reader).map { !$0 }
                ?? (table.names.count == counters?.nameCount)
        }
        if !isComplete {
            while let record = try reader.valueOrCopy(forKey: table.nextKey) { try table.append(record.span) }
            // Unless the counters say that these are all, there is a gap before later records.
            if table.names.count != counters?.nameCount,
                try table.hasRecordBehind(copies: false, in: reader) == true
                    || table.hasRecordBehind(copies: true, in: reader) == true
            {
                throw Self.damaged(collection)
            }
        }
        let names = table.names
        if let counters, names.count < counters.nameCount { throw Self.damaged(collection) }
        state.withLock { $0 = State(names: names, storedCount: names.count) }
        return table.recordCount
    }

    fileprivate static func damaged(_ collection: Catalog.CollectionEntry) -> DocIndexError {
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

/// The names of a collection as they are stored: each record holds a run of names, and the next one starts where the
/// run ends.
private struct StoredNames {
    private let collection: Catalog.CollectionEntry
    private(set) var names = FieldNames()
    private(set) var recordCount = 0

    init(_ collection: Catalog.CollectionEntry) { self.collection = collection }

    /// The key of the record after those that were read.
    var nextKey: [UInt8] { StoreKey.names(collection.number, from: names.count) }

    mutating func append(_ record: Span<UInt8>) throws {
        let count = names.count
        do throws(FieldNamesError) {
            try names.append(encoded: record.copied())
        } catch {
            throw CollectionNames.damaged(collection)
        }
        if names.count == count { throw CollectionNames.damaged(collection) }
        recordCount += 1
    }

    /// Reads the records one after another.
    ///
    /// - Returns: whether these are all. If not, there is a gap, or damage among them or to the keys that follow.
    mutating func readAll(from reader: some KeyValueReader) throws -> Bool {
        var cursor = try reader.cursor(in: .prefix(StoreKey.names.prefix(collection.number)))
        while let isThere = try Self.advance(&cursor) {
            if !isThere { return true }
            guard cursor.key.hasSameBytes(as: nextKey.span) else { return false }
            try append(cursor.value)
        }
        return false
    }

    /// Returns whether there are records, or copies of records, behind those that were read; `nil` if it cannot be
    /// known because of damage.
    func hasRecordBehind(copies: Bool, in reader: some KeyValueReader) throws -> Bool? {
        func key(_ key: [UInt8]) -> [UInt8] { copies ? StoreKey.copy(of: key) : key }
        var range = KeyRange.prefix(key(StoreKey.names.prefix(collection.number)))
        range.lower = .included(key(nextKey))
        var cursor = try reader.cursor(in: range)
        return try Self.advance(&cursor)
    }

    /// Returns whether there is another entry; `nil` if it cannot be known because of damage.
    private static func advance(_ cursor: inout Cursor) throws -> Bool? {
        do {
            return try cursor.advance()
        } catch {
            guard error.code == .corruption else { throw error }
            return nil
        }
    }
}
