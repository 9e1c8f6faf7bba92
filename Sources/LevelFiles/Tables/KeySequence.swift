/// Checks that the keys of a table ascend: by the bytes of the user keys, and newest first for equal user keys.
struct KeySequence {
    /// The last key; empty before the first.
    private var last: [UInt8] = []
    private var next: [UInt8] = []

    /// Takes the next key, of at least ``BlockSafety/numberByteCount`` bytes. Returns `false` if it does not follow the
    /// last one.
    ///
    /// - Parameters:
    ///   - shared: the number of bytes shared with the last key.
    ///   - rest: the remaining bytes.
    @unsafe mutating func takes(_ shared: Int, _ rest: UnsafeBufferPointer<UInt8>) -> Bool {
        next.removeAll(keepingCapacity: true)
        next.append(contentsOf: last.prefix(shared))
        unsafe next.append(contentsOf: rest)
        let isBehind = last.isEmpty || Self.compare(last, next) < 0
        swap(&last, &next)
        return isBehind
    }

    /// Takes the index key of a block, after the keys of the block. Returns `false` if it sorts before one of them.
    mutating func takes(separator: [UInt8]) -> Bool {
        let isBehind = last.isEmpty || Self.compare(last, separator) <= 0
        last = separator
        return isBehind
    }

    private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
        let (first, second) = (a.dropLast(BlockSafety.numberByteCount), b.dropLast(BlockSafety.numberByteCount))
        if first.lexicographicallyPrecedes(second) { return -1 }
        if second.lexicographicallyPrecedes(first) { return 1 }
        // The number is little-endian, and larger numbers sort first.
        for (a, b) in zip(
            a.suffix(BlockSafety.numberByteCount).reversed(), b.suffix(BlockSafety.numberByteCount).reversed())
        where a != b { return a > b ? -1 : 1 }
        return 0
    }
}
