internal import LevelKit

/// How many entries an index has in some ranges: counted where they are few, and otherwise from sizes.
struct Cardinality {
    let snapshot: Snapshot
    let database: Database
    let documentCount: Int

    /// Entries that are counted before sizes are asked for, and as far as those are not sure to be more.
    private static let firstLimit = 64
    private static let countLimit = 256
    /// Where sizes tell of so many entries, there are some hundred at least: they know blocks, and no entries.
    private static let sureCount = 1024
    /// Entries that are counted where there are no sizes yet, because what was written is in memory.
    private static let memoryLimit = 4096

    /// The entries in ranges of one index, exactly up to a few hundred.
    ///
    /// - Complexity: O(1): no more than some thousand entries are read.
    func entryCount(in ranges: [KeyRange], of index: any DocumentIndex) throws -> Int {
        let few = try count(ranges, limit: Self.firstLimit)
        if few < Self.firstLimit { return few }
        let estimate = try estimate(ranges, of: index)
        if let estimate, estimate > Self.sureCount { return estimate }
        let counted = try count(ranges, limit: Self.countLimit)
        if counted < Self.countLimit { return counted }
        if let estimate { return max(counted, estimate) }
        let more = try count(ranges, limit: Self.memoryLimit)
        // A third where nothing is known, as other planners have it.
        return more < Self.memoryLimit ? more : max(more, documentCount / 3)
    }

    /// The entries in ranges, or the limit if there are as many.
    func count(_ ranges: [KeyRange], limit: Int) throws -> Int {
        var count = 0
        for range in ranges where count < limit {
            var cursor = try snapshot.cursor(in: range, reverse: false, fillsCache: true)
            while count < limit, try cursor.advance() { count += 1 }
        }
        return count
    }

    /// From the share that the ranges have in the bytes of the index; `nil` while most of those are in memory.
    private func estimate(_ ranges: [KeyRange], of index: any DocumentIndex) throws -> Int? {
        let prefix = index.entryPrefix
        let all = try byteCount(.prefix(prefix))
        // Less than a byte an entry cannot be all of it.
        guard all > 65_536, all > UInt64(documentCount) else { return nil }
        var part: UInt64 = 0
        for range in ranges { part &+= try byteCount(range) }
        let share = Double(min(part, all)) / Double(all)
        let elements = index.definition.fields.contains(where: \.hasArrayStep) ? 3.0 : 1.0
        return Int(share * elements * Double(documentCount))
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
