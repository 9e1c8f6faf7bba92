internal import LevelKit

/// What the writer knows without reading: used under the writer's lock, and read anew after a write that failed, since
/// then nobody knows what was stored.
final class WriterState: @unchecked Sendable {
    // Unchecked: every use is under the writer's lock.
    /// Far beyond what any store reaches: a number of a commit behind it is damage, and is not counted on from.
    static let lastSequence = UInt64.max >> 2

    /// The sequence number of the last commit; 0 before the first.
    private(set) var sequence: UInt64 = 0
    private var counters: [UInt32: CollectionCounters] = [:]
    /// Up to which row each index that is being built holds the documents.
    private var progress: [UInt32: UInt64] = [:]
    private var isKnown = false
    /// Of text indexes, which readers use as well.
    let texts = TextIndexes()

    /// Reads the sequence number, if it is not known.
    func load(from database: Database) throws {
        if isKnown { return }
        sequence = try Self.storedSequence(in: database)
        // A number that was given twice would hide a change from those who follow the feed.
        var changes = try database.cursor(in: .prefix([StoreKeyspace.changes.rawValue]), reverse: true)
        if try changes.advance(), let last = StoreChange.Key(changes.key)?.sequence, last > sequence {
            throw DocIndexError(
                .corruption,
                "the store has a change of commit \(last) and counts \(sequence) commits; run verify and rebuild")
        }
        isKnown = true
    }

    /// The sequence number of the last commit in a reader.
    static func storedSequence(in reader: some KeyValueReader) throws -> UInt64 {
        guard let bytes = try reader.value(forKey: StoreKeyspace.stateKey) else { return 0 }
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
        // A row that was given twice would overwrite a document.
        let prefix = StoreKeyspace.documents.prefix(collection)
        var documents = try database.cursor(in: .prefix(prefix), reverse: true)
        if try documents.advance(), let last = StoreKeyspace.row(in: documents.key, at: prefix.count),
            last >= stored.nextRow
        {
            throw DocIndexError(
                .corruption,
                "the collection \(collection) has a document in row \(last), and its counters give row "
                    + "\(stored.nextRow) next; run verify and rebuild")
        }
        counters[collection] = stored
        return stored
    }

    /// The last row that an index being built holds; 0 for none.
    func progress(of index: UInt32, in database: Database) throws -> UInt64 {
        if let known = progress[index] { return known }
        let stored = try Self.storedProgress(StoreKeyspace.progress.prefix(index), in: database)
        progress[index] = stored
        return stored
    }

    /// The row in a record of progress; 0 where there is none.
    static func storedProgress(_ key: [UInt8], in reader: some KeyValueReader) throws -> UInt64 {
        guard let bytes = try reader.value(forKey: key) else { return 0 }
        guard let values = Varint.readAll(bytes), values.count == 1 else {
            throw DocIndexError(.corruption, "the progress of a build cannot be read; run verify and rebuild")
        }
        return values[0]
    }

    /// Takes over what a batch that was written has changed.
    func didWrite(sequence: UInt64, counters: [UInt32: CollectionCounters]) {
        self.sequence = sequence
        for (collection, value) in counters { self.counters[collection] = value }
    }

    /// Takes over how far indexes have come.
    func didBuild(_ indexes: [UInt32], upTo row: UInt64) {
        for index in indexes { progress[index] = row }
    }

    /// Forgets everything.
    func forget() {
        isKnown = false
        counters = [:]
        progress = [:]
        texts.forget()
    }
}
