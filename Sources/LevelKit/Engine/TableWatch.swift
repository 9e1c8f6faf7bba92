internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Knows whether all tables of an open database are still in its directory.
///
/// `leveldb_get` reports a table file that is gone like a key that is not there. Taking a file out of a directory changes
/// the time of the directory, so one `stat` tells that nothing has gone since all tables were last seen; only then is a
/// miss believed at once. While the time is young, it might not change again within the clock's grain, and nothing is
/// believed.
final class TableWatch: Sendable {
    private let directory: DatabaseDirectory
    private let identity: FileIdentity
    /// The time of the directory, in nanoseconds, at which all tables were there; 0 before the first look.
    private let seen = Atomic<Int64>(0)

    /// The age from which the time of a directory is sure to differ after the next change. File systems keep times in
    /// grains of some milliseconds.
    private static let settledNanoseconds: Int64 = 100_000_000

    init(_ directory: DatabaseDirectory, identity: FileIdentity) {
        self.directory = directory
        self.identity = identity
    }

    /// Whether no table has gone since all were seen.
    ///
    /// Call it after the miss, so that a table that was gone before is noticed.
    var isUnchanged: Bool {
        let known = seen.load(ordering: .acquiring)
        return known != 0 && changeTime == known
    }

    /// Looks for every table in the list of the engine, unless the directory changed a moment ago.
    ///
    /// - Parameter tables: the engine's list, the property `leveldb.sstables`.
    func look(for tables: () -> String?) {
        let time = changeTime
        guard time != 0, Self.now - time > Self.settledNanoseconds, let list = tables() else { return }
        let areThere = Self.fileNumbers(in: list).allSatisfy { number in
            let digits = String(number)
            let name = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
            return FileStatus(path: directory.file(name + ".ldb")) != nil
                || FileStatus(path: directory.file(name + ".sst")) != nil
        }
        // A table that went during the look has changed the time.
        if areThere, changeTime == time { seen.store(time, ordering: .releasing) }
    }

    /// The numbers of the files in lines such as ` 17:1234['a' .. 'b']` (`Version::DebugString`, `db/version_set.cc`).
    static func fileNumbers(in list: String) -> [UInt64] {
        list.split(separator: "\n").compactMap { line in
            guard line.hasPrefix(" ") else { return nil }
            return UInt64(line.dropFirst().prefix { $0 != ":" })
        }
    }

    /// When a file was last made or removed in the directory, in nanoseconds since 1970; 0 if that cannot be known.
    ///
    /// Asked by the path, as LevelDB opens its tables: the directory itself may have been moved, or one above it.
    private var changeTime: Int64 {
        var status = stat()
        guard unsafe stat(directory.path, &status) == 0, FileIdentity(status) == identity else { return 0 }
        #if canImport(Glibc)
            let time = status.st_mtim
        #else
            let time = status.st_mtimespec
        #endif
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
