internal import LevelKit

/// The writer's cached state, used under the writer's lock. It is read again after a failed write, because the stored
/// state is then unknown.
final class WriterState: @unchecked Sendable {
    // Unchecked: every use is under the writer's lock.
    /// Far beyond what any store reaches. A higher commit number is treated as damage and never incremented.
    static let lastSequence = UInt64.max >> 2

    /// The sequence number of the last commit; 0 before the first.
    private(set) var sequence: UInt64 = 0
    private var counters: [UInt32: CollectionCounters] = [:]
    /// The last row that each index being built contains.
    private var progress: [UInt32: UInt64] = [:]
    private var isKnown = false
    /// Where the next commit continues to look for changes in the history that are too old.
    var historyPosition = HistoryTrimmer.Position()
    /// The number of changes since a commit last did so. The first commit does so as well.
    private var untrimmedCount = historyInterval
    private var isHistoryKnown = false
    /// The last commit of each replicated collection that may have left the store.
    private var shown: [UInt32: UInt64] = [:]
    /// The text indexes, which readers use as well.
    let texts = TextIndexes()
    /// Documents in memory, which readers use.
    let documents: DocumentCache

    init(documents: DocumentCache) { self.documents = documents }

    /// Reads the sequence number unless it is known.
    func load(from database: Database) throws {
        if isKnown { return }
        sequence = try Self.storedSequence(in: database)
        // Reusing a number would hide a change from followers of the feed.
        var changes = try database.cursor(in: .prefix([StoreKey.changes.rawValue]), direction: .descending)
        if try changes.advance(), let last = StoreChange.Key(changes.key)?.sequence, last > sequence {
            throw DocIndexError(
                .corruption,
                "the feed has commit \(last), but the last commit is \(sequence); run verify and rebuild")
        }
        isKnown = true
    }

    /// Returns the sequence number of the last commit that a reader sees.
    static func storedSequence(in reader: some KeyValueReader) throws -> UInt64 {
        guard let bytes = try reader.value(forKey: StoreKey.stateKey) else { return 0 }
        guard let values = Varint.readAll(bytes), values.count == 1 else { throw damagedSequence }
        return values[0]
    }

    static var damagedSequence: DocIndexError {
        DocIndexError(.corruption, "the sequence number of the store cannot be read; run verify and rebuild")
    }

    static func encoded(sequence: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(sequence, to: &bytes)
        return bytes
    }

    func counters(_ collection: UInt32, in database: Database) throws -> CollectionCounters {
        if let known = counters[collection] { return known }
        let stored = try CollectionCounters.read(collection, in: database)
        // Reusing a row would overwrite a document.
        let prefix = StoreKey.documents.prefix(collection)
        var documents = try database.cursor(in: .prefix(prefix), direction: .descending)
        if try documents.advance(), let last = StoreKey.row(in: documents.key, at: prefix.count),
            last >= stored.nextRow
        {
            throw DocIndexError(
                .corruption,
                "the collection \(collection) has a document in row \(last), but its counters assign row "
                    + "\(stored.nextRow) next; run verify and rebuild")
        }
        counters[collection] = stored
        return stored
    }

    /// Returns the last row that an index being built contains; 0 for none.
    func progress(of index: UInt32, in database: Database) throws -> UInt64 {
        if let known = progress[index] { return known }
        let stored = try Self.storedProgress(StoreKey.progress.prefix(index), in: database)
        progress[index] = stored
        return stored
    }

    /// Returns the row in a progress record; 0 if there is no record.
    static func storedProgress(_ key: [UInt8], in reader: some KeyValueReader) throws -> UInt64 {
        guard let bytes = try reader.value(forKey: key) else { return 0 }
        guard let values = Varint.readAll(bytes), values.count == 1 else {
            throw DocIndexError(.corruption, "the progress of a build cannot be read; run verify and rebuild")
        }
        return values[0]
    }

    /// Updates the state after a batch has been written.
    func didWrite(sequence: UInt64, counters: [UInt32: CollectionCounters]) {
        self.sequence = sequence
        for (collection, value) in counters { self.counters[collection] = value }
    }

    /// Records the progress of index builds.
    func didBuild(_ indexes: [UInt32], upTo row: UInt64) {
        for index in indexes { progress[index] = row }
    }

    // MARK: - History

    /// The number of changes after which a commit looks for changes that are too old.
    private static let historyInterval = 64

    /// Returns the number of changes that a commit may read to find expired changes; `nil` for none.
    func historyReadLimit(after count: Int) -> Int? {
        untrimmedCount += count
        guard untrimmedCount >= Self.historyInterval else { return nil }
        defer { untrimmedCount = 0 }
        return 2 * untrimmedCount
    }

    /// Throws if the history has a change of a later commit, with which new changes would be confused.
    func requireHistory(before sequence: UInt64, in database: Database) throws {
        if isHistoryKnown { return }
        var cursor = try database.cursor(in: .prefix([StoreKey.history.rawValue]), direction: .descending)
        if try cursor.advance(), let last = StoreChange.Key(cursor.key, kind: .history)?.sequence, last >= sequence {
            throw DocIndexError(
                .corruption,
                "the history has commit \(last), but the last commit is \(sequence - 1); run verify and rebuild")
        }
        isHistoryKnown = true
    }

    // MARK: - Replication

    /// Returns the last commit that may have left the store; 0 for none.
    func shown(_ collection: UInt32, in database: Database) throws -> UInt64 {
        if let known = shown[collection] { return known }
        let stored = try Self.storedProgress(StoreKey.replication.prefix(collection), in: database)
        shown[collection] = stored
        return stored
    }

    /// Notes the last commit that may have left the store, after it was stored.
    func didShow(_ sequence: UInt64, of collection: UInt32) { shown[collection] = sequence }

    /// Discards all cached state.
    func forget() {
        isKnown = false
        isHistoryKnown = false
        historyPosition = HistoryTrimmer.Position()
        counters = [:]
        progress = [:]
        shown = [:]
        texts.forget()
    }
}
