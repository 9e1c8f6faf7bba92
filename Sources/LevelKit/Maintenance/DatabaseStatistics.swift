internal import LevelFiles

extension Database {
    /// The distribution of the data over levels and table files, and the cost of compactions since the database was opened.
    public struct Statistics: Sendable, Hashable {
        /// A table file.
        public struct Table: Sendable, Hashable {
            /// The level: 0 for flushed memtables, which may overlap, up to 6 for the most compacted tables.
            public let level: Int
            /// The number in the file name.
            public let number: UInt64
            /// The size of the file in bytes.
            public let byteCount: UInt64
        }

        /// A level of tables.
        public struct Level: Sendable, Hashable {
            /// The level, from 0 to 6.
            public let number: Int
            /// The number of table files in the level. Eight in level 0 slow down writes; twelve stop them until a
            /// compaction finishes.
            public let tableCount: Int
            /// The size of these files in bytes.
            public let byteCount: UInt64
            /// The duration of compactions into this level since the database was opened, in whole seconds.
            public let compactionSeconds: Int
            /// The data that those compactions read, in mebibytes.
            public let compactionReadMebibytes: Int
            /// The data that those compactions wrote, in mebibytes.
            public let compactionWrittenMebibytes: Int
        }

        /// The seven levels.
        public let levels: [Level]
        /// The table files, by level. ``Manifest`` also has their key ranges.
        public let tables: [Table]
        /// The approximate memory that LevelDB uses for write buffers and cache, in bytes.
        public let approximateMemoryByteCount: UInt64

        /// The size of all table files in bytes.
        public var tableByteCount: UInt64 { levels.reduce(0) { $0 &+ $1.byteCount } }
    }
}

extension Database {
    /// Returns the distribution of the data and the cost of compactions; see ``Database/Statistics``.
    ///
    /// - Throws: ``LevelError``: `closed`; `notSupported` if LevelDB lacks the properties.
    public func statistics() throws(LevelError) -> Database.Statistics {
        Database.Statistics(
            sstables: try engineText("leveldb.sstables"), stats: try engineText("leveldb.stats"),
            memory: try engineText("leveldb.approximate-memory-usage"))
    }

    private func engineText(_ name: String) throws(LevelError) -> String {
        guard let text = try property(name) else {
            throw LevelError(.notSupported, "this build of LevelDB has no property \(name); use version 1.20 or later")
        }
        return text
    }
}

extension Database.Statistics {
    /// Parses LevelDB's human-readable properties. All tables come from a single property, so levels and tables agree.
    init(sstables: String, stats: String, memory: String) {
        let tables = Self.tables(sstables)
        let costs = Self.compactionCosts(stats)
        self.tables = tables
        levels = (0..<VersionEdit.levelCount).map { number in
            let members = tables.filter { $0.level == number }
            let cost = costs[number]
            return Level(
                number: number, tableCount: members.count, byteCount: members.reduce(0) { $0 &+ $1.byteCount },
                compactionSeconds: cost?[0] ?? 0, compactionReadMebibytes: cost?[1] ?? 0,
                compactionWrittenMebibytes: cost?[2] ?? 0)
        }
        approximateMemoryByteCount = UInt64(memory) ?? 0
    }

    /// Parses lines such as `--- level 0 ---` and ` 5:1234['a' @ 1 : 1 .. 'b' @ 2 : 1]` (`Version::DebugString`). Keys
    /// are escaped so that they contain no line breaks, but the escapes cannot be reversed.
    private static func tables(_ text: String) -> [Table] {
        var tables: [Table] = []
        var level = 0
        for line in text.utf8.split(separator: 0x0a) {
            if line.starts(with: "--- level ".utf8) {
                let digits = line.dropFirst("--- level ".utf8.count).prefix { $0 != 0x20 }
                level = Int(String(decoding: digits, as: UTF8.self)) ?? level
                continue
            }
            let head = line.prefix { $0 != UInt8(ascii: "[") }.split(separator: UInt8(ascii: ":"))
            guard head.count == 2,
                let number = UInt64(String(decoding: head[0].drop { $0 == 0x20 }, as: UTF8.self)),
                let byteCount = UInt64(String(decoding: head[1], as: UTF8.self))
            else { continue }
            tables.append(Table(level: level, number: number, byteCount: byteCount))
        }
        return tables
    }

    /// Parses lines of six numbers: level, files, size, seconds, mebibytes read, mebibytes written
    /// (`DBImpl::GetProperty`).
    private static func compactionCosts(_ text: String) -> [Int: [Int]] {
        var costs: [Int: [Int]] = [:]
        for line in text.split(separator: "\n") {
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            if numbers.count == 6 { costs[numbers[0]] = Array(numbers[3...]) }
        }
        return costs
    }
}
