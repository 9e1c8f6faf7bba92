internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The right to change the files of a database that no one has open: an entry in this process's table of open
/// databases, and the lock on its `LOCK` file. Both are released when the value is destroyed.
///
/// LevelDB's maintenance functions either take neither (`repair_db`), or take the lock in a way that drops it if this
/// process has the database open (`destroy_db`).
struct ExclusiveAccess: ~Copyable {
    private let identity: FileIdentity
    private let descriptor: Int32

    /// - Parameter handle: the open directory, if its path could lead elsewhere in the meantime.
    /// - Throws: ``LevelError``: `locked`, with the process that has the database open; `io`.
    init(to directory: DatabaseDirectory, openAs handle: DirectoryHandle? = nil) throws(LevelError) {
        let status = handle.map { try? $0.status() } ?? FileStatus(path: directory.path)
        guard let identity = status?.identity else {
            throw LevelError(
                .io, "could not read \(directory.path); check its permissions", cause: SystemError.last.text)
        }
        let lock = handle.map { $0.status(of: "LOCK") } ?? FileStatus(path: directory.file("LOCK"))
        if let lock, !lock.isRegularFile {
            throw LevelError(.corruption, "\(directory.file("LOCK")) is not a regular file; fix the path or delete it")
        }
        do throws(OpenDatabases.Obstacle) {
            try OpenDatabases.insert(identity, lock: lock?.identity)
        } catch {
            throw error.error(path: directory.path)
        }
        do throws(LevelError) {
            descriptor = try Self.lock(directory, openAs: handle)
        } catch {
            OpenDatabases.remove(identity)
            throw error
        }
        self.identity = identity
    }

    deinit {
        close(descriptor)
        OpenDatabases.remove(identity)
    }

    private static func lock(
        _ directory: DatabaseDirectory, openAs handle: DirectoryHandle?
    ) throws(LevelError) -> Int32 {
        let path = directory.file("LOCK")
        let descriptor = unsafe openat(
            handle?.descriptor ?? AT_FDCWD, handle == nil ? path : "LOCK", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
            mode_t(0o644))
        guard descriptor >= 0 else { throw SystemError.last.levelError("open \(path)") }
        var request = flock()
        request.l_type = Int16(F_WRLCK)
        request.l_whence = Int16(SEEK_SET)
        guard unsafe fcntl(descriptor, F_SETLK, &request) == 0 else {
            let error = SystemError.last
            close(descriptor)
            guard error.number == EACCES || error.number == EAGAIN else { throw error.levelError("lock \(path)") }
            if let pid = LockFile.foreignHolder(in: directory) {
                throw LockFile.heldError(path: directory.path, pid: pid)
            }
            throw LevelError(.locked, "\(directory.path) was open in another process a moment ago; try again")
        }
        return descriptor
    }
}
