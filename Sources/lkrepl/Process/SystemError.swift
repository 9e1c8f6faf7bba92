#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The error number of a system call that failed.
struct SystemError: Error, Hashable, CustomStringConvertible {
    /// As in errno(3).
    var number: Int32

    /// The system's words for the error, such as `No space left on device`.
    var description: String {
        // Not strerror_r, which has two incompatible signatures. glibc (2.32 and later) and Darwin keep the text of
        // unknown numbers per thread, and that of known ones never changes.
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }

    /// The exit code of a run that fails for this reason.
    var exitCode: ExitCode {
        switch number {
        case ENOENT, ENOTDIR: .noInput
        case EACCES, EPERM, EROFS: .noPermission
        case EPIPE: .brokenPipe
        case EINTR: .interrupted
        default: .inputOutput
        }
    }

    /// What the user can do; `nil` if that depends.
    var hint: String? {
        switch number {
        case ENOSPC, EDQUOT: "free some space, or write to another disk with -o"
        case EMFILE: "raise the limit of open files with ulimit -n"
        default: nil
        }
    }

    /// Whether a signal ended the call.
    var isInterruption: Bool { number == EINTR }
}
