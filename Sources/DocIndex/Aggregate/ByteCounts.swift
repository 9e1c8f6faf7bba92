/// Counts occurrences of byte strings, without an allocation for known strings.
struct ByteCounts {
    private var strings = ByteDictionary()
    /// For each string, the row of its first occurrence, and the number of occurrences.
    private var entries: [(row: UInt64, count: Int)] = []

    /// Counts an occurrence of these bytes.
    mutating func add(_ bytes: Span<UInt8>, row: UInt64) {
        let number = strings.add(bytes)
        if number == entries.count { entries.append((row, 0)) }
        entries[number].count += 1
    }

    /// Calls `body` with each byte string, in the order of first occurrence.
    func forEach(_ body: (_ bytes: Span<UInt8>, _ row: UInt64, _ count: Int) throws -> Void) rethrows {
        for (number, entry) in entries.enumerated() { try body(strings[number], entry.row, entry.count) }
    }
}
