import LevelKit

/// The keys of a database as a tree. Levels are delimited by characters, tuple elements, or the layout of a document
/// store (``KeyLevels``).
///
/// The tree is exact, without sampling and with few reads: from the first key of a child, the cursor seeks to the first
/// key without the child's prefix. Each child of a node costs one seek, however many keys lie below it.
struct KeyTree {
    /// One child of a prefix.
    struct Node: Equatable {
        /// The common prefix of the child's keys; the key itself for a key without a further level.
        var prefix: [UInt8]
        /// Whether the child has keys below it.
        var isBranch: Bool
        /// The approximate size in tables; 0 for data still in memory.
        var approximateByteCount: UInt64 = 0
        /// The number of keys; `nil` unless counted.
        var keyCount: Int?
    }

    /// The children of one prefix.
    struct Level: Equatable {
        var nodes: [Node] = []
        /// The first omitted child, if there are more than the limit.
        var nextPrefix: [UInt8]?
    }

    private let database: Database
    private let reader: any KeyValueReader
    /// The boundaries of levels.
    let levels: KeyLevels
    /// The number of seeks, for tests.
    private(set) var seekCount = 0
    /// The number of steps to the next key, for tests.
    private(set) var stepCount = 0

    init(_ database: Database, reader: any KeyValueReader, levels: KeyLevels) {
        self.database = database
        self.reader = reader
        self.levels = levels
    }

    /// The children of a prefix, in order.
    ///
    /// - Parameter limit: The maximum number of children.
    /// - Complexity: One seek for each child with keys below it, one step for each other child.
    mutating func children(of prefix: [UInt8], limit: Int = .max) throws -> Level {
        var level = Level()
        var cursor = try reader.cursor(in: levels.range(below: prefix), cache: .bypass)
        seekCount += 1
        while try cursor.advance() {
            try Interruption.check()
            stepCount += 1
            let node = node(of: cursor.key, below: prefix.count)
            // A tuple that is a prefix of others is part of their branch.
            if node.isBranch, let last = level.nodes.last, !last.isBranch, last.prefix == node.prefix {
                level.nodes.removeLast()
            }
            guard level.nodes.count < limit else {
                level.nextPrefix = node.prefix
                break
            }
            level.nodes.append(node)
            guard node.isBranch else { continue }
            guard let next = levels.end(ofPrefix: node.prefix) else { break }
            cursor.seek(to: next)
            seekCount += 1
        }
        return level
    }

    /// Adds the sizes of nodes, and the numbers of their keys if requested.
    func measure(_ nodes: inout [Node], counting: Bool) throws {
        for index in nodes.indices {
            try Interruption.check()
            let prefix = nodes[index].prefix
            let end = nodes[index].isBranch ? levels.end(ofPrefix: prefix) : prefix + [0]
            let below = end.map { KeyRange.range(from: prefix, to: $0) } ?? .prefix(prefix)
            nodes[index].approximateByteCount = try database.approximateByteCount(in: below)
            guard counting else { continue }
            nodes[index].keyCount = nodes[index].isBranch ? try count(below) : 1
        }
    }

    private func count(_ range: KeyRange) throws -> Int {
        var count = 0
        var cursor = try reader.cursor(in: range, cache: .bypass)
        while try cursor.advance() {
            count += 1
            if count % 256 == 0 { try Interruption.check() }
        }
        return count
    }

    private func node(of key: Span<UInt8>, below depth: Int) -> Node {
        guard let end = levels.end(in: key, behind: depth) else { return Node(prefix: key.copied(), isBranch: false) }
        // A delimiter at the end of a key still ends a level; a tuple element at the end completes the key.
        if end == key.count, case .delimiters = levels {
        } else if end == key.count {
            return Node(prefix: key.copied(), isBranch: false)
        }
        return Node(prefix: key.extracting(0..<end).copied(), isBranch: true)
    }

    // MARK: - Delimiters

    /// Common delimiters in keys, most likely first.
    private static let candidates = Array("/:!|.-_,;#\u{0}".utf8)

    /// The most likely levels of the keys below a prefix; `nil` if none can be detected.
    ///
    /// - Complexity: O(1): at most 64 positions in the database, four keys at each.
    static func levels(of reader: any KeyValueReader, below prefix: [UInt8]) throws -> KeyLevels? {
        let keys = try sample(of: reader, below: prefix)
        let tuples = keys.count { KeyMeaning.isTuple($0) }
        if tuples > 0, tuples * 10 >= keys.count * 9 { return .tuples }
        return delimiter(in: keys, below: prefix).map { .delimiters([$0]) }
    }

    /// The most likely delimiter of some keys: the one that most of them contain. `nil` if they contain none.
    private static func delimiter(in keys: [[UInt8]], below prefix: [UInt8]) -> UInt8? {
        var counts = [Int](repeating: 0, count: candidates.count)
        for key in keys {
            for (index, candidate) in candidates.enumerated()
            where key.dropFirst(prefix.count).dropFirst().dropLast().contains(candidate) {
                counts[index] += 1
            }
        }
        guard let most = counts.max(), most > 0 else { return nil }
        return candidates[counts.firstIndex { $0 * 10 >= most * 9 } ?? 0]
    }

    /// A deterministic sample of keys from distant positions.
    private static func sample(of reader: any KeyValueReader, below prefix: [UInt8]) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var cursor = try reader.cursor(in: .prefix(prefix), cache: .bypass)
        var place = 0
        while place < 64 {
            var last: [UInt8]?
            for _ in 0..<4 where try cursor.advance() {
                let key = cursor.key.copied()
                keys.append(key)
                last = key
            }
            guard let last else { break }
            // Continue at the next value of one of the following bytes.
            let depth = min(last.count, prefix.count + 1 + place % 3)
            guard let next = KeyRange.successor(ofPrefix: Array(last.prefix(max(1, depth)))) else { break }
            cursor.seek(to: next)
            place += 1
        }
        return keys
    }
}
