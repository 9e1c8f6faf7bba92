/// Puts rows in the order of a query, and keeps no more than are needed.
struct TopRows {
    struct Entry {
        let position: [UInt8]
        let row: UInt64
    }

    private let needed: Int
    private let byteLimit: Int
    private var byteCount = 0
    private var entries: [Entry] = []
    /// What is not before this is not needed.
    private var bound: [UInt8]?

    /// - Parameter needed: how many of the first; `nil` for all.
    init(needed: Int?, byteLimit: Int) {
        self.needed = needed ?? .max
        self.byteLimit = byteLimit
    }

    /// Whether a row at a position may be among the first.
    func admits(_ position: [UInt8]) -> Bool {
        guard let bound else { return true }
        return ValueOrder.compare(position.span, bound.span) < 0
    }

    /// - Throws: ``DocIndexError`` with `queryTooLarge` if memory does not suffice.
    mutating func add(_ position: [UInt8], row: UInt64) throws {
        entries.append(Entry(position: Array(position), row: row))
        // The bytes, their array and the entry.
        byteCount += position.count + 56
        // Sorting now and then and cutting off costs O(log needed) for each row, like a heap.
        if needed < .max / 4, entries.count >= 2 * needed + 1024 { cut() }
        if byteCount > byteLimit {
            throw DocIndexError(
                .queryTooLarge,
                "sorting needs more than \(byteLimit) bytes of memory; set a limit, or declare an index over the sort keys"
            )
        }
    }

    /// The rows that are needed, in order.
    mutating func sorted() -> [Entry] {
        cut()
        return entries
    }

    private mutating func cut() {
        entries.sort { $0.position.lexicographicallyPrecedes($1.position) }
        guard entries.count > needed else { return }
        entries.removeLast(entries.count - needed)
        bound = entries.last?.position ?? []
        byteCount = entries.reduce(0) { $0 + $1.position.count + 56 }
    }
}
