internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The lock file that distinguishes a scratch directory in use from a leftover of a killed process.
///
/// The system releases the lock whenever the process ends. A process ID would not work: it may have been reused, and
/// process IDs from a container have no meaning outside it.
final class ScratchLock {
    /// The name of the file.
    static let name = "scratch.lock"

    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Creates the file in a new directory and locks it.
    ///
    /// - Returns: `nil` if another process deleted the directory because it was not locked yet.
    static func make(in directory: DirectoryHandle) throws(SystemError) -> ScratchLock? {
        let descriptor = unsafe openat(
            directory.descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .last
        }
        let lock = ScratchLock(descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { return nil }
            throw .last
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
        return status.st_nlink > 0 ? lock : nil
    }

    /// Whether a process uses a directory.
    enum Holder {
        /// No process does. This process now holds the lock.
        case nobody(ScratchLock)
        /// Its maker is running, or may be.
        case somebody
        /// The lock file does not exist, because the maker was killed before creating it.
        case notMade
    }

    /// Takes the lock of a directory that another process created, unless that process still holds it.
    static func take(in directory: DirectoryHandle) -> Holder {
        let descriptor = unsafe openat(directory.descriptor, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return errno == ENOENT ? .notMade : .somebody }
        let lock = ScratchLock(descriptor)
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? .nobody(lock) : .somebody
    }
}
