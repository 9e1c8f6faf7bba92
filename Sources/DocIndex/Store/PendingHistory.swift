internal import LevelKit

/// The changes of one commit that enter the history.
struct PendingHistory {
    private struct Change {
        let collection: LoadedCollection
        let link: HistoryRecord.Link
        /// The change before it; `nil` if there is none.
        let previous: HistoryRecord.Link?
        /// The encoded former form.
        let former: [UInt8]
    }

    private var changes: [Change] = []
    /// The size of the former forms, which come to the batch at the end.
    private(set) var byteCount = 0

    var isEmpty: Bool { changes.isEmpty }

    /// Keeps the stored form of a document, which the commit is about to change.
    ///
    /// - Parameter row: the row of the document after the change.
    mutating func add(
        _ edit: Transaction.Edit, row: UInt64, sequence: UInt64, of collection: LoadedCollection,
        in database: Database
    ) throws {
        let link = HistoryRecord.Link(sequence: sequence, row: row)
        var previous: HistoryRecord.Link?
        let former: [UInt8]
        switch edit.base {
        case .stored(let document, let row):
            // Copied as it is. A transaction keeps only the decoded document.
            let key = StoreKey.document(collection.number, row: row)
            guard let record = try edit.partial?.splice.record ?? database.value(forKey: key) else {
                throw DocIndexError(
                    .corruption,
                    "row \(row) of the collection \(collection.name) contains no document; run verify and restore a "
                        + "backup")
            }
            previous = HistoryRecord.Link(sequence: document.sequence, row: row)
            former = record
        case .deleted(let sequence, let row):
            previous = HistoryRecord.Link(sequence: sequence, row: row)
            former = HistoryRecord.absent(edit.target.id, deletion: previous)
        case .absent:
            former = HistoryRecord.absent(edit.target.id, deletion: nil)
        }
        changes.append(Change(collection: collection, link: link, previous: previous, former: former))
        byteCount += former.count
    }

    /// Adds the records to the batch of the commit, and the deletion of some changes outside the bounds.
    func write(to batch: WriteBatch, catalog: LoadedCatalog, state: WriterState, database: Database) throws {
        guard let sequence = changes.first?.link.sequence else { return }
        try state.requireHistory(before: sequence, in: database)
        let head = HistoryRecord.head(time: StoreClock.now, changeCount: changes.count)
        let trimmer = HistoryTrimmer(reader: database, catalog: catalog)
        for change in changes {
            try batch.put(head + change.former, forKey: change.link.key(change.collection.number))
            guard let versions = change.collection.history?.bounds.versions, let previous = change.previous,
                HistoryTrimmer.isDue(change.link, versions: versions)
            else { continue }
            _ = try trimmer.shorten(
                from: previous, of: change.collection, keeping: versions - 1,
                readLimit: versions + Self.surplusReadLimit, in: batch)
        }
        guard trimmer.limitsAge, let limit = state.historyReadLimit(after: changes.count) else { return }
        _ = try trimmer.expire(from: &state.historyPosition, limit: limit, in: batch)
    }

    /// The number of surplus changes of a document that a commit reads at most. If there are more, because the bounds
    /// have become narrower, ``DocumentStore/trimHistory(_:)`` deletes them.
    private static let surplusReadLimit = 1000
}
