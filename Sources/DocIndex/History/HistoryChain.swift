internal import LevelKit

/// Follows the kept changes of one document, from the newest to the oldest.
struct HistoryChain {
    /// A change with its record.
    struct Step {
        let link: HistoryRecord.Link
        let record: HistoryRecord
        /// The encoded record, which contains the former body.
        let bytes: [UInt8]
    }

    private let collection: LoadedCollection
    private let history: Catalog.History
    private let oldestTime: UInt64
    private var link: HistoryRecord.Link?
    private var depth = 0

    /// - Parameter newest: the last change of the document.
    init(from newest: HistoryRecord.Link, of collection: LoadedCollection, history: Catalog.History) {
        self.collection = collection
        self.history = history
        link = newest
        oldestTime = history.oldestTime
    }

    /// Returns the next older change; `nil` at the end. Changes outside the bounds are not returned, even if they are
    /// still stored.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`.
    mutating func next(in reader: some KeyValueReader) throws -> Step? {
        guard let current = link, current.sequence > history.since, depth < history.bounds.versions ?? .max,
            let bytes = try reader.value(forKey: current.key(collection.number))
        else { return nil }
        guard let record = HistoryRecord(bytes.span) else { throw Self.damaged(current, in: collection) }
        if record.time < oldestTime { return nil }
        link = record.previous(row: current.row)
        if let link, link.sequence >= current.sequence { throw Self.damaged(current, in: collection) }
        depth += 1
        return Step(link: current, record: record, bytes: bytes)
    }

    static func damaged(_ link: HistoryRecord.Link, in collection: LoadedCollection) -> DocIndexError {
        DocIndexError(
            .corruption,
            "the history of row \(link.row) of the collection \(collection.name) is damaged at commit "
                + "\(link.sequence); run verify and rebuild")
    }
}
