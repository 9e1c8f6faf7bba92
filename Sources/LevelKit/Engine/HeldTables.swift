internal import Synchronization

/// Knows that the engine has every table of a database open, so that a key that it does not find is not there.
///
/// `leveldb_get` reports a table file that is gone as "not found". That can happen only where it opens the file, and it
/// keeps open tables in a cache of fixed size, into which each new table comes when it is written. So once all tables
/// have been opened, and while the cache has room for many more, no file is opened again. Reads of open tables go to
/// mapped memory, of which the process has enough for a thousand tables (`util/env_posix.cc`, `kDefaultMmapLimit`).
///
/// Writing makes new tables. So what is known here holds for as many bytes of writes as make one table, and is looked at
/// anew by the next miss. Where there are too many tables, ``TableWatch`` asks the file system.
final class HeldTables: Sendable {
    /// Bytes that were written since the database was opened.
    private let written = Atomic<Int>(0)
    /// Up to how many written bytes a miss is to be believed.
    private let trustedUntil = Atomic<Int>(0)
    /// From how many written bytes on it is worth to look again.
    private let nextLook = Atomic<Int>(0)
    /// Whether all tables have been opened once, and none can have been closed since.
    private let areOpen = Atomic<Bool>(false)
    private let isLooking = Atomic<Bool>(false)
    /// Bytes of writes that make a table.
    private let renewal: Int
    private let cacheCapacity: Int

    /// More tables than this are not held. Four databases of a process stay below the limit of mapped files.
    private static let countLimit = 200
    private static let databaseLimit = 4
    /// LevelDB's cache has sixteen parts, told apart by the highest bits of a hash (`util/cache.cc`, `ShardedLRUCache`).
    private static let shardCount = 16
    /// Files that LevelDB opens besides tables (`db/db_impl.cc`, `kNumNonTableCacheFiles`).
    private static let otherFileCount = 10

    /// - Parameter areFixed: whether no table can go, because all are held open and none is written.
    init(writeBufferByteCount: Int, maxOpenFileCount: Int, areFixed: Bool = false) {
        if areFixed { trustedUntil.store(.max, ordering: .relaxed) }
        renewal = writeBufferByteCount
        cacheCapacity = maxOpenFileCount - Self.otherFileCount
    }

    /// Whether a miss is to be believed.
    @inline(__always)
    var isTrusted: Bool { written.load(ordering: .relaxed) < trustedUntil.load(ordering: .relaxed) }

    /// Counts bytes that were written.
    @inline(__always)
    func didWrite(_ byteCount: Int) {
        written.add(byteCount, ordering: .relaxed)
    }

    /// Counts a table that was written before its time, or tables that were written anew.
    func didWriteTable() { didWrite(renewal) }

    /// Looks whether misses may be believed from now on.
    ///
    /// - Parameters:
    ///   - list: the engine's list of tables, the property `leveldb.sstables`.
    ///   - open: opens every table; returns whether that went well.
    func look(list: () -> String?, open: () -> Bool) {
        guard written.load(ordering: .relaxed) >= nextLook.load(ordering: .relaxed) else { return }
        // One thread is enough; the others ask the file system meanwhile.
        guard isLooking.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else { return }
        defer { isLooking.store(false, ordering: .releasing) }
        let now = written.load(ordering: .relaxed)
        nextLook.store(now + renewal, ordering: .relaxed)
        // After more writes than were counted on, tables may have been many for a while, and some been closed.
        if now - trustedUntil.load(ordering: .relaxed) > renewal { areOpen.store(false, ordering: .relaxed) }
        guard OpenDatabases.count <= Self.databaseLimit, let list = list(),
            hasRoom(for: TableWatch.fileNumbers(in: list))
        else { return areOpen.store(false, ordering: .relaxed) }
        if !areOpen.load(ordering: .relaxed) {
            guard open() else { return }
            areOpen.store(true, ordering: .relaxed)
        }
        trustedUntil.store(now + renewal, ordering: .relaxed)
    }

    /// Whether the fullest part of the cache has room for as many tables again.
    private func hasRoom(for numbers: [UInt64]) -> Bool {
        guard numbers.count <= Self.countLimit else { return false }
        var counts = [Int](repeating: 0, count: Self.shardCount)
        for number in numbers { counts[Self.shard(of: number)] += 1 }
        let capacity = (cacheCapacity + Self.shardCount - 1) / Self.shardCount
        return counts.allSatisfy { 2 * $0 <= capacity }
    }

    /// The part of the cache that a table is in: its number as eight bytes, the lowest first, hashed (`util/hash.cc`).
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
