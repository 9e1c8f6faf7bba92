internal import LevelKit

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DocumentStore {
    /// A commit in the history of a store.
    public struct CommitSummary: Sendable, Hashable {
        /// The sequence number.
        public let sequence: UInt64
        /// When the commit was made, by the clock of the computer that made it.
        public let time: Date
        /// The number of documents that it changed, in collections that keep a history.
        public let changeCount: Int
    }
}

extension DocumentStore {
    /// Returns the commits in the history, newest first. Commits outside the bounds, and commits that changed no
    /// collection with a history, are not included.
    ///
    /// - Parameters:
    ///   - sequence: a commit; only earlier ones are returned. `nil` to start at the last commit.
    ///   - limit: the maximum number of commits.
    /// - Throws: ``DocIndexError`` with `corruption`; `LevelError`.
    /// - Complexity: one seek for each commit.
    public func commits(before sequence: UInt64? = nil, limit: Int = 20) throws -> [CommitSummary] {
        let state = try state()
        let (snapshot, catalog) = (state.snapshot, state.catalog)
        var range = KeyRange.prefix([StoreKey.history.rawValue])
        if let sequence { range.upper = .excluded(StoreKey.history(of: sequence)) }
        var commits: [CommitSummary] = []
        var cancellation = CancellationCheck()
        var cursor = try snapshot.cursor(in: range, direction: .descending)
        while commits.count < limit, try cursor.advance() {
            try cancellation.step()
            guard let place = StoreChange.Key(cursor.key, kind: .history), let record = HistoryRecord(cursor.value)
            else {
                throw DocIndexError(.corruption, "a change in the history is unreadable; run verify and rebuild")
            }
            guard let history = catalog.collection(numbered: place.collection)?.history,
                history.keeps(place.sequence, record)
            else { continue }
            commits.append(
                CommitSummary(sequence: place.sequence, time: record.date, changeCount: record.changeCount))
            // To the last change of the commit before.
            cursor.seek(to: StoreKey.history(of: place.sequence))
        }
        return commits
    }

    /// Returns the bytes that the history takes in table files. Data still in memory is not counted.
    public func historyByteCount() throws -> UInt64 {
        try database.approximateByteCount(in: .prefix([StoreKey.history.rawValue]))
    }

    /// Deletes all changes that are outside the bounds of their history now.
    ///
    /// Calling this is optional: commits delete such changes in small steps, and they are never returned. After bounds
    /// have become narrower, it frees the space at once. Other threads can write in between.
    ///
    /// - Parameter progress: called between steps with the number of deleted changes; an error it throws ends the work.
    /// - Returns: the number of deleted changes.
    /// - Throws: `LevelError`; `CancellationError` if the task is canceled; what `progress` throws.
    /// - Complexity: O(*n*) in the documents and changes of collections whose history is limited by number, and in the
    ///   changes that are too old.
    @discardableResult
    public func trimHistory(_ progress: (Int) throws -> Void = { _ in }) throws -> Int {
        try withMaintenance {
            var count = 0
            var position = HistoryTrimmer.Position()
            var isDone = false
            while !isDone {
                (count, isDone) = try trimmingSlice(after: count) { trimmer, batch in
                    try trimmer.expire(from: &position, limit: Self.historySliceCount, in: batch)
                }
                try progress(count)
            }
            for collection in currentCatalog.collections where collection.history?.bounds.versions != nil {
                var last = StoreKey.ids.prefix(collection.number)
                isDone = false
                while !isDone {
                    (count, isDone) = try trimmingSlice(after: count) { trimmer, batch in
                        try shorten(collection.number, after: &last, trimmer, batch)
                    }
                    try progress(count)
                }
            }
            return count
        }
    }

    /// Writes one batch of deletions under the writer's lock.
    private func trimmingSlice(
        after count: Int, _ body: (HistoryTrimmer, WriteBatch) throws -> Bool
    ) throws -> (count: Int, isDone: Bool) {
        try CancellationCheck.now()
        return try withWriter { state in
            let batch = WriteBatch()
            let isDone = try body(HistoryTrimmer(reader: database, catalog: loadedCatalog), batch)
            try database.write(batch)
            // The commits start over, because their position may be among deleted keys.
            state.historyPosition = HistoryTrimmer.Position()
            return (count + batch.count, isDone)
        }
    }

    /// Shortens the lists of some documents after an ID.
    ///
    /// - Returns: whether those were the last ones.
    private func shorten(
        _ number: UInt32, after last: inout [UInt8], _ trimmer: HistoryTrimmer, _ batch: WriteBatch
    ) throws -> Bool {
        guard let collection = trimmer.catalog.collection(numbered: number),
            let versions = collection.history?.bounds.versions
        else { return true }
        var range = KeyRange.prefix(StoreKey.ids.prefix(number))
        range.lower = .excluded(last)
        var cursor = try database.cursor(in: range, cache: .bypass)
        for _ in 0..<Self.historySliceDocumentCount {
            guard try cursor.advance() else { return true }
            let link = try newestLink(of: IDRecord(cursor.value, collection: collection.name), in: collection)
            let isShort = try trimmer.shorten(
                from: link, of: collection, keeping: versions, readLimit: .max, in: batch)
            // Otherwise the next slice continues with the same document.
            guard isShort else { return false }
            last = cursor.key.copied()
            if batch.count >= Self.historySliceCount { return false }
        }
        return false
    }

    /// Returns the last change of a document.
    private func newestLink(
        of record: IDRecord, in collection: LoadedCollection
    ) throws -> HistoryRecord.Link {
        switch record {
        case .deleted(let sequence, let row): return HistoryRecord.Link(sequence: sequence, row: row)
        case .row(let row):
            let key = StoreKey.document(collection.number, row: row)
            let sequence = try database.withValue(forKey: key) { value in
                var offset = 0
                return Varint.read(value, &offset)
            }
            guard let sequence, let sequence else {
                throw DocIndexError(
                    .corruption,
                    "row \(row) of the collection \(collection.name) is referenced but contains no document; "
                        + "run verify and restore a backup")
            }
            return HistoryRecord.Link(sequence: sequence, row: row)
        }
    }

    /// Returns the number of changes in the history of a collection, including those outside its bounds that are not
    /// deleted yet; 0 if it keeps no history.
    ///
    /// - Complexity: O(*n*) in the changes of all collections.
    package func storedChangeCount(inHistoryOf collection: String) throws -> Int {
        let state = try state()
        let (snapshot, catalog) = (state.snapshot, state.catalog)
        guard let number = catalog.collection(named: collection)?.number else { return 0 }
        var count = 0
        var cancellation = CancellationCheck()
        var cursor = try snapshot.cursor(in: .prefix([StoreKey.history.rawValue]), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            if StoreChange.Key(cursor.key, kind: .history)?.collection == number { count += 1 }
        }
        return count
    }

    private static let historySliceCount = 4096
    private static let historySliceDocumentCount = 256

    /// Deletes the records that are left over from the former history of a collection.
    func dropHistory(of number: UInt32) throws {
        var range = KeyRange.prefix([StoreKey.history.rawValue])
        var isDone = false
        while !isDone {
            let since = currentCatalog.collection(numbered: number)?.history?.since ?? .max
            let batch = WriteBatch()
            var cursor = try database.cursor(in: range, cache: .bypass)
            isDone = true
            var count = 0
            while try cursor.advance() {
                range.lower = .excluded(cursor.key.copied())
                if let place = StoreChange.Key(cursor.key, kind: .history) {
                    if place.sequence > since { break }
                    if place.collection == number { try batch.delete(cursor.key) }
                }
                count += 1
                if count >= Self.historySliceCount {
                    isDone = false
                    break
                }
            }
            try database.write(batch)
            try CancellationCheck.now()
        }
        try withWriter { _ in
            var catalog = currentCatalog
            catalog.droppedHistory.removeAll { $0 == number }
            try save(catalog)
        }
    }
}

extension Catalog.History {
    /// Returns whether a change is kept, as far as its age decides.
    func keeps(_ sequence: UInt64, _ record: HistoryRecord) -> Bool {
        sequence > since && record.time >= oldestTime
    }
}
