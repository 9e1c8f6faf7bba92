#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// What the operating system answered to one call on one file.
///
/// Never reaches a user like this: whoever knows what was being done makes a sentence of it, and some answers (a file that
/// is gone, a link that cannot be made) are no failure at all.
package struct SystemError: Error, Hashable {
    /// The value of `errno`.
    package let number: Int32

    /// The error of a value of `errno`.
    package init(number: Int32) { self.number = number }

    /// A pipe, a device or a socket where a file is expected.
    package static let notAFile = SystemError(number: -1)

    /// The error of the last call on this thread.
    package static var last: SystemError { SystemError(number: errno) }

    /// Whether there is no such file.
    package var isMissingFile: Bool { number == ENOENT }

    /// Whether a hard link cannot be made here although the file can be read: another file system, a file system
    /// without links, a file of another user (`fs.protected_hardlinks`), or too many links.
    package var refusesLink: Bool {
        [EXDEV, EPERM, EACCES, EMLINK, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(number)
    }

    /// The system's message, or a better one where the system's misleads.
    package var text: String {
        switch number {
        case Self.notAFile.number: "it is not a regular file"
        // Files are opened without following links; strerror says "Too many levels of symbolic links".
        case ELOOP: "it is a symbolic link; a database consists of regular files"
        default: unsafe String(cString: strerror(number))
        }
    }
}
