import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The behavior of the process on its own and LevelDB's fatal errors.
enum CrashReports {
    private static let signals = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

    /// Restores the default action of fatal signals.
    ///
    /// At a terminal the Swift runtime would otherwise start a program that prints the memory of this process,
    /// including keys and values, and asks questions. `SWIFT_BACKTRACE=enable=yes` in the environment keeps that
    /// behavior.
    static func silence() {
        guard Terminal.environment("SWIFT_BACKTRACE") == nil else { return }
        for number in [SIGQUIT] + signals where !Interruption.isIgnored(number) { signal(number, SIG_DFL) }
    }

    // MARK: - Aborts of LevelDB

    /// Makes the process print an explanation and exit with ``ExitCode/badData`` if LevelDB aborts it.
    ///
    /// LevelDB aborts on some blocks with valid checksums, which occur only in forged files. SIGABRT is attributed to
    /// LevelDB; other signals only if the faulting instruction is in LevelDB, so that faults of lkrepl are not blamed
    /// on a database.
    ///
    /// - Parameter advice: what to do next; `nil` for the advice to check every block.
    static func explainAborts(_ advice: String? = nil) {
        guard Terminal.environment("SWIFT_BACKTRACE") == nil else { return }
        let isChecked = DatabaseAccess.checksEveryBlockInProcess.load(ordering: .relaxed)
        let failure = CommandError(
            .badData, "LevelDB aborted, probably because of this database's content",
            hint: advice
                ?? (isChecked
                    ? "every block had been checked; please report this, with a copy of the database"
                    : "run it again with \(SharedOptions.untrusted), which checks every block first and names the damaged one")
        )
        let text = Array((ErrorReport.text(of: failure) ?? "").utf8)
        unsafe message = copy(text)
        unsafe engine = copy(LoadedModules.engine())
        for number in signals where !Interruption.isIgnored(number) {
            var action = sigaction()
            let handler: @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
                number, info, context in unsafe CrashReports.end(number, info, context)
            }
            #if canImport(Glibc)
                unsafe action.__sigaction_handler.sa_sigaction = handler
            #else
                unsafe action.__sigaction_u.__sa_sigaction = handler
            #endif
            // The next signal of this kind ends the process.
            action.sa_flags = Int32(
                bitPattern: UInt32(SA_SIGINFO) | UInt32(bitPattern: Int32(truncatingIfNeeded: SA_RESETHAND)))
            _ = unsafe sigaction(number, &action, nil)
        }
    }

    // Set once, before any signal can be handled.
    nonisolated(unsafe) private static var message = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    nonisolated(unsafe) private static var engine = unsafe UnsafeBufferPointer<LoadedModules.Span>(start: nil, count: 0)

    /// Runs in a signal handler, so it may call only async-signal-safe functions (signal-safety(7)).
    private static func end(
        _ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
    ) {
        // Positive codes come from the system; others mark signals sent by another process.
        let isFault = unsafe (info?.pointee.si_code ?? 0) > 0
        if unsafe number == SIGABRT || isFault && isEngine(context) {
            _ = unsafe write(2, message.baseAddress, message.count)
            _exit(ExitCode.badData.rawValue)
        }
        // The signal is blocked during this handler, and ends the process when it returns.
        signal(number, SIG_DFL)
        raise(number)
    }

    /// Whether the instruction that caused a signal is in LevelDB.
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

    /// A copy for the signal handler, which must not use memory that Swift manages; never freed.
    private static func copy<Element>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
        let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = unsafe copy.initialize(from: elements)
        return UnsafeBufferPointer(copy)
    }
}
