/// LevelDB's Bloom filter (`util/bloom.cc`): the bits, followed by a byte with the number of probes.
package enum BloomFilter {
    /// The name under which tables refer to it.
    package static let name = "leveldb.BuiltinBloomFilter2"

    /// Returns whether a filter may contain a key. Returns `true` for an unknown kind of filter.
    package static func mayContain(_ key: ArraySlice<UInt8>, filter: ArraySlice<UInt8>) -> Bool {
        guard filter.count >= 2, let probeCount = filter.last else { return false }
        // Reserved for other encodings of short filters, which count as a match.
        guard probeCount <= 30 else { return true }
        let bitCount = UInt64(filter.count - 1) * 8
        var hash = self.hash(key)
        // Double hashing (Kirsch and Mitzenmacher, 2006).
        let delta = hash >> 17 | hash << 15
        for _ in 0..<probeCount {
            let bit = Int(UInt64(hash) % bitCount)
            guard filter[filter.startIndex + bit / 8] & 1 << UInt8(bit % 8) != 0 else { return false }
            hash &+= delta
        }
        return true
    }

    /// Returns LevelDB's hash of bytes (`util/hash.cc`), by default with the seed of Bloom filters.
    static func hash(_ bytes: ArraySlice<UInt8>, seed: UInt32 = 0xbc9f_1d34) -> UInt32 {
        let multiplier: UInt32 = 0xc6a4_a793
        var hash = seed ^ UInt32(truncatingIfNeeded: bytes.count) &* multiplier
        var rest = bytes
        while rest.count >= 4 {
            hash &+= rest.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
            hash = hash &* multiplier
            hash ^= hash >> 16
            rest = rest.dropFirst(4)
        }
        if !rest.isEmpty {
            hash &+= rest.reversed().reduce(0) { $0 << 8 | UInt32($1) }
            hash = hash &* multiplier
            hash ^= hash >> 24
        }
        return hash
    }
}
