package import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Checks that a copy fits on the target disk.
///
/// A sparse file of another user may claim any size, and its copy takes all of the claimed bytes.
package enum CopyRoom {
    /// Throws for another user's file that takes far fewer bytes on the disk than its size. The limit is a factor of
    /// 64; compressing file systems save up to about a factor of 10 on LevelDB files.
    package static func check(_ file: OpenFile, at path: String) throws(LevelError) {
        let status: OpenFile.Status
        do throws(SystemError) { status = try file.status() } catch { throw error.levelError("read \(path)") }
        guard status.owner != geteuid(), status.byteCount > 1 << 20,
            status.byteCount / 64 > status.allocatedByteCount
        else { return }
        throw LevelError(
            .corruption,
            "\(path) is almost entirely sparse: it has \(status.byteCount) bytes, but only \(status.allocatedByteCount) of them are on the "
                + "disk; LevelDB does not write such files, and a copy would take the full size; check the origin of the database"
        )
    }

    /// Throws if fewer bytes are free than the copy takes.
    package static func require(_ byteCount: UInt64, at place: String) throws(LevelError) {
        guard let free = freeByteCount(at: place), free < byteCount else { return }
        throw LevelError(
            .io,
            "could not create a copy in \(place): it needs \(byteCount) bytes, but only \(free) are free; free some space, or use "
                + "another disk")
    }

    /// Returns the bytes that this user can still write, or `nil` if the system does not report them.
    static func freeByteCount(at place: String) -> UInt64? {
        var status = statvfs()
        guard unsafe statvfs(place, &status) == 0 else { return nil }
        let free = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return free.overflow ? .max : free.partialValue
    }
}
