internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// How much room the disk of a database has for more.
///
/// LevelDB refuses all further writes after its background thread fails to write a table. So that thread never gets work
/// that the disk has no room for.
enum DiskRoom {
    /// A name that LevelDB gives to temporary files, with a number that it does not use; it removes them when it opens a
    /// database.
    private static let name = "000000.dbtmp"
    /// The most that a merge writes before it removes what it has read, about: a table, the tables below it, and those that
    /// LevelDB adds to them (`db/version_set.cc`, `ExpandedCompactionByteSizeLimit`).
    private static let mergeByteCount: UInt64 = 32 << 20

    /// Whether writes must be refused, because LevelDB could not write the tables that follow from them.
    ///
    /// - Parameter memoryByteCount: bytes that are or will be in memory tables.
    /// - Returns: how many bytes are free and how many are needed; `nil` if there is room, or the file system does not tell.
    /// - Complexity: one call to the system; where there is little room, one for each file of the database.
    static func shortage(
        for memoryByteCount: Int, in directory: DatabaseDirectory
    ) -> (free: UInt64, needed: UInt64)? {
        guard let free = freeByteCount(in: directory) else { return nil }
        let memory = UInt64(memoryByteCount)
        guard free < memory * 2 + mergeByteCount + (1 << 20) else { return nil }
        let needed = memory + memory / 8 + min(memory + tableByteCount(in: directory), mergeByteCount) + (64 << 10)
        return free < needed ? (free, needed) : nil
    }

    /// Whether a number of bytes can be written in a directory.
    ///
    /// Writes them into a file that has no name any more, and gives them back: quotas and limits of the process are not in the
    /// free space.
    static func isThere(for byteCount: Int, in directory: DatabaseDirectory) -> Bool {
        if let free = freeByteCount(in: directory), free < UInt64(byteCount) { return false }
        let path = directory.file(name)
        try? FileOperations.remove(path)
        do throws(SystemError) {
            let file = try OpenFile(creating: path, permissions: 0o600)
            try FileOperations.remove(path)
            let chunk = [UInt8](repeating: 0xa5, count: min(byteCount, 256 << 10))
            var rest = byteCount
            while rest > 0 {
                try file.write(rest >= chunk.count ? chunk : Array(chunk[..<rest]))
                rest -= min(rest, chunk.count)
            }
            try file.synchronize()
            return true
        } catch {
            return false
        }
    }

    /// The bytes that this user can still write; `nil` where the file system does not tell.
    private static func freeByteCount(in directory: DatabaseDirectory) -> UInt64? {
        var status = statvfs()
        // Some file systems of users know of no blocks at all.
        guard unsafe statvfs(directory.path, &status) == 0, status.f_blocks > 0 else { return nil }
        let blocks = geteuid() == 0 ? status.f_bfree : status.f_bavail
        let free = UInt64(blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return free.overflow ? .max : free.partialValue
    }

    private static func tableByteCount(in directory: DatabaseDirectory) -> UInt64 {
        ((try? directory.names()) ?? []).reduce(0) { sum, name in
            guard case .table? = EngineFileName(name) else { return sum }
            var status = stat()
            return unsafe lstat(directory.file(name), &status) == 0 ? sum + UInt64(max(0, status.st_size)) : sum
        }
    }
}
