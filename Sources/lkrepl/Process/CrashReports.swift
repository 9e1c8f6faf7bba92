import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the process does when it ends by a fault of its own, or of LevelDB.
enum CrashReports {
    private static let signals = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

    /// Has the system end the process, as it ends others.
    ///
    /// At a terminal the Swift runtime would start a program that shows the memory of this one, keys and values included, and
    /// asks questions. `SWIFT_BACKTRACE=enable=yes` in the environment has it do so.
    static func silence() {
        guard Terminal.environment("SWIFT_BACKTRACE") == nil else { return }
        for number in [SIGQUIT] + signals where !isIgnored(number) { signal(number, SIG_DFL) }
    }

    /// What is ignored stays ignored.
    private static func isIgnored(_ number: Int32) -> Bool {
        var old = sigaction()
        guard unsafe sigaction(number, nil, &old) == 0 else { return true }
        #if canImport(Glibc)
            let handler = unsafe unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self)
        #else
            let handler = unsafe unsafeBitCast(old.__sigaction_u.__sa_handler, to: Int.self)
        #endif
        let ignored = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
        return handler == ignored
    }

    // MARK: - LevelDB's end

    /// Has the process say why it ends, and end with ``ExitCode/badData``, where LevelDB aborts it.
    ///
    /// LevelDB aborts on some blocks whose checksums match, which only somebody who forges them writes. SIGABRT is taken for
    /// LevelDB's; other signals only if the instruction is LevelDB's, so that a fault of lkrepl is not blamed on a database.
    static func explainAborts() {
        guard Terminal.environment("SWIFT_BACKTRACE") == nil else { return }
        let isChecked = DatabaseAccess.checksEveryBlockInProcess.load(ordering: .relaxed)
        let failure = CommandFailure(
            .badData, "LevelDB aborted, probably because of what this database contains",
            hint: isChecked
                ? "every block was checked before; please report this, with a copy of the database"
                : "run it again with \(SharedOptions.untrusted), which checks every block first and names the damaged one"
        )
        let text = Array((ErrorReport.text(of: failure) ?? "").utf8)
        unsafe message = copy(text)
        unsafe engine = copy(LoadedModules.engine())
        for number in signals where !isIgnored(number) {
            var action = sigaction()
            let handler: @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
                number, info, context in unsafe CrashReports.end(number, info, context)
            }
            #if canImport(Glibc)
                unsafe action.__sigaction_handler.sa_sigaction = handler
            #else
                unsafe action.__sigaction_u.__sa_sigaction = handler
            #endif
            // The next signal of its kind ends the process.
            action.sa_flags = Int32(
                bitPattern: UInt32(SA_SIGINFO) | UInt32(bitPattern: Int32(truncatingIfNeeded: SA_RESETHAND)))
            _ = unsafe sigaction(number, &action, nil)
        }
    }

    // Written once, before any signal can be handled.
    nonisolated(unsafe) private static var message = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    nonisolated(unsafe) private static var engine = unsafe UnsafeBufferPointer<LoadedModules.Span>(start: nil, count: 0)

    /// Runs within the handler of a signal, so it calls nothing but what may be called there (signal-safety(7)).
    private static func end(
        _ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
    ) {
        // Codes above zero are the system's; others come with a signal that another process has sent.
        let isFault = unsafe (info?.pointee.si_code ?? 0) > 0
        if unsafe number == SIGABRT || isFault && isEngine(context) {
            _ = unsafe write(2, message.baseAddress, message.count)
            _exit(ExitCode.badData.rawValue)
        }
        // It is blocked while this runs, and ends the process after that.
        signal(number, SIG_DFL)
        raise(number)
    }

    /// Whether the instruction that caused a signal is LevelDB's.
    private static func isEngine(_ context: UnsafeMutableRawPointer?) -> Bool {
        guard let instruction = unsafe LoadedModules.instruction(in: context) else { return false }
        var index = 0
        while unsafe index < engine.count {
            let module = unsafe engine[index]
            if module.start <= instruction, instruction < module.end { return true }
            index += 1
        }
        return false
    }

    /// A copy for the handler, which must not use memory that Swift manages; never freed.
    private static func copy<Element>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
        let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = unsafe copy.initialize(from: elements)
        return UnsafeBufferPointer(copy)
    }
}
