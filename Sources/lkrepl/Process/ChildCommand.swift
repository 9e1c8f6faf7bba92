#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A command line that runs in `sh` beside this process: a pager, an editor, the reader of an output.
struct ChildCommand: Sendable {
    /// The child.
    let processID: pid_t
    /// What the child reads on its standard input; `nil` if it has ours.
    let input: FileDescriptor?

    /// Starts a command line.
    ///
    /// - Parameter takesInput: whether the child reads from ``input`` and not from our standard input.
    /// - Throws: ``CommandFailure`` with `unavailable` if there is no `sh`.
    init(_ commandLine: String, takesInput: Bool) throws {
        var ends: [Int32] = [-1, -1]
        if takesInput {
            guard unsafe pipe(&ends) == 0 else {
                throw CommandFailure.system(SystemError(number: errno), "cannot make a pipe to \(commandLine)")
            }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        if takesInput { unsafe posix_spawn_file_actions_adddup2(&actions, ends[0], 0) }
        // A shell at a terminal ignores SIGPIPE, and a child would inherit that.
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        unsafe sigaddset(&defaults, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        // Threads of the Swift runtime block signals, and a pager must hear ^C.
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        unsafe posix_spawnattr_setsigmask(&attributes, &mask)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        let words = ["sh", "-c", commandLine]
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        var child: pid_t = 0
        let result = unsafe posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, environ)
        if takesInput { close(ends[0]) }
        guard result == 0 else {
            if takesInput { close(ends[1]) }
            throw CommandFailure(.unavailable, "cannot start \(commandLine): \(SystemError(number: result))")
        }
        processID = child
        input = takesInput ? FileDescriptor(rawValue: ends[1]) : nil
    }

    /// Lets the child see the end of its input.
    func endInput() {
        if let input { try? input.closeFile() }
    }

    /// Waits until the child has ended; its exit code, 128 and the signal if a signal ended it.
    func wait() -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(processID, &status, 0) < 0 {
            guard errno == EINTR else { return 127 }
        }
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }

    /// Whether `PATH` has a program of a name.
    static func isInPath(_ program: String) -> Bool {
        (Terminal.environment("PATH") ?? "").split(separator: ":").contains { directory in
            unsafe access("\(directory)/\(program)", X_OK) == 0
        }
    }
}
