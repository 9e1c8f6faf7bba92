import DocIndex

/// A distribution of sizes by powers of two, and the largest sizes.
struct SizeDistribution {
    /// One of the largest pairs.
    struct Pair: Equatable {
        var size: Int
        var key: [UInt8]
        var valueByteCount: Int
    }

    /// The sizes from one power of two to the next.
    struct Bucket: Equatable {
        var range: ClosedRange<Int>
        var count: Int
        var byteCount: Int
    }

    private let topCount: Int
    private var counts = [Int](repeating: 0, count: 64)
    private var byteCounts = [Int](repeating: 0, count: 64)
    /// The largest sizes so far; a min-heap once it has `topCount` elements.
    private var kept: [Pair] = []
    /// The number of sizes.
    private(set) var count = 0

    /// - Parameter topCount: The number of largest sizes to keep, at least one.
    init(topCount: Int) { self.topCount = max(1, topCount) }

    /// Adds a size.
    ///
    /// - Returns: Whether it is among the largest so far; if so, the caller must call ``keep(_:key:valueByteCount:)``.
    mutating func add(_ size: Int) -> Bool {
        count += 1
        let bucket = size == 0 ? 0 : Int.bitWidth - size.leadingZeroBitCount
        counts[bucket] += 1
        byteCounts[bucket] += size
        return kept.count < topCount || size > kept[0].size
    }

    /// Keeps one of the largest pairs.
    ///
    /// - Complexity: O(log n) in the number of kept pairs.
    mutating func keep(_ size: Int, key: [UInt8], valueByteCount: Int) {
        let pair = Pair(size: size, key: key, valueByteCount: valueByteCount)
        guard kept.count == topCount else {
            kept.append(pair)
            if kept.count == topCount { kept.sort { $0.size < $1.size } }
            return
        }
        kept[0] = pair
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < kept.count && kept[child].size < kept[least].size
            {
                least = child
            }
            if least == index { return }
            kept.swapAt(index, least)
            index = least
        }
    }

    /// The largest pairs, largest first; pairs of equal size in key order.
    var largest: [Pair] {
        kept.sorted { left, right in
            left.size != right.size ? left.size > right.size : left.key.lexicographicallyPrecedes(right.key)
        }
    }

    /// The nonempty ranges between powers of two.
    var buckets: [Bucket] {
        counts.indices.filter { counts[$0] > 0 }.map { bucket in
            let range = bucket == 0 ? 0...0 : (1 << (bucket - 1))...(1 << (bucket - 1)) * 2 - 1
            return Bucket(range: range, count: counts[bucket], byteCount: byteCounts[bucket])
        }
    }

    /// The distribution as text lines.
    var lines: [String] {
        let most = counts.max() ?? 0
        return buckets.map { bucket in
            let bar = String(repeating: "#", count: most == 0 ? 0 : (bucket.count * 40 + most - 1) / most)
            let label = bucket.range.upperBound == 0 ? "0" : "\(bucket.range.lowerBound)-\(bucket.range.upperBound)"
            let count = HumanNumber.grouped(bucket.count)
            return String(repeating: " ", count: max(0, 22 - label.count)) + label + " B "
                + String(repeating: " ", count: max(0, 14 - count.count)) + count + " " + bar
        }
    }
}
