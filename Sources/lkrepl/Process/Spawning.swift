import LevelFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Starts other programs and waits for them.
enum Spawning {
    /// The environment of a program besides its arguments.
    struct Surroundings {
        /// The descriptors that become the program's standard input and output; `nil` to share this process's.
        var input: Int32?
        var output: Int32?
        /// Whether the program does not receive the terminal's ^C, which this process handles.
        var hasOwnGroup = false
        /// Whether the program gets default signal handling: an interactive shell ignores SIGPIPE, threads of the Swift
        /// runtime block signals, and programs inherit both.
        var resetsSignals = false
    }

    /// Starts a program, which is searched in `PATH` unless its name contains a slash.
    ///
    /// - Parameter arguments: The arguments, including the program's name.
    static func start(_ arguments: [String], _ surroundings: Surroundings) throws(SystemError) -> pid_t {
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
        if let input = surroundings.input { unsafe posix_spawn_file_actions_adddup2(&actions, input, 0) }
        if let output = surroundings.output { unsafe posix_spawn_file_actions_adddup2(&actions, output, 1) }
        var flags: Int32 = 0
        if surroundings.hasOwnGroup { flags |= POSIX_SPAWN_SETPGROUP }
        if surroundings.resetsSignals {
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe posix_spawnattr_setsigmask(&attributes, &signals)
            unsafe sigaddset(&signals, SIGPIPE)
            unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
            flags |= Int32(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
        }
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        var child: pid_t = 0
        let result = unsafe posix_spawnp(&child, arguments[0], &actions, &attributes, &words, environ)
        guard result == 0 else { throw SystemError(number: result) }
        return child
    }

    /// Waits for a program. Returns its exit code, 128 plus the signal that ended it, or 127 if it is not a child.
    static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return 127 }
        }
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }

    /// The two ends of a new pipe, which is not inherited by programs started later.
    static func makePipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemError(number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
