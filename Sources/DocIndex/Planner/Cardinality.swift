internal import LevelKit

/// How many entries an index has in some ranges: counted where they are few, and otherwise from sizes.
struct Cardinality {
    let snapshot: Snapshot
    let database: Database
    let documentCount: Int

    /// Entries that are counted before sizes are asked for, and as far as those are not sure to be more.
    private static let firstLimit = 16
    private static let countLimit = 256
    /// Where sizes tell of so many entries, there are some hundred at least: they know blocks, and no entries.
    private static let sureCount = 1024
    /// Entries that are counted where there are no sizes yet, because what was written is in memory.
    private static let memoryLimit = 4096
    /// Ranges whose sizes are asked for, of more than twice as many.
    private static let sampleCount = 256

    /// The entries in ranges of one index, exactly up to a few hundred.
    ///
    /// - Complexity: O(1): no more than some thousand entries are read.
    func entryCount(in ranges: [KeyRange], of index: any DocumentIndex) throws -> Int {
        let elements = index.definition.fields.contains(where: \.hasArrayStep) ? 3.0 : 1.0
        return try entryCount(in: ranges, behind: index.entryPrefix, entriesOfDocument: elements)
    }

    /// The keys in ranges of those that have a beginning, of which each document has about so many.
    func entryCount(in ranges: [KeyRange], behind prefix: [UInt8], entriesOfDocument: Double = 1) throws -> Int {
        var counter = try EntryCounter(ranges, behind: prefix, in: snapshot)
        if try !counter.reaches(Self.firstLimit) { return counter.count }
        let estimate = try estimate(ranges, behind: prefix, entriesOfDocument)
        if let estimate, estimate > Self.sureCount { return estimate }
        if try !counter.reaches(Self.countLimit) { return counter.count }
        if let estimate { return max(counter.count, estimate) }
        // A third where nothing is known, as other planners have it.
        return try counter.reaches(Self.memoryLimit) ? max(counter.count, documentCount / 3) : counter.count
    }

    /// From the share that the ranges have in the bytes of the index; `nil` while most of those are in memory.
    private func estimate(_ ranges: [KeyRange], behind prefix: [UInt8], _ entriesOfDocument: Double) throws -> Int? {
        let all = try byteCount(.prefix(prefix))
        // Less than a byte an entry cannot be all of it.
        guard all > 65_536, all > UInt64(documentCount) else { return nil }
        // Of many ranges, some tell enough about the others.
        let step = max(1, ranges.count / Self.sampleCount)
        var part: UInt64 = 0
        for position in stride(from: 0, to: ranges.count, by: step) {
            part &+= try byteCount(ranges[position]) &* UInt64(step)
        }
        let share = Double(min(part, all)) / Double(all)
        return Int(share * entriesOfDocument * Double(documentCount))
    }

    private func byteCount(_ range: KeyRange) throws -> UInt64 {
        let lower: [UInt8] =
            switch range.lower {
            case .included(let key), .excluded(let key): key
            case .unbounded: []
            }
        let upper: [UInt8] =
            switch range.upper {
            case .included(let key), .excluded(let key): key
            case .unbounded: [0xff]
            }
        return try database.approximateByteCount(from: lower, to: upper)
    }
}

/// Counts entries in ranges, and goes on where it stopped.
private struct EntryCounter: ~Copyable {
    /// Entries that were counted.
    private(set) var count = 0
    private let ranges: [KeyRange]
    private var position = 0
    private var cursor: Cursor

    init(_ ranges: [KeyRange], behind prefix: [UInt8], in snapshot: Snapshot) throws {
        self.ranges = ranges
        // One cursor for all, as making one costs more than moving it.
        let hull = ranges.count == 1 ? ranges[0] : .prefix(prefix)
        cursor = try snapshot.cursor(in: hull)
        if ranges.count > 1 { begin() }
    }

    private mutating func begin() {
        if case .included(let lower) = ranges[position].lower { cursor.seek(to: lower) }
    }

    /// Whether there are as many entries as `limit`; the count is that of all if there are not.
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
