internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The free space on the disk of a database.
///
/// LevelDB refuses all further writes once its background thread fails to write a table file. Writes are therefore
/// refused before that thread gets work that does not fit on the disk.
enum DiskRoom {
    /// A temporary file name in LevelDB's scheme with a number that LevelDB never uses. LevelDB deletes such files when
    /// it opens a database.
    private static let name = "000000.dbtmp"
    /// The number of table files that a compaction writes before it deletes its inputs, approximately: for a file, the
    /// overlapping ones of the next level, and those that LevelDB adds to them (`db/version_set.cc`,
    /// `ExpandedCompactionByteSizeLimit`).
    private static let mergeFileCount = 16
    /// The number of memtables whose files LevelDB merges into the first level, and the size of that level
    /// (`db/dbformat.h`, `kL0_CompactionTrigger`; `db/version_set.cc`, `MaxBytesForLevel`).
    private static let mergedMemtableCount = 4
    private static let firstLevelByteCount = 10 << 20

    /// Returns the most that a compaction writes before it deletes its inputs, approximately.
    private static func mergeByteCount(_ options: Sizes) -> UInt64 {
        UInt64(
            max(
                options.maxFileByteCount * mergeFileCount,
                options.writeBufferByteCount * mergedMemtableCount + firstLevelByteCount))
    }

    /// The sizes in the options of the database that determine how much compactions write.
    struct Sizes {
        let writeBufferByteCount: Int
        let maxFileByteCount: Int
    }

    /// Checks whether writes must be refused because the resulting table files would not fit on the disk.
    ///
    /// - Parameters:
    ///   - memoryByteCount: the bytes that are or will be in memtables.
    ///   - sizes: the options of the database.
    /// - Returns: the free and the needed bytes, or `nil` if the space suffices or the file system does not report it.
    /// - Complexity: one system call. If space is short, one more per file of the database.
    static func shortage(
        for memoryByteCount: Int, _ sizes: Sizes, in directory: DatabaseDirectory
    ) -> (free: UInt64, needed: UInt64)? {
        guard let free = freeByteCount(in: directory) else { return nil }
        let memory = UInt64(memoryByteCount)
        let mergeByteCount = mergeByteCount(sizes)
        guard free < memory * 2 + mergeByteCount + (1 << 20) else { return nil }
        let needed = memory + memory / 8 + min(memory + tableByteCount(in: directory), mergeByteCount) + (64 << 10)
        return free < needed ? (free, needed) : nil
    }

    /// Returns whether the given number of bytes can be written in a directory.
    ///
    /// Writes them to an unlinked file, which also checks quotas and process limits. The free space does not include
    /// those.
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

    /// Returns the bytes that this user can still write, or `nil` if the file system does not report them.
    private static func freeByteCount(in directory: DatabaseDirectory) -> UInt64? {
        var status = statvfs()
        // Some user-space file systems report zero blocks.
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
