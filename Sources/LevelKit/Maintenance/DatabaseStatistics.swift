internal import LevelFiles

/// Where the data of a database lies, and what compactions have cost since it was opened.
public struct DatabaseStatistics: Sendable, Hashable {
    /// A table file.
    public struct Table: Sendable, Hashable {
        /// 0 for tables that came from memory and may overlap, up to 6 for the most merged.
        public let level: Int
        /// The number in the name of the file.
        public let number: UInt64
        /// Bytes in the file.
        public let byteCount: UInt64
    }

    /// One level of tables.
    public struct Level: Sendable, Hashable {
        /// 0 to 6.
        public let number: Int
        /// Table files in the level. Eight in level 0 slow writes down, twelve stop them until a compaction is done.
        public let tableCount: Int
        /// Bytes in them.
        public let byteCount: UInt64
        /// Time that compactions into this level have taken since the database was opened, in whole seconds.
        public let compactionSeconds: Int
        /// What they have read, in mebibytes.
        public let compactionReadMebibytes: Int
        /// What they have written, in mebibytes.
        public let compactionWrittenMebibytes: Int
    }

    /// The seven levels.
    public let levels: [Level]
    /// The table files, by level. ``Manifest`` has their ranges of keys as well.
    public let tables: [Table]
    /// Bytes that the engine holds in memory: write buffers and cache, about.
    public let approximateMemoryByteCount: UInt64

    /// Bytes in all tables.
    public var tableByteCount: UInt64 { levels.reduce(0) { $0 &+ $1.byteCount } }
}

extension Database {
    /// Where the data lies; see ``DatabaseStatistics``.
    ///
    /// - Throws: ``LevelError``: `closed`; `notSupported` if the engine does not tell.
    public func statistics() throws(LevelError) -> DatabaseStatistics {
        DatabaseStatistics(
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

extension DatabaseStatistics {
    /// Reads the engine's texts for people. All tables come from one text, so levels and tables agree.
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

    /// Lines `--- level 0 ---` and ` 5:1234['a' @ 1 : 1 .. 'b' @ 2 : 1]` (`Version::DebugString`). Keys are escaped so
    /// that no line breaks are in them, and not so that they could be read back.
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

    /// Lines of six numbers: level, files, size, seconds, mebibytes read, mebibytes written (`DBImpl::GetProperty`).
    private static func compactionCosts(_ text: String) -> [Int: [Int]] {
        var costs: [Int: [Int]] = [:]
        for line in text.split(separator: "\n") {
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            if numbers.count == 6 { costs[numbers[0]] = Array(numbers[3...]) }
        }
        return costs
    }
}
