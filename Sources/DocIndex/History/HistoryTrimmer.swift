internal import LevelKit

/// Deletes changes that are outside the bounds of their history, the oldest first.
///
/// What remains of a collection is always a sequence of commits without gaps, as far as age is concerned, and of each
/// document its newest changes. So the list of a document never has a gap.
struct HistoryTrimmer {
    let reader: Database
    let catalog: LoadedCatalog

    /// A position in the history, in the order of commits.
    struct Position {
        fileprivate var key: [UInt8]?
        /// Collections with a change before the position that is not too old.
        fileprivate var finished: Set<UInt32> = []

        /// The beginning.
        init() {}
    }

    /// Whether the history of any collection is limited by age.
    var limitsAge: Bool { catalog.collections.contains { $0.history?.bounds.age != nil } }

    /// Adds the deletion of changes that are too old to a batch.
    ///
    /// - Parameters:
    ///   - position: where to begin. Afterwards, where to continue.
    ///   - limit: the maximum number of changes to read.
    /// - Returns: whether all changes that are too old have been found.
    func expire(from position: inout Position, limit: Int, in batch: WriteBatch) throws -> Bool {
        var range = KeyRange.prefix([StoreKey.history.rawValue])
        if let key = position.key { range.lower = .excluded(key) }
        var oldest: [UInt32: UInt64] = [:]
        for collection in catalog.collections where collection.history?.bounds.age != nil {
            oldest[collection.number] = collection.history?.oldestTime
        }
        var cursor = try reader.cursor(in: range, cache: .bypass)
        var count = 0
        while position.finished.count < oldest.count, try cursor.advance() {
            if count >= limit { return false }
            count += 1
            position.key = cursor.key.copied()
            guard let place = StoreChange.Key(cursor.key, kind: .history), let oldest = oldest[place.collection],
                !position.finished.contains(place.collection)
            else { continue }
            if let record = HistoryRecord(cursor.value), record.time < oldest {
                try batch.delete(cursor.key)
            } else {
                position.finished.insert(place.collection)
            }
        }
        position = Position()
        return true
    }

    /// Adds the deletion of a document's oldest changes to a batch.
    ///
    /// - Parameters:
    ///   - link: the newest change to consider.
    ///   - count: the number of changes to keep from there on.
    ///   - readLimit: the maximum number of changes to read. If there are more, none is deleted.
    /// - Returns: whether no surplus changes are left.
    func shorten(
        from link: HistoryRecord.Link, of collection: LoadedCollection, keeping count: Int, readLimit: Int,
        in batch: WriteBatch
    ) throws -> Bool {
        guard let history = collection.history else { return true }
        var surplus: [HistoryRecord.Link] = []
        var hasMore = false
        var depth = 0
        var next: HistoryRecord.Link? = link
        while let current = next, current.sequence > history.since {
            if depth >= readLimit { return false }
            let record = try reader.withValue(forKey: current.key(collection.number)) { HistoryRecord($0) }
            guard let record else { break }
            // Nothing is deleted from a damaged list.
            guard let record else { return true }
            if depth >= count { surplus.append(current) }
            depth += 1
            next = record.previous(row: current.row)
            if let next, next.sequence >= current.sequence { return true }
            // Only the oldest ones are remembered.
            if surplus.count >= 2 * Self.surplusLimit {
                surplus.removeFirst(Self.surplusLimit)
                hasMore = true
            }
        }
        for link in surplus { try batch.delete(link.key(collection.number)) }
        return !hasMore
    }

    /// The number of surplus changes of one document that are deleted at once, or twice as many.
    private static let surplusLimit = 32_768

    /// Returns whether a commit looks for surplus changes of a document. This is so for one of some changes, so that a
    /// change reads only a few others on average. The choice does not depend on patterns of the changes.
    static func isDue(_ link: HistoryRecord.Link, versions: Int) -> Bool {
        var bytes: [UInt8] = []
        Varint.append(link.sequence, to: &bytes)
        Varint.append(link.row, to: &bytes)
        return FNV1a.hash(bytes) % UInt64(max(1, versions / 2)) == 0
    }
}
