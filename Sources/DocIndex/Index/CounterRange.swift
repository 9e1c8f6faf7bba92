internal import LevelKit

/// A range of entries of a counted index, as a range of its counters.
///
/// The entries of a value are `V index value row`, and its counter is `G index value`. Bounds of entries lie between
/// entries: the value is followed by the byte 0x01, which is less than the first byte of a row. For index 1 and the
/// condition `year between 1930, 1931`:
///
///     entries    from 56 15 01 0a c0 9e 28 00 01    to 56 15 01 0a c0 9e 2c 00 fe
///     counters   from 47 15 01 0a c0 9e 28 00       to 47 15 01 0a c0 9e 2c 00 fe
///
/// The order of counters is not quite that of entries, so the range of counters may be too wide. Each counter is
/// compared with the bounds as the first entry of its value would be.
struct CounterRange {
    private let lower: [UInt8]
    private let upper: [UInt8]
    /// The length of `V index`.
    private let prefixCount: Int
    /// The length of `G index`.
    private let counterPrefixCount: Int
    /// The keys of the counters. The range may include counters outside of the bounds.
    let counters: KeyRange

    /// Creates a range of counters; `nil` if the bounds cannot result from a scan of the index.
    init?(of range: KeyRange, in index: ValueIndex) {
        guard case .included(let lower) = range.lower, case .excluded(let upper) = range.upper else { return nil }
        prefixCount = index.entryPrefix.count
        guard lower.count > prefixCount, upper.count >= prefixCount else { return nil }
        self.lower = lower
        self.upper = upper
        let keys = IndexCounters(index: index)
        counterPrefixCount = keys.key([]).count
        var start = lower.last == 0x01 ? lower.dropLast() : lower[...]
        if index.components.contains(where: { $0.order == .descending }) {
            start = Self.beginning(of: start, from: prefixCount)
        }
        counters = .range(from: keys.key(start[prefixCount...]), to: keys.key(upper[prefixCount...]))
    }

    /// Returns the bound at which the counters of a descending index begin.
    ///
    /// The complement of a string ends with `ff`. In descending order, a longer string comes before the entries of its
    /// prefix, but its counter comes after that of the prefix. So the range starts at the prefix, which ends where
    /// `ff 00` (the complement of an escaped zero byte) could be part of the longer string.
    private static func beginning(of bound: ArraySlice<UInt8>, from offset: Int) -> ArraySlice<UInt8> {
        let end = bound.indices.dropFirst(offset).dropLast().first { bound[$0] == 0xff && bound[$0 + 1] == 0 }
        return end.map { bound[...$0] } ?? bound
    }

    /// For a scan of one value: the encoded value.
    var singleValue: ArraySlice<UInt8> { lower.dropLast()[prefixCount...] }

    /// For a scan of one value: the bytes that its entries begin with.
    var entryBeginning: [UInt8] { Array(lower.dropLast()) }

    /// Sets `entry` to the first possible entry of a counter's value.
    ///
    /// - Returns: whether the entry is within the range.
    func setFirstEntry(_ entry: inout [UInt8], ofCounter key: Span<UInt8>) -> Bool {
        entry.removeAll(keepingCapacity: true)
        entry.append(contentsOf: lower[..<prefixCount])
        for offset in counterPrefixCount..<key.count { entry.append(key[offset]) }
        StoreKey.appendRow(1, to: &entry)
        return !entry.lexicographicallyPrecedes(lower) && entry.lexicographicallyPrecedes(upper)
    }
}
