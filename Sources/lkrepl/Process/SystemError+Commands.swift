import LevelFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a failed system call means for a command.
extension SystemError {
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
