#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the process does when it ends by a fault of its own.
enum CrashReports {
    /// Has the system end the process, as it ends others.
    ///
    /// At a terminal the Swift runtime would start a program that shows the memory of this one, keys and values included, and
    /// asks questions. `SWIFT_BACKTRACE=enable=yes` in the environment has it do so.
    static func silence() {
        guard Terminal.environment("SWIFT_BACKTRACE") == nil else { return }
        for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
            var old = sigaction()
            guard unsafe sigaction(number, nil, &old) == 0 else { continue }
            #if canImport(Glibc)
                let handler = unsafe unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self)
            #else
                let handler = unsafe unsafeBitCast(old.__sigaction_u.__sa_handler, to: Int.self)
            #endif
            let ignored = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
            // What is ignored stays ignored.
            if handler != ignored { signal(number, SIG_DFL) }
        }
    }
}
