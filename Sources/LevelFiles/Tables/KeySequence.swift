/// The keys of a table in turn, which must rise: by the bytes of the user's keys, and the newest version of a key first.
struct KeySequence {
    /// The key that was taken last; empty before the first.
    private var last: [UInt8] = []
    private var next: [UInt8] = []

    /// Takes the next key, of at least ``BlockSafety/numberByteCount`` bytes; `false` if it does not follow the last one.
    ///
    /// - Parameters:
    ///   - shared: how many bytes of the last key it begins with.
    ///   - rest: the bytes behind.
    @unsafe mutating func takes(_ shared: Int, _ rest: UnsafeBufferPointer<UInt8>) -> Bool {
        next.removeAll(keepingCapacity: true)
        next.append(contentsOf: last.prefix(shared))
        unsafe next.append(contentsOf: rest)
        let isBehind = last.isEmpty || Self.compare(last, next) < 0
        swap(&last, &next)
        return isBehind
    }

    /// Takes the key that stands in the index for a block, behind the keys of the block; `false` if it lies before one.
    mutating func takes(separator: [UInt8]) -> Bool {
        let isBehind = last.isEmpty || Self.compare(last, separator) <= 0
        last = separator
        return isBehind
    }

    private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
        let (first, second) = (a.dropLast(BlockSafety.numberByteCount), b.dropLast(BlockSafety.numberByteCount))
        if first.lexicographicallyPrecedes(second) { return -1 }
        if second.lexicographicallyPrecedes(first) { return 1 }
        // Little-endian; larger numbers come first.
        for (a, b) in zip(
            a.suffix(BlockSafety.numberByteCount).reversed(), b.suffix(BlockSafety.numberByteCount).reversed())
        where a != b { return a > b ? -1 : 1 }
        return 0
    }
}
