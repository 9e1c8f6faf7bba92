#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The real `lkrepl` (or another program) as a child process, with its streams redirected to files.
///
/// The child opens its streams itself, so that no descriptor of one child leaks to another that starts at the same
/// time: a pipe held by two children does not end when one of them exits.
final class ChildProcess {
    /// The target of a standard stream.
    enum Stream {
        case file(String)
        /// Both directions, as for a terminal.
        case device(String)
        case closed
    }

    struct Failure: Error {
        let what: String
    }

    #if canImport(Glibc)
        /// POSIX_SPAWN_SETSID, which glibc declares only for its own extensions.
        private static let newSession: Int32 = 0x80
    #else
        private static let newSession = Int32(POSIX_SPAWN_SETSID)
    #endif

    /// The seconds after which a program counts as hung. Nothing else takes this long, even on a busy machine.
    static let hangLimit = 600.0

    let processID: pid_t
    private var exitCode: Int32?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: Any bytes except zero; the path of the program is inserted before them.
    ///   - environment: Variables added to the environment of the tests.
    init(
        _ program: String, _ arguments: [[UInt8]], in directory: String, input: Stream, output: Stream, error: Stream,
        environment: [String: String] = [:]
    ) throws {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        let writing = O_WRONLY | O_CREAT | O_TRUNC
        let streams: [(Int32, Stream, Int32)] = [(0, input, O_RDONLY), (1, output, writing), (2, error, writing)]
        for (descriptor, stream, mode) in streams {
            switch stream {
            case .file(let path): unsafe posix_spawn_file_actions_addopen(&actions, descriptor, path, mode, 0o600)
            case .device(let path): unsafe posix_spawn_file_actions_addopen(&actions, descriptor, path, O_RDWR, 0)
            case .closed:
                // A descriptor that is not open cannot be closed, so it is opened first.
                unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDONLY, 0)
                unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
            }
        }

        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // A test runner may ignore signals, which a child would inherit.
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&defaults, signal) }
        // Threads of the test runner block them.
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        unsafe posix_spawnattr_setsigmask(&attributes, &mask)
        var flags = Int32(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
        // A separate session makes an opened terminal the controlling terminal, which delivers ^C.
        if case .device = input { flags |= Self.newSession }
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        // The threads of a test runner may block signals, which a child would also inherit.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags | POSIX_SPAWN_SETSIGMASK))

        // A shell changes to the directory and executes the program; the spawn call for this is not available
        // everywhere.
        let shell = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", directory, program].map { Array($0.utf8) }
        let words = unsafe Self.cStrings(shell + arguments)
        let variables = unsafe Self.cStrings(Self.environment(with: environment).map { Array("\($0)=\($1)".utf8) })
        defer {
            for index in unsafe words.indices { unsafe free(words[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var identifier: pid_t = 0
        let result = unsafe posix_spawn(&identifier, "/bin/sh", &actions, &attributes, words, variables)
        guard result == 0 else { throw Failure(what: "cannot start /bin/sh: error \(result)") }
        processID = identifier
    }

    deinit {
        guard exitCode == nil else { return }
        _ = try? kill()
    }

    /// Returns the exit code in shell notation: 128 plus the signal for a child killed by a signal.
    ///
    /// A child that runs for longer than `seconds` is killed, which fails the test.
    func wait(seconds: Double = ChildProcess.hangLimit) throws -> Int32 {
        let start = ContinuousClock.now
        while true {
            if let code = codeAfterEnd() { return code }
            guard ContinuousClock.now - start < .seconds(seconds) else {
                _ = try kill()
                throw Failure(what: "the child ran for more than \(seconds) s and was killed")
            }
            usleep(500)
        }
    }

    /// Returns the exit code, or `nil` while the child runs.
    func codeAfterEnd() -> Int32? {
        if let exitCode { return exitCode }
        var status: Int32 = 0
        guard unsafe waitpid(processID, &status, WNOHANG) != 0 else { return nil }
        let signal = status & 0x7f
        let code = signal == 0 ? status >> 8 & 0xff : 128 + signal
        exitCode = code
        return code
    }

    /// Kills the child immediately.
    @discardableResult
    func kill() throws -> Int32 {
        signal(SIGKILL)
        return try wait()
    }

    /// Sends a signal, unless the child has ended.
    func signal(_ number: Int32) {
        // Another process may have its ID by now.
        guard exitCode == nil else { return }
        #if canImport(Glibc)
            _ = Glibc.kill(processID, number)
        #else
            _ = Darwin.kill(processID, number)
        #endif
    }

    private static func environment(with additions: [String: String]) -> [String: String] {
        var variables: [String: String] = [:]
        for name in ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"] {
            if let value = unsafe getenv(name) { variables[name] = unsafe String(cString: value) }
        }
        return variables.merging(additions) { _, added in added }
    }

    /// Returns copies for C, terminated by a null pointer.
    private static func cStrings(_ texts: [[UInt8]]) -> [UnsafeMutablePointer<CChar>?] {
        unsafe texts.map { text in
            unsafe (text + [0]).withUnsafeBytes { unsafe strdup($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
        } + [nil]
    }
}
