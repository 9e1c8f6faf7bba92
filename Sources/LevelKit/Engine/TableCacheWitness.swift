internal import Synchronization

/// Tracks whether LevelDB has every table file of a database open, so that a not-found result can be trusted.
///
/// Two defects of LevelDB can give a wrong answer to whether a key exists. LevelKit works around both:
///
/// - `leveldb_get` reports a missing table file as "not found". `TableCacheWitness` trusts the result without a system call
///   while LevelDB cannot need to open any table file. ``TableDirectoryMonitor`` trusts it after one `stat` while no file has left
///   the directory. Otherwise an iterator confirms the result, because iterators report the error.
/// - A compaction can resurrect a deleted key whose versions are split over two files. ``SplitKeys`` rewrites such keys
///   when the database is opened, before the first read. LevelKit creates no new ones, because ``ReadViews`` does
///   without LevelDB's snapshots, which cause the splits.
///
/// The path of a not-found result (`DatabaseCore.newestValue`):
///
///     leveldb_get: not found
///               |
///               v                  yes
///     TableCacheWitness.isTrusted? -----------------> the key does not exist
///               | no
///               v
///     TableCacheWitness.look (for later misses)
///               |
///               v                  yes
///     TableDirectoryMonitor.isUnchanged? ---------------> the key does not exist
///               | no
///               v
///     TableDirectoryMonitor.look (for later misses)
///               |
///               v
///     iterator seeks the key ----------------> value, does not exist, or error
///
/// LevelDB opens a table file only on demand and keeps it open in a cache of fixed size. Each new table is added to the
/// cache when it is written. Once all table files have been opened, and while the cache has ample room, no file is
/// opened again. Open tables are read through memory maps; LevelDB maps at most a thousand tables in a process
/// (`util/env_posix.cc`, `kDefaultMmapLimit`).
///
/// Writes create new tables, so this knowledge expires after one write buffer, and the next miss renews it:
///
///                     look: room, all tables opened
///     not trusted --------------------------------------> trusted
///          ^  ^                                            |  ^
///          |  |                     one write buffer later |  | look: room
///          |  |                                            v  |
///          |  +------- look: too many tables ------------ expired
///          |                                                 |
///          +------- a further write buffer later ------------+
final class TableCacheWitness: Sendable {
    /// The bytes written since the database was opened.
    private let written = Atomic<Int>(0)
    /// Not-found results are trusted while fewer bytes than this are written.
    private let trustedUntil = Atomic<Int>(0)
    /// The number of written bytes from which another look is worthwhile.
    private let nextLook = Atomic<Int>(0)
    /// Whether all tables have been opened once, and none can have been closed since.
    private let areOpen = Atomic<Bool>(false)
    private let isLooking = Atomic<Bool>(false)
    /// The bytes of writes that fill a table.
    private let renewal: Int
    private let cacheCapacity: Int

    /// The largest number of tables to keep open. Four databases of a process then stay below the limit of mapped
    /// files.
    private static let countLimit = 200
    private static let databaseLimit = 4
    /// LevelDB's cache has sixteen shards, selected by the highest bits of a hash (`util/cache.cc`, `ShardedLRUCache`).
    private static let shardCount = 16
    /// The files that LevelDB opens besides tables (`db/db_impl.cc`, `kNumNonTableCacheFiles`).
    private static let otherFileCount = 10

    /// - Parameter areFixed: whether no table can disappear, because all are held open and none is written.
    init(writeBufferByteCount: Int, maxOpenFileCount: Int, areFixed: Bool = false) {
        if areFixed { trustedUntil.store(.max, ordering: .relaxed) }
        renewal = writeBufferByteCount
        cacheCapacity = maxOpenFileCount - Self.otherFileCount
    }

    /// Whether a not-found result is trusted.
    @inline(__always)
    var isTrusted: Bool { written.load(ordering: .relaxed) < trustedUntil.load(ordering: .relaxed) }

    /// Counts written bytes.
    @inline(__always)
    func didWrite(_ byteCount: Int) {
        written.add(byteCount, ordering: .relaxed)
    }

    /// Counts a table that was written early, or tables that a compaction wrote.
    func didWriteTable() { didWrite(renewal) }

    /// Checks whether not-found results can be trusted from now on.
    ///
    /// - Parameters:
    ///   - list: returns LevelDB's list of tables, the property `leveldb.sstables`.
    ///   - open: opens every table file and returns whether it succeeded.
    func look(list: () -> String?, open: () -> Bool) {
        guard written.load(ordering: .relaxed) >= nextLook.load(ordering: .relaxed) else { return }
        // One thread is enough. The others use `TableDirectoryMonitor` until it is done.
        guard isLooking.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else { return }
        defer { isLooking.store(false, ordering: .releasing) }
        let now = written.load(ordering: .relaxed)
        nextLook.store(now + renewal, ordering: .relaxed)
        // After more writes than expected, the cache may have been full for some time and may have closed tables.
        if now - trustedUntil.load(ordering: .relaxed) > renewal { areOpen.store(false, ordering: .relaxed) }
        guard OpenDatabases.count <= Self.databaseLimit, let list = list(),
            hasRoom(for: TableDirectoryMonitor.fileNumbers(in: list))
        else { return areOpen.store(false, ordering: .relaxed) }
        if !areOpen.load(ordering: .relaxed) {
            guard open() else { return }
            areOpen.store(true, ordering: .relaxed)
        }
        trustedUntil.store(now + renewal, ordering: .relaxed)
    }

    /// Returns whether every shard of the cache has room for twice its tables.
    private func hasRoom(for numbers: [UInt64]) -> Bool {
        guard numbers.count <= Self.countLimit else { return false }
        var counts = [Int](repeating: 0, count: Self.shardCount)
        for number in numbers { counts[Self.shard(of: number)] += 1 }
        let capacity = (cacheCapacity + Self.shardCount - 1) / Self.shardCount
        return counts.allSatisfy { 2 * $0 <= capacity }
    }

    /// Returns the cache shard of a table: its number as eight little-endian bytes, hashed (`util/hash.cc`).
    static func shard(of number: UInt64) -> Int {
        let multiplier: UInt32 = 0xc6a4_a793
        var hash = 8 &* multiplier
        for word in [UInt32(truncatingIfNeeded: number), UInt32(truncatingIfNeeded: number >> 32)] {
            hash = (hash &+ word) &* multiplier
            hash ^= hash >> 16
        }
        return Int(hash >> 28)
    }
}
