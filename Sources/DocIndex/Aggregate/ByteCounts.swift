/// Counts occurrences of byte strings, without an allocation for known strings.
struct ByteCounts {
    private(set) var strings = ByteDictionary()
    /// For each string, the row of its first occurrence, and the number of occurrences.
    private(set) var entries: [(row: UInt64, count: Int)] = []

    /// Counts an occurrence of these bytes.
    mutating func add(_ bytes: Span<UInt8>, row: UInt64) {
        let number = strings.add(bytes)
        if number == entries.count { entries.append((row, 0)) }
        entries[number].count += 1
    }
}

extension ByteDictionary {
    /// Returns the values that the strings encode as parts of bodies, with their counts, at least the `limit` most frequent
    /// ones; `nil` for all.
    ///
    /// - Parameters:
    ///   - counts: other values with their counts.
    ///   - count: the count of a string; values with 0 are left out.
    ///   - value: decodes a string.
    func facets<Failure: Error>(
        limit: Int?, beside counts: [DocumentValue: Int] = [:], count: (Int) -> Int,
        value: (Int) throws(Failure) -> DocumentValue
    ) throws(Failure) -> [DocumentCollection.Facet] {
        var counts = counts
        var texts: [Int] = []
        for number in 0..<self.count where count(number) > 0 {
            if BodyFormat.isText(self[number][0]) {
                texts.append(number)
            } else {
                // Equal numbers may have different bytes.
                counts[OrderedValue.canonical(try value(number)), default: 0] += count(number)
            }
        }
        // A string may have been counted with other values of its list, and the digest of an attachment is one.
        let hasStrings = counts.keys.contains { if case .string = $0 { true } else { false } }
        var largest = LargestCounts(limit: hasStrings ? nil : limit)
        for number in texts { largest.add(count(number)) }
        for number in texts where count(number) >= largest.least {
            counts[try value(number), default: 0] += count(number)
        }
        return counts.map { DocumentCollection.Facet(value: $0.key, count: $0.value) }
    }
}
