/// Puts rows in the order of a query, and keeps only as many as needed.
///
/// The bytes of all positions are stored contiguously. Each entry also holds the first eight bytes of its position as a
/// number, which is enough for most comparisons.
struct TopRows {
    private struct Entry {
        /// The first eight bytes as a big-endian number, padded with zeros.
        let prefix: UInt64
        let row: UInt64
        let start: Int
        let count: Int
    }

    private let needed: Int
    private let byteLimit: Int
    private var entries: [Entry] = []
    private var bytes: [UInt8] = []
    /// Positions from this one on are not needed.
    private var bound: Entry?

    /// - Parameters:
    ///   - needed: The number of rows to keep; `nil` for all.
    ///   - byteLimit: The maximum memory for positions, in bytes.
    init(needed: Int?, byteLimit: Int) {
        self.needed = needed ?? .max
        self.byteLimit = byteLimit
    }

    /// Adds a row at a position, unless it cannot be among the first. No two rows have the same position.
    ///
    /// - Throws: ``DocIndexError`` with `queryTooLarge` if the memory limit is exceeded.
    /// - Complexity: O(log *needed*) comparisons per row, amortized.
    mutating func add(_ position: Span<UInt8>, row: UInt64) throws {
        let prefix = Self.prefix(of: position)
        if let bound {
            if prefix > bound.prefix { return }
            if prefix == bound.prefix {
                let whole = bytes.span.extracting(bound.start..<bound.start + bound.count)
                if ValueOrder.compare(position, whole) >= 0 { return }
            }
        }
        entries.append(Entry(prefix: prefix, row: row, start: bytes.count, count: position.count))
        for place in position.indices { bytes.append(position[place]) }
        // Sorting and truncating at intervals costs O(log needed) per row, like a heap.
        if needed < .max / 4, entries.count >= 2 * needed + 256 { cut() }
        if bytes.count + entries.count * MemoryLayout<Entry>.stride > byteLimit {
            throw DocIndexError(
                .queryTooLarge,
                "sorting needs more than \(byteLimit) bytes of memory; set a limit, or declare an index over the sort keys"
            )
        }
    }

    /// Returns the needed rows in order.
    mutating func sorted() -> [UInt64] {
        sort()
        return entries.prefix(needed).map(\.row)
    }

    private mutating func sort() {
        let bytes = self.bytes
        entries.sort { a, b in
            if a.prefix != b.prefix { return a.prefix < b.prefix }
            let span = bytes.span
            return ValueOrder.compare(
                span.extracting(a.start..<a.start + a.count), span.extracting(b.start..<b.start + b.count)) < 0
        }
    }

    /// Discards rows that are not needed.
    private mutating func cut() {
        sort()
        guard entries.count > needed else { return }
        var kept: [UInt8] = []
        entries = entries.prefix(needed).map { entry in
            defer { kept.append(contentsOf: bytes[entry.start..<entry.start + entry.count]) }
            return Entry(prefix: entry.prefix, row: entry.row, start: kept.count, count: entry.count)
        }
        bytes = kept
        // If no rows are needed, the bound precedes all of them.
        bound = entries.last ?? Entry(prefix: 0, row: 0, start: 0, count: 0)
    }

    private static func prefix(of position: Span<UInt8>) -> UInt64 {
        var prefix: UInt64 = 0
        for place in 0..<8 { prefix = prefix << 8 | (place < position.count ? UInt64(position[place]) : 0) }
        return prefix
    }
}
