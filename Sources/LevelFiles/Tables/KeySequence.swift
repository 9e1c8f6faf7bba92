/// Checks the keys of a table. Their kinds are known, and their numbers are at most the last that a
/// table can have. The keys ascend: by the bytes of the user keys, and newest first for equal user keys.
struct KeySequence {
    private let isBytewise: Bool
    private let lastSequence: UInt64
    /// The last key; empty before the first.
    private(set) var last: [UInt8] = []
    /// The first key; `nil` before it.
    private(set) var first: [UInt8]?
    /// The Bloom filter of the block, which must not exclude its keys; `nil` for none.
    var filter: ArraySlice<UInt8>?
    /// Whether a filter excluded a key.
    private(set) var hasExcludedKey = false
    private var next: [UInt8] = []

    /// - Parameters:
    ///   - isBytewise: whether the user keys are in bytewise order. If not, only the numbers are checked.
    ///   - lastSequence: the largest number that a write in a table can have; see ``BatchOrder/tableLimit(_:before:)``.
    init(isBytewise: Bool, upTo lastSequence: UInt64) {
        self.isBytewise = isBytewise
        self.lastSequence = lastSequence
    }

    /// Takes the next key, of at least ``BlockSafety/numberByteCount`` bytes. Returns the reason that LevelDB cannot
    /// have written it here, as a clause, or `nil` if it can.
    ///
    /// - Parameters:
    ///   - shared: the number of bytes shared with the last key.
    ///   - rest: the remaining bytes.
    @unsafe mutating func fault(adding shared: Int, _ rest: UnsafeBufferPointer<UInt8>) -> String? {
        next.removeAll(keepingCapacity: true)
        next.append(contentsOf: last.prefix(shared))
        unsafe next.append(contentsOf: rest)
        let isBehind = !isBytewise || last.isEmpty || Self.compare(last, next) < 0
        swap(&last, &next)
        if first == nil { first = last }
        guard isBehind else { return "its block has keys out of order" }
        let kind = last[last.count - BlockSafety.numberByteCount]
        guard InternalKey.Kind(rawValue: kind) != nil else { return "its block has a key of an unknown kind (\(kind))" }
        let sequence = Self.sequence(of: last)
        guard sequence <= lastSequence else {
            return "its block has write \(sequence), but by the manifest and the logs the last write in tables is "
                + "\(lastSequence)"
        }
        if let filter, !BloomFilter.mayContain(last.dropLast(BlockSafety.numberByteCount), filter: filter) {
            hasExcludedKey = true
        }
        return nil
    }

    /// Takes the index key of a block, after the keys of the block. Returns `false` if it sorts before one of them.
    mutating func takes(separator: [UInt8]) -> Bool {
        let isBehind = !isBytewise || last.isEmpty || Self.compare(last, separator) <= 0
        last = separator
        return isBehind
    }

    /// Starts over after a block whose keys are unknown.
    mutating func restart() { last = [] }

    private static func sequence(of key: [UInt8]) -> UInt64 {
        // The byte of the kind is the first of the number.
        key.suffix(BlockSafety.numberByteCount - 1).reversed().reduce(0) { $0 << 8 | UInt64($1) }
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
