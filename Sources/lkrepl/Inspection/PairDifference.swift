import LevelKit

/// The differences between two databases, key by key; a merge of two cursors.
struct PairDifference {
    /// One difference.
    struct Item: Equatable {
        let key: [UInt8]
        /// The value in the first database; `nil` if the key does not exist.
        let first: [UInt8]?
        /// The value in the second database; `nil` if the key does not exist.
        let second: [UInt8]?
    }

    /// The range of keys to compare.
    let range: KeyRange

    /// Calls `body` with each difference, in key order. Both databases must have the bytewise order.
    func forEach(
        between first: any KeyValueReader, and second: any KeyValueReader, _ body: (Item) throws -> Void
    ) throws {
        var left = try first.cursor(in: range, cache: .bypass)
        var right = try second.cursor(in: range, cache: .bypass)
        var hasLeft = try left.advance()
        var hasRight = try right.advance()
        while hasLeft || hasRight {
            try Interruption.check()
            let order: Int =
                if !hasLeft {
                    1
                } else if !hasRight {
                    -1
                } else {
                    Self.compare(left.key, right.key)
                }
            if order < 0 {
                try body(Item(key: left.key.copied(), first: left.value.copied(), second: nil))
            } else if order > 0 {
                try body(Item(key: right.key.copied(), first: nil, second: right.value.copied()))
            } else if Self.compare(left.value, right.value) != 0 {
                try body(Item(key: left.key.copied(), first: left.value.copied(), second: right.value.copied()))
            }
            if order <= 0 { hasLeft = try left.advance() }
            if order >= 0 { hasRight = try right.advance() }
        }
    }

    private static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        let common = min(left.count, right.count)
        for index in 0..<common where left[index] != right[index] { return Int(left[index]) - Int(right[index]) }
        return left.count - right.count
    }
}
