package import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Whether a copy fits where it is to be made.
///
/// A file of another user may be nothing but holes: a copy of it takes all the bytes that it claims to have.
package enum CopyRoom {
    /// Throws for a file of another user that has far fewer bytes on the disk than it says. File systems that compress take up
    /// to some ten times less for what LevelDB writes.
    package static func check(_ file: OpenFile, at path: String) throws(LevelError) {
        let status: OpenFile.Status
        do throws(SystemError) { status = try file.status() } catch { throw error.levelError("read \(path)") }
        guard status.owner != geteuid(), status.byteCount > 1 << 20,
            status.byteCount / 64 > status.allocatedByteCount
        else { return }
        throw LevelError(
            .corruption,
            "\(path) is almost all holes: it has \(status.byteCount) bytes, and \(status.allocatedByteCount) of them are on the "
                + "disk; LevelDB writes no such files, and a copy would take all of them; check where the database is from"
        )
    }

    /// Throws where fewer bytes are free than a copy takes.
    package static func require(_ byteCount: UInt64, at place: String) throws(LevelError) {
        guard let free = freeByteCount(at: place), free < byteCount else { return }
        throw LevelError(
            .io,
            "could not make a copy in \(place): it takes \(byteCount) bytes, and \(free) are free; free some space, or use "
                + "another disk")
    }

    /// Bytes that this user can still write; `nil` where the system does not tell.
    static func freeByteCount(at place: String) -> UInt64? {
        var status = statvfs()
        guard unsafe statvfs(place, &status) == 0 else { return nil }
        let free = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return free.overflow ? .max : free.partialValue
    }
}
