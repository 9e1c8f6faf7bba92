import LevelKit

/// The keys of a database as a tree: what stands between delimiters is a level.
///
/// Nothing is sampled and little is read: from the first key of a child the cursor goes on to the first key that does not
/// begin with the child's prefix. So the children of a node cost a seek each, however many keys lie below them.
struct KeyTree {
    /// One child of a prefix.
    struct Node: Equatable {
        /// The keys of the child begin with this; of a key without a further delimiter, the key itself.
        var prefix: [UInt8]
        /// Whether more keys lie below; a key alone has none.
        var isBranch: Bool
        /// Bytes that tables hold for it, about; 0 for what is still in memory.
        var approximateByteCount: UInt64 = 0
        /// How many keys there are; `nil` unless they were counted.
        var keyCount: Int?
    }

    /// The children of one prefix.
    struct Level: Equatable {
        var nodes: [Node] = []
        /// Where listing stopped, if there are more children than were asked for.
        var nextPrefix: [UInt8]?
    }

    private let database: Database
    private let reader: any KeyValueReader
    /// The bytes that end a level.
    let delimiters: Set<UInt8>
    /// How often a cursor was moved to another place.
    private(set) var seekCount = 0
    /// How often a cursor was moved to the next key.
    private(set) var stepCount = 0

    init(_ database: Database, reader: any KeyValueReader, delimiters: Set<UInt8>) {
        self.database = database
        self.reader = reader
        self.delimiters = delimiters
    }

    /// The children of a prefix, in order.
    ///
    /// - Parameter limit: how many at most.
    /// - Complexity: a seek for each child that has a delimiter, a step for each that has none.
    mutating func children(of prefix: [UInt8], limit: Int = .max) throws -> Level {
        var level = Level()
        var cursor = try reader.cursor(in: .prefix(prefix), reverse: false, fillsCache: false)
        seekCount += 1
        while try cursor.advance() {
            try Interruption.check()
            stepCount += 1
            let node = node(of: cursor.key, below: prefix.count)
            guard level.nodes.count < limit else {
                level.nextPrefix = node.prefix
                break
            }
            level.nodes.append(node)
            guard node.isBranch else { continue }
            guard let next = KeyRange.successor(ofPrefix: node.prefix) else { break }
            cursor.seek(to: next)
            seekCount += 1
        }
        return level
    }

    /// Adds the sizes of nodes, and counts their keys if that is asked for.
    func measure(_ nodes: inout [Node], counting: Bool) throws {
        for index in nodes.indices {
            try Interruption.check()
            let prefix = nodes[index].prefix
            let end = nodes[index].isBranch ? KeyRange.successor(ofPrefix: prefix) : prefix + [0]
            nodes[index].approximateByteCount = try database.approximateByteCount(
                from: prefix, to: end ?? Array(repeating: 0xff, count: prefix.count + 16))
            guard counting else { continue }
            nodes[index].keyCount = nodes[index].isBranch ? try reader.count(in: .prefix(prefix)) : 1
        }
    }

    private func node(of key: Span<UInt8>, below depth: Int) -> Node {
        for index in depth..<max(depth, key.count) where delimiters.contains(key[index]) {
            return Node(prefix: key.extracting(0...index).copied(), isBranch: true)
        }
        return Node(prefix: key.copied(), isBranch: false)
    }

    // MARK: - Delimiters

    /// Characters that people put between the parts of keys, the likelier first.
    private static let candidates = Array("/:!|.-_,;#\u{0}".utf8)

    /// The character that most probably ends the levels of the keys below a prefix: the one that most keys of a few hundred
    /// have. `nil` if they have none.
    ///
    /// - Complexity: O(1): at most 64 places of the database, four keys at each.
    static func delimiter(of reader: any KeyValueReader, below prefix: [UInt8]) throws -> UInt8? {
        var counts = [Int](repeating: 0, count: candidates.count)
        var cursor = try reader.cursor(in: .prefix(prefix), reverse: false, fillsCache: false)
        var place = 0
        while place < 64 {
            var last: [UInt8]?
            for _ in 0..<4 where try cursor.advance() {
                let key = cursor.key.copied()
                for (index, candidate) in candidates.enumerated()
                where key.dropFirst(prefix.count).dropFirst().dropLast().contains(candidate) {
                    counts[index] += 1
                }
                last = key
            }
            guard let last else { break }
            // On to the next first byte of this level, or the next but one: far away, and the same each time.
            let depth = min(last.count, prefix.count + 1 + place % 3)
            guard let next = KeyRange.successor(ofPrefix: Array(last.prefix(max(1, depth)))) else { break }
            cursor.seek(to: next)
            place += 1
        }
        guard let most = counts.max(), most > 0 else { return nil }
        return candidates[counts.firstIndex { $0 * 10 >= most * 9 } ?? 0]
    }
}
