import LevelKit

/// The keys of a database as a tree: what stands between delimiters is a level, or an element of a tuple, or what the
/// layout of a document store has as one (``KeyLevels``).
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
    /// Where levels end.
    let levels: KeyLevels
    /// How often a cursor was moved to another place.
    private(set) var seekCount = 0
    /// How often a cursor was moved to the next key.
    private(set) var stepCount = 0

    init(_ database: Database, reader: any KeyValueReader, levels: KeyLevels) {
        self.database = database
        self.reader = reader
        self.levels = levels
    }

    /// The children of a prefix, in order.
    ///
    /// - Parameter limit: how many at most.
    /// - Complexity: a seek for each child that has keys below it, a step for each that has none.
    mutating func children(of prefix: [UInt8], limit: Int = .max) throws -> Level {
        var level = Level()
        var cursor = try reader.cursor(in: levels.range(below: prefix), reverse: false, fillsCache: false)
        seekCount += 1
        while try cursor.advance() {
            try Interruption.check()
            stepCount += 1
            let node = node(of: cursor.key, below: prefix.count)
            // A tuple that is itself the beginning of others lies below them.
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

    /// Adds the sizes of nodes, and counts their keys if that is asked for.
    func measure(_ nodes: inout [Node], counting: Bool) throws {
        for index in nodes.indices {
            try Interruption.check()
            let prefix = nodes[index].prefix
            let end = nodes[index].isBranch ? levels.end(ofPrefix: prefix) : prefix + [0]
            nodes[index].approximateByteCount = try database.approximateByteCount(
                from: prefix, to: end ?? Array(repeating: 0xff, count: prefix.count + 16))
            guard counting else { continue }
            let below = end.map { KeyRange.from(prefix, to: $0) } ?? .prefix(prefix)
            nodes[index].keyCount = nodes[index].isBranch ? try count(below) : 1
        }
    }

    private func count(_ range: KeyRange) throws -> Int {
        var count = 0
        var cursor = try reader.cursor(in: range, reverse: false, fillsCache: false)
        while try cursor.advance() {
            count += 1
            if count % 256 == 0 { try Interruption.check() }
        }
        return count
    }

    private func node(of key: Span<UInt8>, below depth: Int) -> Node {
        guard let end = levels.end(in: key, behind: depth) else { return Node(prefix: key.copied(), isBranch: false) }
        // A delimiter that ends a key still ends a level; an element that does is all of the key.
        if end == key.count, case .delimiters = levels {
        } else if end == key.count {
            return Node(prefix: key.copied(), isBranch: false)
        }
        return Node(prefix: key.extracting(0..<end).copied(), isBranch: true)
    }

    // MARK: - Delimiters

    /// Characters that people put between the parts of keys, the likelier first.
    private static let candidates = Array("/:!|.-_,;#\u{0}".utf8)

    /// The levels that the keys below a prefix most probably have; `nil` where nothing can be told.
    ///
    /// - Complexity: O(1): at most 64 places of the database, four keys at each.
    static func levels(of reader: any KeyValueReader, below prefix: [UInt8]) throws -> KeyLevels? {
        let keys = try sample(of: reader, below: prefix)
        let tuples = keys.count { KeyMeaning.isTuple($0) }
        if tuples > 0, tuples * 10 >= keys.count * 9 { return .tuples }
        return delimiter(in: keys, below: prefix).map { .delimiters([$0]) }
    }

    /// The character that most probably ends the levels of the keys below a prefix: the one that most keys of a few hundred
    /// have. `nil` if they have none.
    ///
    /// - Complexity: as ``levels(of:below:)``.
    static func delimiter(of reader: any KeyValueReader, below prefix: [UInt8]) throws -> UInt8? {
        delimiter(in: try sample(of: reader, below: prefix), below: prefix)
    }

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

    /// Keys from places that are far from each other, the same each time.
    private static func sample(of reader: any KeyValueReader, below prefix: [UInt8]) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var cursor = try reader.cursor(in: .prefix(prefix), reverse: false, fillsCache: false)
        var place = 0
        while place < 64 {
            var last: [UInt8]?
            for _ in 0..<4 where try cursor.advance() {
                let key = cursor.key.copied()
                keys.append(key)
                last = key
            }
            guard let last else { break }
            // On to the next first byte of this level, or the next but one.
            let depth = min(last.count, prefix.count + 1 + place % 3)
            guard let next = KeyRange.successor(ofPrefix: Array(last.prefix(max(1, depth)))) else { break }
            cursor.seek(to: next)
            place += 1
        }
        return keys
    }
}
