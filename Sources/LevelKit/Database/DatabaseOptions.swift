/// How a database is opened.
///
/// The defaults are safe: damage is found, not passed on. LevelDB itself clamps values out of range without a word;
/// ``validate()`` refuses them instead.
public struct DatabaseOptions: Sendable, Hashable {
    /// How much of what is read is checked.
    public enum Integrity: Sendable, Hashable {
        /// Every block read is checked against its checksum, and damage found while opening or compacting stops the
        /// operation. Costs about a quarter of the speed of an uncompressed scan, and a microsecond on a point read
        /// that misses the cache.
        case strict
        /// As LevelDB's own defaults: damaged blocks may be skipped, dropped or returned. For salvage only.
        case relaxed
    }

    /// How blocks are compressed on disk.
    public enum Compression: Sendable, Hashable {
        /// Blocks are stored as they are.
        case none
        /// Google's Snappy.
        case snappy
    }

    /// Whether a database is made where there is none. Parent directories are made as well.
    public var createIfMissing = true
    /// Whether finding a database is an error.
    public var errorIfExists = false
    /// How much is checked.
    public var integrity = Integrity.strict
    /// How blocks are compressed.
    public var compression = Compression.snappy
    /// Bytes gathered in memory (and in the log) before they become a sorted table: 64 KiB to 1 GiB. Up to two such
    /// buffers are held. Larger is faster for bulk writes and slower to open after a crash.
    public var writeBufferByteCount = 4 << 20
    /// Bytes of uncompressed blocks kept in memory.
    public var cacheByteCount = 8 << 20
    /// Bytes of user data in one block, before compression: 1 KiB to 4 MiB.
    public var blockByteCount = 4 << 10
    /// Bytes in one table file: 1 MiB to 1 GiB.
    public var maxFileByteCount = 2 << 20
    /// Table files kept open: 74 to 50,000.
    public var maxOpenFileCount = 1000
    /// Bits of Bloom filter for each key, 0 for no filter, at most 64. Ten bits answer 99 of 100 misses without a disk
    /// read.
    public var bloomFilterBitsPerKey = 10

    /// The default options.
    public init() {}

    /// Checks that every value is one that LevelDB takes as given.
    ///
    /// - Throws: ``LevelError`` with `invalidArgument` that names the option, its value and its limits.
    public func validate() throws(LevelError) {
        try Self.check("writeBufferByteCount", writeBufferByteCount, 64 << 10...1 << 30)
        try Self.check("cacheByteCount", cacheByteCount, 0...Int.max)
        try Self.check("blockByteCount", blockByteCount, 1 << 10...4 << 20)
        try Self.check("maxFileByteCount", maxFileByteCount, 1 << 20...1 << 30)
        // SanitizeOptions clamps to this range (db/db_impl.cc).
        try Self.check("maxOpenFileCount", maxOpenFileCount, 74...50_000)
        try Self.check("bloomFilterBitsPerKey", bloomFilterBitsPerKey, 0...64)
        if errorIfExists && !createIfMissing {
            throw LevelError(
                .invalidArgument,
                "errorIfExists needs createIfMissing: without it no path could be opened; set one of them only")
        }
    }

    private static func check(_ name: String, _ value: Int, _ limits: ClosedRange<Int>) throws(LevelError) {
        guard limits.contains(value) else {
            throw LevelError(
                .invalidArgument,
                "\(name) is \(value); choose a value from \(limits.lowerBound) to \(limits.upperBound)")
        }
    }
}
