internal import LevelKit

/// Estimates how many index entries lie in key ranges: small ranges are counted, larger ones are estimated from sizes.
struct CardinalityEstimator {
    let snapshot: Snapshot
    let database: Database
    let documentCount: Int

    /// The number of entries that are counted before the estimator queries LevelDB's sizes, and the number counted if
    /// the sizes do not indicate many more.
    private static let firstLimit = 16
    private static let countLimit = 256
    /// Estimates above this are trusted without counting: sizes are known per block rather than per entry, but such an
    /// estimate means at least a few hundred entries.
    private static let sureCount = 1024
    /// The number of entries counted while recent writes are still in memory and have no sizes.
    private static let memoryLimit = 4096
    /// Sets of at least twice as many ranges are sampled: only about this many sizes are requested.
    private static let sampleCount = 256

    /// Returns the number of entries in ranges of one index, exact up to a few hundred.
    ///
    /// - Complexity: O(1): reads a few thousand entries at most.
    func entryCount(in ranges: [KeyRange], of index: any DocumentIndex) throws -> Int {
        let elements = index.definition.fields.contains(where: \.hasArrayStep) ? 3.0 : 1.0
        return try entryCount(in: ranges, behind: index.entryPrefix, entriesOfDocument: elements)
    }

    /// Returns the number of keys in ranges under a common prefix. Each document has about `entriesOfDocument` keys.
    func entryCount(in ranges: [KeyRange], behind prefix: [UInt8], entriesOfDocument: Double = 1) throws -> Int {
        var counter = try EntryCounter(ranges, behind: prefix, in: snapshot)
        if try !counter.reaches(Self.firstLimit) { return counter.count }
        let estimate = try estimate(ranges, behind: prefix, entriesOfDocument)
        if let estimate, estimate > Self.sureCount { return estimate }
        if try !counter.reaches(Self.countLimit) { return counter.count }
        if let estimate { return max(counter.count, estimate) }
        // Where nothing is known, assume a third, as other planners do.
        return try counter.reaches(Self.memoryLimit) ? max(counter.count, documentCount / 3) : counter.count
    }

    /// Estimates the count from the ranges' share of the bytes of the index; `nil` while most of the index is in
    /// memory.
    private func estimate(_ ranges: [KeyRange], behind prefix: [UInt8], _ entriesOfDocument: Double) throws -> Int? {
        let all = try database.approximateByteCount(in: .prefix(prefix))
        // With less than one byte per document, part of the index must still be in memory.
        guard all > 65_536, all > UInt64(documentCount) else { return nil }
        // Sample when there are many ranges.
        let step = max(1, ranges.count / Self.sampleCount)
        var part: UInt64 = 0
        for position in stride(from: 0, to: ranges.count, by: step) {
            part &+= try database.approximateByteCount(in: ranges[position]) &* UInt64(step)
        }
        let share = Double(min(part, all)) / Double(all)
        return Int(share * entriesOfDocument * Double(documentCount))
    }
}

/// Counts entries in ranges and can resume where it stopped.
private struct EntryCounter: ~Copyable {
    /// The number of entries counted so far.
    private(set) var count = 0
    private let ranges: [KeyRange]
    private var position = 0
    private var cursor: Cursor

    init(_ ranges: [KeyRange], behind prefix: [UInt8], in snapshot: Snapshot) throws {
        self.ranges = ranges
        // One cursor serves all ranges, because creating a cursor costs more than moving one.
        let hull = ranges.count == 1 ? ranges[0] : .prefix(prefix)
        cursor = try snapshot.cursor(in: hull)
        if ranges.count > 1 { begin() }
    }

    private mutating func begin() {
        if case .included(let lower) = ranges[position].lower { cursor.seek(to: lower) }
    }

    /// Returns whether there are at least `limit` entries. If not, ``count`` is the total.
    mutating func reaches(_ limit: Int) throws -> Bool {
        while count < limit, position < ranges.count {
            if try cursor.advanceUnchecked(), ranges.count == 1 || ranges[position].isAbove(cursor.key) {
                count += 1
                continue
            }
            position += 1
            if position < ranges.count { begin() }
        }
        return count >= limit
    }
}
