internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Runs another program on hostile input: with limits on its memory and time, without a shell, with a fixed
/// environment, and without a file name. The input is an unnamed temporary file.
///
/// The limits are set by `prlimit` (util-linux) before the program starts, because `posix_spawn` cannot set them.
struct LimitedProcess {
    /// The absolute path of the program.
    let program: String
    let arguments: [String]
    var environment: [String: String] = [:]
    let limits: RenderingLimits

    /// Returns the absolute path of a program in `PATH`; `nil` if there is none.
    static func path(of program: String) -> String? {
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(program)" }.first { path in
            unsafe path.hasPrefix("/") && access(path, X_OK) == 0
        }
    }

    /// Runs the program.
    ///
    /// - Parameter input: what it reads from standard input.
    /// - Returns: what it writes to standard output.
    /// - Throws: ``RenditionError``: `damaged` if it fails, `timedOut`, `tooLarge` if it writes too much, `cancelled`,
    ///   `noRenderer` if it cannot be started.
    func run(input: [UInt8]) throws(RenditionError) -> [UInt8] {
        let (process, output) = try start(ChildDescriptor(temporaryFileOf: input))
        let deadline = ContinuousClock.now + limits.toolTime
        var bytes: [UInt8] = []
        do throws(RenditionError) {
            while try readPart(of: output, into: &bytes) {
                try RenditionError.checkCancellation()
                guard ContinuousClock.now < deadline else { throw timeout }
                guard bytes.count <= limits.byteCount else { throw .tooMuchMemory(bytes.count, limits) }
            }
        } catch {
            kill(-process, SIGKILL)
            _ = wait(for: process)
            throw error
        }
        try check(status: waitUntil(deadline, process))
        return bytes
    }

    /// Reads what the program has written, or waits for a short time.
    ///
    /// - Returns: `false` at the end.
    private func readPart(of output: ChildDescriptor, into bytes: inout [UInt8]) throws(RenditionError) -> Bool {
        var request = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, 50) > 0 else { return true }
        let part = unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            count = unsafe max(0, read(output.number, buffer.baseAddress, buffer.count))
        }
        bytes += part
        return !part.isEmpty
    }

    // MARK: - Starting

    /// Only one at a time, so that a program does not inherit the pipe of another one and keep it open.
    private static let isStarting = Mutex<Void>(())

    private func start(_ input: ChildDescriptor) throws(RenditionError) -> (pid_t, ChildDescriptor) {
        let words = try limitedCommand()
        return try Self.isStarting.withLock { _ throws(RenditionError) in
            // This process closes its copy of the writing end, so that it sees the end of the output.
            let (reading, writing) = try ChildDescriptor.pipe()
            return try withExtendedLifetime((input, writing)) { () throws(RenditionError) in
                (try spawn(words, input: input.number, output: writing.number), reading)
            }
        }
    }

    private func limitedCommand() throws(RenditionError) -> [String] {
        #if os(Linux)
            guard let prlimit = Self.path(of: "prlimit") else {
                throw RenditionError(
                    .noRenderer, "\(program) runs only with limits, which prlimit sets; install util-linux")
            }
            let seconds = max(1, limits.toolTime.components.seconds + 1)
            return [
                prlimit, "--data=\(limits.toolByteCount)", "--as=\(2 * limits.toolByteCount)", "--cpu=\(seconds)",
                // libvips needs a file of 64 KB for machine code that it generates.
                "--fsize=\(1 << 20)", "--core=0", "--nofile=64", "--", program,
            ] + arguments
        #else
            return [program] + arguments
        #endif
    }

    private func spawn(_ words: [String], input: Int32, output: Int32) throws(RenditionError) -> pid_t {
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
        unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = Int32(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var argv = unsafe words.map { unsafe strdup($0) } + [nil]
        var variables = unsafe fullEnvironment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for index in unsafe argv.indices { unsafe free(argv[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var child: pid_t = 0
        let result = unsafe posix_spawn(&child, words[0], &actions, &attributes, &argv, &variables)
        guard result == 0 else {
            throw RenditionError(
                .noRenderer, "cannot start \(program): \(unsafe String(cString: strerror(result))); try again later")
        }
        return child
    }

    private var fullEnvironment: [String: String] {
        ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "HOME": "/nonexistent"].merging(environment) { $1 }
    }

    // MARK: - Ending

    private var timeout: RenditionError {
        RenditionError(
            .timedOut, "\(program) took longer than \(limits.toolTime); raise the limit, or convert the picture")
    }

    /// Waits for the program after it has closed its output, and ends it at the deadline.
    private func waitUntil(_ deadline: ContinuousClock.Instant, _ process: pid_t) throws(RenditionError) -> Int32 {
        var status: Int32 = 0
        while true {
            let result = unsafe waitpid(process, &status, WNOHANG)
            if result == process { return status }
            // A program that ignores SIGCHLD has no status of its children. The output is examined in any case.
            if result < 0, errno != EINTR { return 0 }
            guard ContinuousClock.now < deadline, !Task.isCancelled else {
                kill(-process, SIGKILL)
                _ = wait(for: process)
                try RenditionError.checkCancellation()
                throw timeout
            }
            usleep(500)
        }
    }

    private func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    private func check(status: Int32) throws(RenditionError) {
        let signal = status & 0x7f
        if signal == SIGXCPU || signal == SIGKILL { throw timeout }
        guard status == 0 else {
            let reason = signal != 0 ? "it was ended by signal \(signal)" : "it exited with \(status >> 8 & 0xff)"
            throw RenditionError(
                .damaged, "\(program) cannot decode the picture: \(reason); import an undamaged copy of it")
        }
    }
}
