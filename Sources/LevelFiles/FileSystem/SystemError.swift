#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The error of a system call.
///
/// It never reaches a user in this form. A caller that knows the action converts it to a message. Some errors, such as
/// a missing file or a refused link, are expected and not failures.
package struct SystemError: Error, Hashable, CustomStringConvertible {
    /// The value of `errno`.
    package let number: Int32

    /// Creates an error from a value of `errno`.
    package init(number: Int32) { self.number = number }

    /// The error for a pipe, device or socket in place of a file.
    package static let notAFile = SystemError(number: -1)

    /// The error of the last call on this thread.
    package static var last: SystemError { SystemError(number: errno) }

    /// Whether the file does not exist.
    package var isMissingFile: Bool { number == ENOENT }

    /// Whether a hard link is refused although the file is readable: because of another file system, a file system
    /// without links, a file of another user (`fs.protected_hardlinks`), or too many links.
    package var refusesLink: Bool {
        [EXDEV, EPERM, EACCES, EMLINK, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(number)
    }

    /// The system's message, such as `No space left on device`.
    package var description: String {
        // Not strerror_r, which has two incompatible signatures. glibc (2.32 and later) and Darwin store the text of
        // unknown numbers per thread, and that of known ones never changes.
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }

    /// The message for a file of a database: the system's, or a better one where the system's misleads.
    package var text: String {
        switch number {
        case Self.notAFile.number: "it is not a regular file"
        // Files are opened without following links; strerror says "Too many levels of symbolic links".
        case ELOOP: "it is a symbolic link; a database consists of regular files"
        default: description
        }
    }
}
