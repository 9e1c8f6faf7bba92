import LevelKit
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The wish of a user, or of the system, that what runs come to its end: SIGINT, SIGTERM and SIGHUP.
///
/// A signal handler may do next to nothing, so it writes the number of the signal into a pipe, and a thread that waits
/// at the other end does the rest: it sets the flag that commands look at (``check(_:)``), cancels the task of the running
/// command, and wakes whoever waits in `poll` for input. A command that sees the flag unwinds as after any other failure,
/// so that it takes its own unfinished files with it.
///
/// The second SIGINT of a batch, and five seconds after SIGTERM or SIGHUP, end the process at once; the files that were
/// named to ``removeAtExit(_:)`` go first.
enum Interruption {
    /// What was asked for.
    enum Reason: Sendable {
        /// ^C: the command is to stop. A shell at a terminal goes on with the next.
        case interrupt
        /// SIGTERM or SIGHUP: the process is to end.
        case end(ExitCode)

        /// How a run that ends for this reason ends.
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
        /// Whether a pager has the terminal, whose ^C is meant for what it shows.
        var isPaging = false
        var isInstalled = false
        /// When the process ends whatever its command does.
        var deadline: ContinuousClock.Instant?
    }

    /// A directory that may be gone, and then needs nothing.
    private struct Unowned {
        weak var directory: ScratchDirectory?
    }

    private static let state = Mutex(State())
    /// Read by loops at each step, so outside the lock.
    private static let isSet = Atomic(false)
    private static let signals = SelfPipe()
    /// Readable while a command is to stop.
    private static let stop = SelfPipe()
    /// Readable when something happened that a line editor wants to know at once.
    static let wake = SelfPipe()
    private static let wasResized = Atomic(false)

    // MARK: - What commands ask

    /// Whether the running command is to stop.
    ///
    /// - Complexity: one relaxed load.
    static var isRequested: Bool { isSet.load(ordering: .relaxed) }

    /// Why the running command is to stop; `nil` if it may go on.
    static var reason: Reason? { state.withLock { $0.reason } }

    /// Throws if the running command is to stop. Loops over records call it for each, or for each 256.
    ///
    /// - Parameter done: what was done so far, for the message, such as `120 rows`.
    static func check(_ done: @autoclosure () -> String? = nil) throws(CommandFailure) {
        if isRequested { throw failure(done()) }
    }

    /// The failure of a command that was stopped.
    static func failure(_ done: String? = nil) -> CommandFailure {
        CommandFailure(reason?.exitCode ?? .interrupted, done.map { "interrupted after \($0)" } ?? "interrupted")
    }

    /// The descriptor that is readable while the running command is to stop; `nil` before ``install(isInteractive:)``.
    static var stopDescriptor: Int32? {
        state.withLock { $0.isInstalled } ? stop.readEnd : nil
    }

    // MARK: - Files that must not stay

    /// Has a file removed if the process is ended while its command does not look up.
    static func removeAtExit(_ path: String) {
        state.withLock { $0.leftovers.append(path) }
    }

    /// Has a directory removed if the process is ended while its command does not look up.
    static func removeAtExit(_ directory: ScratchDirectory) {
        state.withLock { state in
            state.directories.removeAll { $0.directory == nil }
            state.directories.append(Unowned(directory: directory))
        }
    }

    /// Takes back ``removeAtExit(_:)``: the file is whole, or gone.
    static func keep(_ path: String) {
        state.withLock { state in state.leftovers.removeAll { $0.utf8.elementsEqual(path.utf8) } }
    }

    // MARK: - The process

    /// Begins to watch for signals.
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
        // Without the thread, signals must act by themselves.
        guard failed == 0 else {
            for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
            return
        }
    }

    /// Says that a person is at the terminal: ^C never ends the process, and changes of the window are of interest.
    static func becomeInteractive() {
        state.withLock { $0.isInteractive = true }
        for number in [SIGWINCH, SIGCONT] { handle(number) }
        // The end of a pager is an error of a write and not the end of the shell.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Says whether a pager has the terminal: as long as it has, ^C stops the command and not the process, which waits for
    /// the user to leave the pager.
    static func setPaging(_ isPaging: Bool) {
        state.withLock { $0.isPaging = isPaging }
    }

    /// Runs `body` so that the end of a program that reads what it writes is an error of the write, and not the end of this
    /// process.
    static func keepingBrokenPipes<R>(_ body: () throws -> R) rethrows -> R {
        let previous = signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, previous) }
        return try body()
    }

    /// Whether the window has changed, or the process was continued, since the last call.
    static func takeResize() -> Bool { wasResized.exchange(false, ordering: .relaxed) }

    /// Forgets a ^C, at a terminal, where a new prompt is shown: it was meant for what was before. What ends the run is not
    /// forgotten, and neither is a ^C that comes between a prompt and the first step of its command.
    static func forgetInterrupt() {
        let mayGoOn = state.withLock { state in
            if case .interrupt = state.reason, state.isInteractive { state.reason = nil }
            return state.reason == nil
        }
        guard mayGoOn else { return }
        isSet.store(false, ordering: .relaxed)
        stop.drain()
    }

    /// Forgets a ^C that a command has answered by coming to its end, so that what it has to say is said.
    static func forgetAnswered() {
        let mayGoOn = state.withLock { state in
            if case .interrupt = state.reason { state.reason = nil }
            return state.reason == nil
        }
        guard mayGoOn else { return }
        isSet.store(false, ordering: .relaxed)
        stop.drain()
    }

    /// How the process is to end where the input of its terminal has ended; `nil` if that was typed. The signal of a terminal that is
    /// gone may come a little behind the end of what it sends, and so may that it is no terminal any more.
    static func endOfTerminal() -> ExitCode? {
        let isGone = FileDescriptor.standardInput.isHungUp || !FileDescriptor.standardInput.isTerminal
        if reason == nil, isGone {
            var request = pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&request, 1, 500)
        }
        if case .end(let code) = reason { return code }
        return isGone ? .hungUp : nil
    }

    /// Has `cancel` called from another thread when the command is to stop; at once if that was asked for already.
    static func onRequest(_ cancel: @escaping @Sendable () -> Void) {
        state.withLock { $0.cancelCommand = cancel }
        if isRequested { cancel() }
    }

    /// Ends a command.
    static func endCommand() {
        state.withLock { $0.cancelCommand = nil }
    }

    /// Asks the running command to stop, as a signal does.
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

    // MARK: - The watching thread

    /// Has a signal come through the pipe, unless whoever started the process has it ignored, as nohup does.
    private static func handle(_ number: Int32) {
        var old = sigaction()
        _ = unsafe sigaction(number, nil, &old)
        #if canImport(Glibc)
            let handler = unsafe unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self)
        #else
            let handler = unsafe unsafeBitCast(old.__sigaction_u.__sa_handler, to: Int.self)
        #endif
        let ignored = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
        guard handler != ignored else { return }
        install(number)
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

    /// Ends the process without unwinding, after the files that must not stay are gone.
    private static func endNow(_ code: ExitCode) -> Never {
        let (paths, directories) = state.withLock { ($0.leftovers, $0.directories.compactMap(\.directory)) }
        for path in paths { unsafe unlink(path) }
        for directory in directories { directory.remove() }
        TerminalMode.restore()
        _exit(code.rawValue)
    }
}
