internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Tracks whether all table files of an open database are still in its directory.
///
/// `leveldb_get` reports a missing table file like a missing key; see ``TableCacheWitness`` for how the workarounds
/// interact. Removing a file changes the modification time of the directory. If that time has not changed since all
/// tables were last seen, one `stat` shows that none is missing, and a not-found result is trusted. A modification time
/// that is too recent might not change again within the clock's granularity, so it is not recorded.
final class TableDirectoryMonitor: Sendable {
    private let directory: DatabaseDirectory
    private let identity: FileIdentity
    /// The modification time of the directory, in nanoseconds, at which all tables existed; 0 before the first look.
    private let seen = Atomic<Int64>(0)

    /// The age from which the next change certainly gives the directory another time. File systems store times with a
    /// granularity of a few milliseconds.
    private static let settledNanoseconds: Int64 = 100_000_000

    init(_ directory: DatabaseDirectory, identity: FileIdentity) {
        self.directory = directory
        self.identity = identity
    }

    /// Whether no table file has disappeared since all were seen.
    ///
    /// Read it after a not-found result, so that a file missing before the read is noticed.
    var isUnchanged: Bool {
        let known = seen.load(ordering: .acquiring)
        return known != 0 && changeTime == known
    }

    /// Checks that every table file in LevelDB's list exists, unless the directory changed a moment ago.
    ///
    /// - Parameter tables: returns LevelDB's list, the property `leveldb.sstables`.
    func look(for tables: () -> String?) {
        let time = changeTime
        guard time != 0, Self.now - time > Self.settledNanoseconds, let list = tables() else { return }
        let areThere = Self.fileNumbers(in: list).allSatisfy { number in
            let digits = String(number)
            let name = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
            return FileStatus(path: directory.file(name + ".ldb")) != nil
                || FileStatus(path: directory.file(name + ".sst")) != nil
        }
        // A table file that disappeared during the check has changed the time.
        if areThere, changeTime == time { seen.store(time, ordering: .releasing) }
    }

    /// Returns the file numbers in lines such as ` 17:1234['a' .. 'b']` (`Version::DebugString`, `db/version_set.cc`).
    static func fileNumbers(in list: String) -> [UInt64] {
        list.split(separator: "\n").compactMap { line in
            guard line.hasPrefix(" ") else { return nil }
            return UInt64(line.dropFirst().prefix { $0 != ":" })
        }
    }

    /// The time at which a file was last created or deleted in the directory, in nanoseconds since 1970, or 0 if it is
    /// unknown.
    ///
    /// Read by path, because LevelDB opens tables by path: the directory or one of its parents may have been moved.
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
