import LevelKit

/// LevelKit beside the raw C interface: the same keys, values, options and loops, in one process.
struct KeyValueComparisons {
    let ours: Database
    let peer: RawDatabase
    let pairs: [(key: [UInt8], value: [UInt8])]
    let shuffled: [(key: [UInt8], value: [UInt8])]

    init(directory: String, count: Int) throws {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 16 << 20
        options.cacheByteCount = 256 << 20
        ours = try Database.open(at: directory + "/ours", options: options)
        peer = RawDatabase(path: directory + "/peer", writeBufferByteCount: 16 << 20, cacheByteCount: 256 << 20)
        var generator = SplitMix64(state: 42)
        pairs = (0..<count).map { index in
            var key = Array("photo/".utf8)
            TupleEncoder.append(Int64(index) + 1_000_000, to: &key)
            // Half of each value can be compressed, as in LevelDB's own benchmark.
            var value = [UInt8](repeating: 0x61, count: 100)
            for position in 0..<50 { value[position] = UInt8(truncatingIfNeeded: generator.next()) }
            return (key, value)
        }
        shuffled = pairs.shuffled(using: &generator)
    }

    func comparisons() throws -> [Comparison] {
        try fill()
        let count = pairs.count
        let reads = Array(shuffled.prefix(count / 2))
        var comparisons = [
            Comparison(name: "put, rising keys", operationCount: count) {
                for (key, value) in pairs { try ours.put(value, forKey: key) }
                return 0
            } peer: {
                for (key, value) in pairs { peer.put(key, value) }
                return 0
            },
            Comparison(name: "put, random keys", operationCount: count) {
                for (key, value) in shuffled { try ours.put(value, forKey: key) }
                return 0
            } peer: {
                for (key, value) in shuffled { peer.put(key, value) }
                return 0
            },
            Comparison(name: "batches of 100 puts", operationCount: count) {
                for start in stride(from: 0, to: count, by: 100) {
                    let batch = WriteBatch()
                    for (key, value) in pairs[start..<min(start + 100, count)] { try batch.put(value, forKey: key) }
                    try ours.write(batch)
                }
                return 0
            } peer: {
                for start in stride(from: 0, to: count, by: 100) { peer.write(pairs[start..<min(start + 100, count)]) }
                return 0
            },
            Comparison(name: "compact", operationCount: 1) {
                try ours.compact()
                return 0
            } peer: {
                peer.compact()
                return 0
            },
            Comparison(name: "get, lent value", operationCount: reads.count) {
                try reads.reduce(0) { sum, pair in
                    sum
                        + (try ours.withValue(forKey: pair.key) { (value) throws(LevelError) in UInt64(value.count) + 1
                        } ?? 0)
                }
            } peer: {
                reads.reduce(0) { $0 + peer.get($1.key) }
            },
            Comparison(name: "get, owned copy", operationCount: reads.count) {
                try reads.reduce(0) { sum, pair in
                    sum + (try ours.value(forKey: pair.key).map { UInt64($0.count) + 1 } ?? 0)
                }
            } peer: {
                reads.reduce(0) { $0 + peer.get($1.key) }
            },
            Comparison(name: "get, absent key", operationCount: reads.count) {
                try reads.reduce(0) { sum, pair in
                    sum + (try ours.value(forKey: pair.key + [1]).map { UInt64($0.count) + 1 } ?? 0)
                }
            } peer: {
                reads.reduce(0) { $0 + peer.get($1.key + [1]) }
            },
            Comparison(name: "scan forward", operationCount: count) {
                try scan(reverse: false)
            } peer: {
                peer.scan(reverse: false, checksErrors: true)
            },
            Comparison(name: "scan forward, peer unchecked", operationCount: count) {
                try scan(reverse: false)
            } peer: {
                peer.scan(reverse: false, checksErrors: false)
            },
            Comparison(name: "scan forward, checked once", operationCount: count) {
                try scanCheckedOnce()
            } peer: {
                peer.scan(reverse: false, checksErrors: false)
            },
            Comparison(name: "scan backward", operationCount: count) {
                try scan(reverse: true)
            } peer: {
                peer.scan(reverse: true, checksErrors: true)
            },
            Comparison(name: "seek", operationCount: reads.count) {
                var cursor = try ours.cursor()
                var sum: UInt64 = 0
                for (key, _) in reads {
                    cursor.seek(to: key)
                    if try cursor.advance() { sum &+= UInt64(cursor.value.count) }
                }
                return sum
            } peer: {
                peer.seek(reads.map(\.key))
            },
        ]
        for index in comparisons.indices where comparisons[index].name.contains("put") {
            comparisons[index].rest = {
                try ours.compact()
                peer.compact()
            }
        }
        return comparisons
    }

    private func fill() throws {
        for (key, value) in pairs {
            try ours.put(value, forKey: key)
            peer.put(key, value)
        }
        try ours.compact()
        peer.compact()
    }

    /// Like the unchecked loop of the peer, which also checks for errors at its end.
    private func scanCheckedOnce() throws -> UInt64 {
        var sum: UInt64 = 0
        var cursor = try ours.cursor()
        while try cursor.advanceUnchecked() { sum &+= UInt64(cursor.key.count + cursor.value.count) }
        return sum
    }

    private func scan(reverse: Bool) throws -> UInt64 {
        var sum: UInt64 = 0
        var cursor = try ours.cursor(in: .all, direction: reverse ? .descending : .ascending)
        while try cursor.advance() { sum &+= UInt64(cursor.key.count + cursor.value.count) }
        return sum
    }
}

/// Random numbers with a seed (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
