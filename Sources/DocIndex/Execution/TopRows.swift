/// Puts rows in the order of a query, and keeps no more than are needed.
///
/// The bytes of all positions lie one behind the other, and the first eight of each stand in its entry as a number: most
/// comparisons need no more.
struct TopRows {
    private struct Entry {
        /// The first eight bytes, as a number, so that their order is that of numbers; zeros behind a shorter position.
        let prefix: UInt64
        let row: UInt64
        let start: Int
        let count: Int
    }

    private let needed: Int
    private let byteLimit: Int
    private var entries: [Entry] = []
    private var bytes: [UInt8] = []
    /// What is not before this is not needed.
    private var bound: Entry?

    /// - Parameters:
    ///   - needed: how many of the first; `nil` for all.
    ///   - byteLimit: memory for positions that may be used.
    init(needed: Int?, byteLimit: Int) {
        self.needed = needed ?? .max
        self.byteLimit = byteLimit
    }

    /// Adds a row at a position, unless it cannot be among the first. No two rows have the same position.
    ///
    /// - Throws: ``DocIndexError`` with `queryTooLarge` if memory does not suffice.
    /// - Complexity: O(log *needed*) comparisons for each row, taken together.
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
        // Sorting now and then and cutting off costs O(log needed) for each row, like a heap.
        if needed < .max / 4, entries.count >= 2 * needed + 256 { cut() }
        if bytes.count + entries.count * MemoryLayout<Entry>.stride > byteLimit {
            throw DocIndexError(
                .queryTooLarge,
                "sorting needs more than \(byteLimit) bytes of memory; set a limit, or declare an index over the sort keys"
            )
        }
    }

    /// The rows that are needed, in order.
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

    /// Forgets what is not needed.
    private mutating func cut() {
        sort()
        guard entries.count > needed else { return }
        var kept: [UInt8] = []
        entries = entries.prefix(needed).map { entry in
            defer { kept.append(contentsOf: bytes[entry.start..<entry.start + entry.count]) }
            return Entry(prefix: entry.prefix, row: entry.row, start: kept.count, count: entry.count)
        }
        bytes = kept
        // Of none that are needed, the bound is before all.
        bound = entries.last ?? Entry(prefix: 0, row: 0, start: 0, count: 0)
    }

    private static func prefix(of position: Span<UInt8>) -> UInt64 {
        var prefix: UInt64 = 0
        for place in 0..<8 { prefix = prefix << 8 | (place < position.count ? UInt64(position[place]) : 0) }
        return prefix
    }
}
