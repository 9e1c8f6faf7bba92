import LevelKit
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Handles requests to stop the running command or the process: SIGINT, SIGTERM and SIGHUP.
///
/// A signal handler may do very little, so it writes the signal's number to a pipe. A thread that reads the pipe does
/// the rest: it sets the flag that commands check (``check(_:)``), cancels the task of the running command, and wakes
/// threads that wait for input in `poll`. A command that sees the flag fails like after any other error, and removes
/// its unfinished files.
///
/// A second SIGINT outside an interactive shell ends the process at once, as do five seconds after SIGTERM or SIGHUP.
/// Files registered by ``removeAtExit(_:)`` are removed first.
enum Interruption {
    /// The reason of a request.
    enum Reason: Sendable {
        /// ^C: the command must stop. An interactive shell continues with the next command.
        case interrupt
        /// SIGTERM or SIGHUP: the process must end.
        case end(ExitCode)

        /// The exit code of a run that ends for this reason.
        var exitCode: ExitCode {
            switch self {
            case .interrupt: .interrupted
            case .end(let code): code
            }
        }
    }

    private struct State {
        var reason: Reason?
        var cancelCommand: (@Sendable () -> Void)?
        var leftovers: [String] = []
        var directories: [Unowned] = []
        var isInteractive = false
        /// Whether a pager controls the terminal, which then handles ^C itself.
        var isPaging = false
        var isInstalled = false
        /// The time at which the process ends unconditionally.
        var deadline: ContinuousClock.Instant?
    }

    /// A weak reference to a directory, which may have been removed already.
    private struct Unowned {
        weak var directory: ScratchDirectory?
    }

    private static let state = Mutex(State())
    /// Outside the lock, since loops check it at each step.
    private static let isSet = Atomic(false)
    private static let signals = SelfPipe()
    /// Readable while the command must stop.
    private static let stop = SelfPipe()
    /// Readable when an event occurred that concerns the line editor.
    static let wake = SelfPipe()
    private static let wasResized = Atomic(false)

    // MARK: - Checks by commands

    /// Whether the running command must stop.
    ///
    /// - Complexity: One relaxed atomic load.
    static var isRequested: Bool { isSet.load(ordering: .relaxed) }

    /// The reason that the running command must stop; `nil` if it need not.
    static var reason: Reason? { state.withLock { $0.reason } }

    /// Throws if the running command must stop. Loops over records call it for each record, or for every 256.
    ///
    /// - Parameter done: The completed work, for the message, such as `120 rows`.
    static func check(_ done: @autoclosure () -> String? = nil) throws(CommandError) {
        // A command of the inspector ends with its task. A command of the shell may go on after ^C, as a repair
        // must, although its task is canceled.
        if isRequested || Task.isCancelled && StandardError.captured != nil { throw failure(done()) }
    }

    /// The failure of an interrupted command.
    static func failure(_ done: String? = nil) -> CommandError {
        CommandError(reason?.exitCode ?? .interrupted, done.map { "interrupted after \($0)" } ?? "interrupted")
    }

    /// A descriptor that is readable while the running command must stop; `nil` before ``install()``.
    static var stopDescriptor: Int32? {
        state.withLock { $0.isInstalled } ? stop.readEnd : nil
    }

    // MARK: - Temporary files

    /// Registers a file to be removed if the process ends without unwinding.
    static func removeAtExit(_ path: String) {
        state.withLock { $0.leftovers.append(path) }
    }

    /// Registers a directory to be removed if the process ends without unwinding.
    static func removeAtExit(_ directory: ScratchDirectory) {
        state.withLock { state in
            state.directories.removeAll { $0.directory == nil }
            state.directories.append(Unowned(directory: directory))
        }
    }

    /// Unregisters a file, which is complete or already removed.
    static func keep(_ path: String) {
        state.withLock { state in state.leftovers.removeAll { $0.utf8.elementsEqual(path.utf8) } }
    }

    // MARK: - The process

    /// Installs the signal handlers.
    static func install() {
        let isNew = state.withLock { state in
            defer { state.isInstalled = true }
            return !state.isInstalled
        }
        guard isNew, signals.open(), stop.open(), wake.open() else { return }
        for number in [SIGINT, SIGTERM, SIGHUP] { handle(number) }
        var thread = pthread_t(bitPattern: 0)
        let failed = unsafe pthread_create(
            &thread, nil,
            { _ in
                Interruption.watch()
                return nil
            }, nil)
        // Without the thread, signals must have their default effect.
        guard failed == 0 else {
            for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
            return
        }
    }

    /// Marks the process as interactive: ^C does not end it, and changes of the window size are reported.
    static func becomeInteractive() {
        state.withLock { $0.isInteractive = true }
        for number in [SIGWINCH, SIGCONT] { handle(number) }
        // A closed pager must cause a write error, not end the shell.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Sets whether a pager controls the terminal. While it does, ^C stops the command but does not end the process,
    /// which waits for the user to leave the pager.
    static func setPaging(_ isPaging: Bool) {
        state.withLock { $0.isPaging = isPaging }
    }

    /// Runs `body` with SIGPIPE ignored, so that a closed pipe causes a write error instead of ending the process.
    static func keepingBrokenPipes<R>(_ body: () throws -> R) rethrows -> R {
        let previous = signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, previous) }
        return try body()
    }

    /// Whether the window size changed, or the process was continued, since the last call.
    static func takeResize() -> Bool { wasResized.exchange(false, ordering: .relaxed) }

    /// Clears a ^C in an interactive shell before a new prompt, since it was meant for the previous command. Requests
    /// to end the process are kept, and so is a ^C between a prompt and the first step of its command.
    static func forgetInterrupt() {
        let mayGoOn = state.withLock { state in
            if case .interrupt = state.reason, state.isInteractive { state.reason = nil }
            return state.reason == nil
        }
        guard mayGoOn else { return }
        isSet.store(false, ordering: .relaxed)
        stop.drain()
    }

    /// Clears a ^C that a command handled by finishing its work, so that its result is still reported.
    static func forgetAnswered() {
        let mayGoOn = state.withLock { state in
            if case .interrupt = state.reason { state.reason = nil }
            return state.reason == nil
        }
        guard mayGoOn else { return }
        isSet.store(false, ordering: .relaxed)
        stop.drain()
    }

    /// The exit code after the terminal's input has ended; `nil` if the user typed the end. After a hangup, SIGHUP and
    /// the change of the terminal's state may arrive slightly after the end of input.
    static func endOfTerminal() -> ExitCode? {
        let isGone = FileDescriptor.standardInput.isHungUp || !FileDescriptor.standardInput.isTerminal
        if reason == nil, isGone {
            var request = pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&request, 1, 500)
        }
        if case .end(let code) = reason { return code }
        return isGone ? .hungUp : nil
    }

    /// Registers `cancel` to be called from another thread when the command must stop; calls it at once if that was
    /// already requested.
    static func onRequest(_ cancel: @escaping @Sendable () -> Void) {
        state.withLock { $0.cancelCommand = cancel }
        if isRequested { cancel() }
    }

    /// Unregisters the running command.
    static func endCommand() {
        state.withLock { $0.cancelCommand = nil }
    }

    /// Requests the running command to stop, like a signal.
    static func request(_ reason: Reason) {
        var cancel: (@Sendable () -> Void)?
        var mustEnd: ExitCode?
        state.withLock { state in
            if case .interrupt = reason, case .interrupt = state.reason, !state.isInteractive, !state.isPaging {
                mustEnd = .interrupted
            }
            if case .end = state.reason {} else { state.reason = reason }
            if case .end = reason { state.deadline = .now + .seconds(5) }
            cancel = state.cancelCommand
        }
        if let mustEnd { endNow(mustEnd) }
        isSet.store(true, ordering: .relaxed)
        stop.signal()
        wake.signal()
        cancel?()
    }

    // MARK: - The signal thread

    /// Installs a handler for a signal, unless the parent process made this one ignore it, like nohup.
    private static func handle(_ number: Int32) {
        if !isIgnored(number) { install(number) }
    }

    /// Whether the process ignores a signal.
    static func isIgnored(_ number: Int32) -> Bool {
        var old = sigaction()
        guard unsafe sigaction(number, nil, &old) == 0 else { return true }
        #if canImport(Glibc)
            let handler = unsafe unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self)
        #else
            let handler = unsafe unsafeBitCast(old.__sigaction_u.__sa_handler, to: Int.self)
        #endif
        return unsafe handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func install(_ number: Int32) {
        var action = sigaction()
        let handler: @convention(c) (Int32) -> Void = { number in
            let saved = errno
            Interruption.signals.signal(UInt8(truncatingIfNeeded: number))
            errno = saved
        }
        #if canImport(Glibc)
            unsafe action.__sigaction_handler.sa_handler = handler
        #else
            unsafe action.__sigaction_u.__sa_handler = handler
        #endif
        action.sa_flags = Int32(SA_RESTART)
        _ = unsafe sigaction(number, &action, nil)
    }

    private static func watch() {
        while true {
            let deadline = state.withLock { $0.deadline }
            let timeout = deadline.map { max(0, ($0 - .now) / .milliseconds(1)) } ?? -1
            switch signals.next(milliseconds: Int32(timeout)).map(Int32.init) {
            case nil:
                if let deadline, deadline <= .now { endNow(reason?.exitCode ?? .terminated) }
            case SIGTERM: request(.end(.terminated))
            case SIGHUP: request(.end(.hungUp))
            case SIGINT: request(.interrupt)
            default:
                wasResized.store(true, ordering: .relaxed)
                wake.signal()
            }
        }
    }

    /// Ends the process without unwinding, after removing registered files.
    private static func endNow(_ code: ExitCode) -> Never {
        let (paths, directories) = state.withLock { ($0.leftovers, $0.directories.compactMap(\.directory)) }
        for path in paths { unsafe unlink(path) }
        for directory in directories { directory.remove() }
        TerminalMode.restore()
        _exit(code.rawValue)
    }
}
