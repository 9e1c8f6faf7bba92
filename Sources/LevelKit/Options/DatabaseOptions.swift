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
    /// The order of the keys. Stored with the database when it is made, and checked at every later open.
    public var order = KeyOrder.bytewise
    /// How long opening waits for another process, or another handle of this one, to let the database go.
    public var lockTimeout = Duration.zero
    /// How much is checked.
    public var integrity = Integrity.strict
    /// Whether every block of every table is read and checked before LevelDB reads it. Set this for a database that came from
    /// somebody else, such as an unpacked archive.
    ///
    /// A block can be forged so that its checksum matches and LevelDB ends the process when it reads it. Without this option
    /// the index and the first and last block of each table are checked, unless other users can change the files. With it,
    /// opening throws `corruption` with the file and the byte. Costs one more read of all tables at the opening.
    public var checksEveryBlock = false
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
        if bloomFilterBitsPerKey > 0 && !order.distinguishesBytes {
            throw LevelError(
                .invalidArgument,
                "bloomFilterBitsPerKey is \(bloomFilterBitsPerKey) and the order is \(order.name): a Bloom filter misses "
                    + "keys that compare equal and differ in bytes; set it to 0")
        }
        if case .custom = order.kind {
            guard !order.name.isEmpty, !order.name.hasPrefix("leveldb."), !order.name.utf8.contains(0) else {
                throw LevelError(
                    .invalidArgument,
                    "the order has the name \(order.name); give it one of its own that does not begin with leveldb.")
            }
        }
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

// MARK: - Presets

extension DatabaseOptions {
    /// For an app that reads and writes single records while a person waits: the defaults with a larger cache. Holds up
    /// to 8 MiB of writes and 32 MiB of blocks in memory.
    public static var interactive: DatabaseOptions {
        var options = DatabaseOptions()
        options.cacheByteCount = 32 << 20
        return options
    }

    /// For filling a database: large write buffers and tables, so that data is rewritten less often. Holds up to 128 MiB
    /// of writes in memory, and reads up to 64 MiB of log when it is opened after a crash.
    public static var bulkLoad: DatabaseOptions {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 20
        options.maxFileByteCount = 8 << 20
        options.cacheByteCount = 32 << 20
        return options
    }

    /// For small devices and many databases at once: at most 1 MiB of writes and 1 MiB of blocks in memory, and few open
    /// files. Writes cost about twice as much, because small buffers are merged more often.
    public static var lowMemory: DatabaseOptions {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 512 << 10
        options.cacheByteCount = 1 << 20
        options.maxOpenFileCount = 100
        return options
    }
}
