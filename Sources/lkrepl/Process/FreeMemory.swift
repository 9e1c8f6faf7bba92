#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Memory that was freed, and that the C library keeps.
enum FreeMemory {
    /// Gives free memory back to the system (`malloc_trim`), where that is necessary.
    ///
    /// glibc keeps the freed memory of each thread for that thread. Thus a process that runs for days would hold a multiple
    /// of what it uses. The call takes a few milliseconds.
    static func release() {
        #if canImport(Glibc)
            typealias Trim = @convention(c) (Int) -> Int32
            guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
            _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
        #endif
    }
}
