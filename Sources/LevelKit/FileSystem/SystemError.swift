#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// What the operating system answered to one call on one file.
///
/// Stays inside the library: whoever knows what was being done turns it into a ``LevelError``, and some answers (a file
/// that is gone, a link that cannot be made) are no failure at all.
struct SystemError: Error, Hashable {
    /// The value of `errno`.
    let number: Int32

    /// The error of the last call on this thread.
    static var last: SystemError { SystemError(number: errno) }

    /// Whether there is no such file.
    var isMissingFile: Bool { number == ENOENT }

    /// Whether a hard link cannot be made here although the file can be read: another file system, a file system
    /// without links, a file of another user (`fs.protected_hardlinks`), or too many links.
    var refusesLink: Bool {
        [EXDEV, EPERM, EACCES, EMLINK, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(number)
    }

    /// The system's words.
    var text: String { unsafe String(cString: strerror(number)) }

    /// The error for a caller.
    ///
    /// - Parameter action: a phrase that completes "could not …", such as `read /data/photos.db/CURRENT`.
    func levelError(_ action: String) -> LevelError {
        LevelError(.io, "could not \(action); check free space, permissions and the disk", cause: text)
    }
}
