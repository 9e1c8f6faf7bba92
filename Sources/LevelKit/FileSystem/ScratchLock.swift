internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The lock file that tells a scratch directory in use from one that a killed process left.
///
/// The system releases the lock when the process ends, however it ends. A process id would not do: another process may have
/// it by then, and processes in containers have ids that mean nothing outside.
final class ScratchLock {
    /// The name of the file.
    static let name = "scratch.lock"

    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Makes the file in a new directory and locks it.
    ///
    /// - Returns: `nil` if another process removed the directory meanwhile, because it saw it without a lock.
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
        /// Nobody does, and this process has the lock now.
        case nobody(ScratchLock)
        /// Its maker runs, or that cannot be told.
        case somebody
        /// There is no lock file: the maker was killed before it made one.
        case notMade
    }

    /// Takes the lock of a directory that another process has made, unless that process still holds it.
    static func take(in directory: DirectoryHandle) -> Holder {
        let descriptor = unsafe openat(directory.descriptor, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return errno == ENOENT ? .notMade : .somebody }
        let lock = ScratchLock(descriptor)
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? .nobody(lock) : .somebody
    }
}
