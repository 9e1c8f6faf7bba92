/// Counts occurrences of byte strings, without an allocation for known strings.
struct ByteCounts {
    private struct Entry {
        let hash: UInt64
        /// The range of the bytes in ``content``.
        let range: Range<Int>
        /// The row of the first occurrence.
        let row: UInt64
        var count: Int
    }

    private let hashing = SeededHash()
    private var content: [UInt8] = []
    private var entries: [Entry] = []
    /// A hash table with the indexes of entries; -1 for free places. At most half full; its size is a power of two.
    private var slots: [Int32] = []

    /// Counts an occurrence of these bytes.
    mutating func add(_ bytes: Span<UInt8>, row: UInt64) {
        if entries.count * 2 >= slots.count { grow() }
        let hash = hashing.hash(bytes)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] >= 0 {
            let entry = Int(slots[slot])
            if entries[entry].hash == hash, content.span.extracting(entries[entry].range).hasSameBytes(as: bytes) {
                entries[entry].count += 1
                return
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = Int32(entries.count)
        let start = content.count
        unsafe bytes.withUnsafeBufferPointer { unsafe content.append(contentsOf: $0) }
        entries.append(Entry(hash: hash, range: start..<content.count, row: row, count: 1))
    }

    private mutating func grow() {
        slots = Array(repeating: -1, count: max(64, slots.count * 2))
        for (position, entry) in entries.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.hash) & (slots.count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(position)
        }
    }

    /// Calls `body` with each byte string, in the order of first occurrence.
    func forEach(_ body: (_ bytes: Span<UInt8>, _ row: UInt64, _ count: Int) throws -> Void) rethrows {
        for entry in entries { try body(content.span.extracting(entry.range), entry.row, entry.count) }
    }
}
