internal import Synchronization

/// The columns that queries of a store use in place of documents; see ``ValueColumn``.
///
/// **Which columns.** A column is built, in one pass over the documents, when queries have read half as many documents or
/// index entries for want of it as the pass reads. A document costs half as much in a pass, so building costs about as
/// much as was spent without. If there is no room, columns that were not used for long make it.
///
/// **Which state.** As in ``DocumentCache``: a commit marks its rows as unknown before it is written, so every other cell
/// is still right. Columns answer readers whose snapshot has all commits that the columns have.
final class ValueColumns: Sendable {
    /// The column of a path in a collection.
    struct Key: Hashable {
        let collection: UInt32
        let path: FieldPath
    }

    private struct Entry {
        var column: ValueColumn
        /// The number of commits that a snapshot must contain at least.
        var commitCount: UInt64
        /// Changes whenever the column does.
        var generation: Int
        var lastUse: Int

        mutating func forget(_ rows: some Sequence<UInt64>, _ number: Int) {
            for row in rows {
                column.forget(row)
                generation = number
            }
        }
    }

    /// A pass over the documents of a collection that is under way.
    private struct Build {
        let collection: UInt32
        let keys: [Key]
        /// The rows that were written since it began; `nil` for any.
        var writtenRows: [UInt64]? = []
    }

    private struct Content {
        var entries: [Key: Entry] = [:]
        /// The documents and entries read for want of a column; negative if it cannot be built.
        var missedCounts: [Key: Int] = [:]
        /// How often a column had to make room. Each time, twice as much must be missed until it is built again.
        var removalCounts: [Key: Int] = [:]
        var builds: [Int: Build] = [:]
        /// The last number that was given to a use, a generation or a build.
        var number = 0

        mutating func next() -> Int {
            number += 1
            return number
        }
    }

    /// The maximum size of all columns in bytes; 0 for none.
    let byteLimit: Int
    /// Whether a column is built when it is wanted for the first time.
    private let buildsAtFirstUse: Bool
    private let content = Mutex(Content())

    init(byteLimit: Int, buildsAtFirstUse: Bool) {
        self.byteLimit = byteLimit
        self.buildsAtFirstUse = buildsAtFirstUse
    }

    /// Below this many documents or entries, reading them is fast enough.
    private static let leastMissedCount = 10_000
    /// The number of paths whose use is counted.
    private static let pathLimit = 256

    // MARK: - Reading

    /// The columns that a query wants.
    enum Known {
        /// At least one cannot be used yet.
        case none
        /// Some should be built.
        case some(missing: [Key])
        case all([(column: ValueColumn, generation: Int)])
    }

    /// Returns the columns of some paths.
    ///
    /// - Parameters:
    ///   - commitCount: the number of commits that the snapshot contains at least.
    ///   - documentCount: returns the number of documents in the collection.
    func known(_ keys: [Key], commitCount: UInt64, documentCount: () throws -> Int) rethrows -> Known {
        let (found, missed) = content.withLock { content in
            let use = content.next()
            var found: [(column: ValueColumn, generation: Int)] = []
            for key in keys {
                guard let entry = content.entries[key] else { continue }
                if entry.commitCount > commitCount { return (nil as [(column: ValueColumn, generation: Int)]?, [0]) }
                content.entries[key]?.lastUse = use
                found.append((entry.column, entry.generation))
            }
            if found.count == keys.count { return (found, []) }
            return (
                nil,
                keys.filter { content.entries[$0] == nil }.map { key in
                    (content.missedCounts[key] ?? 0) >> min(content.removalCounts[key] ?? 0, 32)
                }
            )
        }
        if let found { return .all(found) }
        guard let least = missed.min(), least >= (buildsAtFirstUse ? 0 : Self.leastMissedCount) else { return .none }
        if try !buildsAtFirstUse && least < documentCount() / 2 { return .none }
        let missing = content.withLock { content in keys.filter { content.entries[$0] == nil } }
        return missing.isEmpty ? .none : .some(missing: missing)
    }

    /// Counts documents and entries that were read for want of columns.
    func noteMissed(_ keys: [Key], _ count: Int) {
        content.withLock { content in
            for key in keys where content.entries[key] == nil {
                if content.missedCounts[key] == nil, content.missedCounts.count >= Self.pathLimit {
                    content.missedCounts = content.missedCounts.filter { $0.value < 0 }
                    if content.missedCounts.count >= Self.pathLimit { content.missedCounts = [:] }
                }
                if let known = content.missedCounts[key], known < 0 { continue }
                content.missedCounts[key, default: 0] += min(count, .max / 4)
            }
        }
    }

    // MARK: - Building

    /// Begins a pass over the documents.
    ///
    /// - Parameter isNewest: returns whether the snapshot contains every commit that has begun.
    /// - Returns: a number for ``publish(_:of:commitCount:)`` and ``endBuild(_:)``; `nil` if the snapshot is not the
    ///   newest, or another thread is building one of the columns.
    func beginBuild(_ keys: [Key], of collection: UInt32, if isNewest: () -> Bool) -> Int? {
        content.withLock { content in
            let isUnderWay = content.builds.values.contains { $0.keys.contains(where: keys.contains) }
            guard isNewest(), !isUnderWay else { return nil }
            let number = content.next()
            content.builds[number] = Build(collection: collection, keys: keys)
            return number
        }
    }

    /// Keeps the columns of a pass for other queries.
    func publish(_ columns: [ValueColumn], of build: Int, commitCount: UInt64) {
        content.withLock { content in
            guard let known = content.builds[build], let rows = known.writtenRows else { return }
            for var column in columns {
                for row in rows { column.forget(row) }
                let number = content.next()
                let key = Key(collection: known.collection, path: column.path)
                content.entries[key] = Entry(
                    column: column, commitCount: commitCount, generation: number, lastUse: number)
                content.missedCounts[key] = nil
            }
            makeRoom(&content)
        }
    }

    func endBuild(_ number: Int) { content.withLock { $0.builds[number] = nil } }

    /// Notes that a column cannot be built.
    func refuse(_ keys: [Key]) {
        content.withLock { content in
            for key in keys { content.missedCounts[key] = -1 }
        }
    }

    /// Returns the rows that are unknown or new in some columns, and the generation of each column.
    ///
    /// - Returns: `nil` if there are more than `limit` rows, or one of the columns is not there.
    func gaps(in keys: [Key], cellCount: Int, limit: Int) -> (rows: [UInt64], generations: [Int])? {
        content.withLock { content in
            var rows: Set<UInt64> = []
            var generations: [Int] = []
            for key in keys {
                guard let entry = content.entries[key] else { return nil }
                let newCount = max(0, cellCount - entry.column.cells.count)
                guard entry.column.unknownRows.count + newCount <= limit else { return nil }
                rows.formUnion(entry.column.unknownRows.lazy.map { UInt64($0) })
                rows.formUnion((cellCount - newCount..<cellCount).lazy.map { UInt64($0) })
                generations.append(entry.generation)
            }
            return rows.count <= limit ? (rows.sorted(), generations) : nil
        }
    }

    /// Changes columns in place. Nothing is copied, unless another query still uses them.
    ///
    /// - Parameters:
    ///   - generations: the generation of each column that the change is for.
    ///   - isNewest: returns whether the snapshot contains every commit that has begun.
    ///   - change: changes the column of a path, and returns whether its values can be in a column.
    /// - Returns: The columns; `nil` if they are others by now, or cannot be changed.
    func update(
        _ keys: [Key], _ generations: [Int], commitCount: UInt64, if isNewest: () -> Bool,
        _ change: (_ place: Int, _ column: inout ValueColumn) -> Bool
    ) -> [ValueColumn]? {
        content.withLock { content in
            let areSame = zip(keys, generations).allSatisfy { content.entries[$0]?.generation == $1 }
            guard isNewest(), areSame else { return nil }
            var changed: [ValueColumn] = []
            for (place, key) in keys.enumerated() {
                guard var entry = content.entries.removeValue(forKey: key), change(place, &entry.column) else {
                    return nil
                }
                entry.generation = content.next()
                entry.commitCount = commitCount
                changed.append(entry.column)
                content.entries[key] = entry
            }
            makeRoom(&content)
            return changed
        }
    }

    /// Replaces columns by more complete ones.
    ///
    /// - Parameters:
    ///   - changed: the columns, with the generation of each that it was made from.
    ///   - isNewest: returns whether the snapshot contains every commit that has begun.
    func replace(
        _ changed: [(column: ValueColumn, generation: Int)], of collection: UInt32, commitCount: UInt64,
        if isNewest: () -> Bool
    ) {
        content.withLock { content in
            guard isNewest() else { return }
            for (column, generation) in changed {
                let key = Key(collection: collection, path: column.path)
                guard var entry = content.entries[key], entry.generation == generation else { continue }
                entry.column = column
                entry.generation = content.next()
                entry.commitCount = commitCount
                content.entries[key] = entry
            }
            makeRoom(&content)
        }
    }

    /// Removes columns that have become too large, or got values that cannot be in a column.
    func remove(_ keys: [Key]) {
        content.withLock { content in
            for key in keys where content.entries.removeValue(forKey: key) != nil {
                content.removalCounts[key, default: 0] += 1
            }
        }
    }

    private func makeRoom(_ content: inout Content) {
        var byteCount = content.entries.values.reduce(0) { $0 + $1.column.byteCount }
        while byteCount > byteLimit, let oldest = content.entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            byteCount -= oldest.value.column.byteCount
            content.entries[oldest.key] = nil
            content.removalCounts[oldest.key, default: 0] += 1
        }
        if content.removalCounts.count > Self.pathLimit { content.removalCounts = [:] }
    }

    // MARK: - Writing

    /// Forgets rows that are about to be written.
    ///
    /// - Parameter rows: the rows with their collections; `nil` for any.
    func forget(_ rows: [DocumentCache.Key]?) {
        content.withLock { content in
            guard let rows else {
                content.entries = [:]
                // What was damaged or too large may be so no more.
                content.missedCounts = [:]
                for number in Array(content.builds.keys) { content.builds[number]?.writtenRows = nil }
                return
            }
            // Of an array, because a view of the keys would hold the dictionary, and each column would be copied.
            for number in Array(content.builds.keys) {
                guard let collection = content.builds[number]?.collection else { continue }
                let own = rows.lazy.filter { $0.collection == collection }.map(\.row)
                content.builds[number]?.writtenRows?.append(contentsOf: own)
            }
            for key in Array(content.entries.keys) {
                let number = content.next()
                content.entries[key]?.forget(rows.lazy.filter { $0.collection == key.collection }.map(\.row), number)
            }
            // The rows that are unknown take memory too.
            makeRoom(&content)
        }
    }

    /// The size of the columns in bytes.
    var byteCount: Int { content.withLock { $0.entries.values.reduce(0) { $0 + $1.column.byteCount } } }
}
