/// The options for opening a database.
///
/// The defaults are safe: corruption is reported and not passed on. LevelDB silently clamps values that are out of
/// range; ``validate()`` rejects them instead.
public struct DatabaseOptions: Sendable, Hashable {
    /// How thoroughly data is checked when it is read.
    public enum Integrity: Sendable, Hashable {
        /// Every block is checked against its checksum, and corruption found while opening or compacting stops the
        /// operation. Costs about a quarter of the speed of an uncompressed scan, and a microsecond on a point read
        /// that misses the cache.
        case strict
        /// LevelDB's defaults: corrupt blocks may be skipped, dropped or returned. For salvage only.
        case relaxed
    }

    /// The compression of blocks on disk.
    public enum Compression: Sendable, Hashable {
        /// Blocks are stored uncompressed.
        case none
        /// Google's Snappy.
        case snappy
    }

    /// Whether a missing database is created, along with missing parent directories.
    public var createIfMissing = true
    /// Whether an existing database is an error.
    public var errorIfExists = false
    /// The order of the keys. Stored when the database is created, and checked at every later open.
    public var order = KeyOrder.bytewise
    /// How long opening waits for another process, or for another handle in this process, to release the database.
    public var lockTimeout = Duration.zero
    /// How thoroughly data is checked.
    public var integrity = Integrity.strict
    /// Whether every block of every table file is read and checked before LevelDB reads it. Set this for a database
    /// from an untrusted source, such as an unpacked archive.
    ///
    /// A forged block can have a valid checksum and still make LevelDB end the process when it reads the block. Without
    /// this option, the index and the first and last block of each table file are checked, unless other users can
    /// change the files. With it, opening throws `corruption` with the file and the byte offset. Costs one additional
    /// read of all table files at opening.
    public var checksEveryBlock = false
    /// The compression of blocks.
    public var compression = Compression.snappy
    /// The number of bytes collected in memory and in the log before a table file is written: 64 KiB to 1 GiB.
    /// Up to two such buffers exist at a time. Larger buffers make bulk writes faster, and opening after a crash
    /// slower.
    public var writeBufferByteCount = 4 << 20
    /// The maximum size of the uncompressed blocks kept in memory, in bytes.
    public var cacheByteCount = 8 << 20
    /// The size of a block before compression, in bytes: 1 KiB to 4 MiB.
    public var blockByteCount = 4 << 10
    /// The maximum size of a table file, in bytes: 1 MiB to 1 GiB.
    public var maxFileByteCount = 2 << 20
    /// The number of table files kept open: 74 to 50,000.
    public var maxOpenFileCount = 1000
    /// The Bloom filter bits per key, at most 64; 0 for no filter. Ten bits answer 99 of 100 reads of missing keys
    /// without a disk read.
    public var bloomFilterBitsPerKey = 10

    /// Creates the default options.
    public init() {}

    /// Checks that LevelDB would accept every value unchanged.
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
                    + "keys that compare equal but differ in bytes; set it to 0")
        }
        if case .custom = order.kind {
            guard !order.name.isEmpty, !order.name.hasPrefix("leveldb."), !order.name.utf8.contains(0) else {
                throw LevelError(
                    .invalidArgument,
                    "the order has the name \(order.name); use a nonempty name that does not start with leveldb.")
            }
        }
        if errorIfExists && !createIfMissing {
            throw LevelError(
                .invalidArgument,
                "errorIfExists requires createIfMissing: without it no path could be opened; set createIfMissing")
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
    /// For an interactive app that reads and writes single records: the defaults with a larger cache. Keeps up to 8 MiB
    /// of writes and 32 MiB of blocks in memory.
    public static var interactive: DatabaseOptions {
        var options = DatabaseOptions()
        options.cacheByteCount = 32 << 20
        return options
    }

    /// For bulk loading: large write buffers and table files, so that data is rewritten less often. Keeps up to 128 MiB
    /// of writes in memory, and reads up to 64 MiB of log when it is opened after a crash.
    public static var bulkLoad: DatabaseOptions {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 20
        options.maxFileByteCount = 8 << 20
        options.cacheByteCount = 32 << 20
        return options
    }

    /// For small devices and many open databases: at most 1 MiB of writes and 1 MiB of blocks in memory, and few open
    /// files. Writes cost about twice as much, because small buffers are compacted more often.
    public static var lowMemory: DatabaseOptions {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 512 << 10
        options.cacheByteCount = 1 << 20
        options.maxOpenFileCount = 100
        return options
    }
}
