/// A set of rows with one bit per row. Rows are numbered from 1 without large gaps, so a million rows take 125 KB.
struct RowBitmap: Sendable {
    private var words: [UInt64] = []
    /// The number of rows.
    private(set) var count = 0

    init() {}

    init(_ rows: [UInt64]) {
        for row in rows { insert(row) }
    }

    /// Inserts a row. Returns `false` if it was already present.
    @discardableResult
    mutating func insert(_ row: UInt64) -> Bool {
        // Rows come from keys that may be damaged. No store has this many.
        guard row < 1 << 36 else { return false }
        let word = Int(row >> 6)
        if word >= words.count {
            words.append(contentsOf: repeatElement(0, count: max(word + 1 - words.count, words.count)))
        }
        let bit: UInt64 = 1 << (row & 63)
        if words[word] & bit != 0 { return false }
        words[word] |= bit
        count += 1
        return true
    }

    /// Creates the set with these bits, the first of which belongs to row 0.
    init(words: [UInt64]) {
        self.words = words
        recount()
    }

    /// Calls `body` with each row in ascending order.
    @inline(__always)
    func forEach(_ body: (Int) -> Void) {
        for (position, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                body(position << 6 | rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }

    func contains(_ row: UInt64) -> Bool {
        let word = row >> 6
        guard word < UInt64(words.count) else { return false }
        return words[Int(word)] & 1 << (row & 63) != 0
    }

    /// Returns the first row after another; `nil` if there is none.
    func next(after row: UInt64) -> UInt64? {
        guard row < .max else { return nil }
        var position = Int(clamping: (row + 1) >> 6)
        guard position < words.count else { return nil }
        var word = words[position] & ~0 << ((row + 1) & 63)
        while word == 0 {
            position += 1
            guard position < words.count else { return nil }
            word = words[position]
        }
        return UInt64(position) << 6 | UInt64(word.trailingZeroBitCount)
    }

    /// Inserts the rows of another set.
    mutating func formUnion(_ other: RowBitmap) {
        if other.words.count > words.count {
            words.append(contentsOf: repeatElement(0, count: other.words.count - words.count))
        }
        for position in other.words.indices { words[position] |= other.words[position] }
        recount()
    }

    /// Removes the rows that are not in another set.
    mutating func formIntersection(_ other: RowBitmap) {
        if words.count > other.words.count { words.removeSubrange(other.words.count...) }
        for position in words.indices { words[position] &= other.words[position] }
        recount()
    }

    private mutating func recount() { count = words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// The rows in ascending order.
    var sorted: [UInt64] {
        var rows: [UInt64] = []
        rows.reserveCapacity(count)
        forEach { rows.append(UInt64($0)) }
        return rows
    }
}
