#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The error number of a failed system call.
struct SystemError: Error, Hashable, CustomStringConvertible {
    /// The number, as in errno(3).
    var number: Int32

    /// The system's message for the error, such as `No space left on device`.
    var description: String {
        // Not strerror_r, which has two incompatible signatures. glibc (2.32 and later) and Darwin store the text of
        // unknown numbers per thread, and that of known ones never changes.
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }

    /// The exit code of a run that fails with this error.
    var exitCode: ExitCode {
        switch number {
        case ENOENT, ENOTDIR: .noInput
        case EACCES, EPERM, EROFS: .noPermission
        case EPIPE: .brokenPipe
        case EINTR: .interrupted
        default: .inputOutput
        }
    }

    /// Advice for the user; `nil` if there is none.
    var hint: String? {
        switch number {
        case ENOSPC, EDQUOT: "free some space, or write to another disk with -o"
        case EMFILE: "raise the limit of open files with ulimit -n"
        default: nil
        }
    }

    /// Whether a signal interrupted the call.
    var isInterruption: Bool { number == EINTR }
}
