#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Sees to it that there are descriptors for what the Swift runtime opens by itself; it ends the process where it cannot.
enum DescriptorLimit {
    /// Descriptors that must be free: those of the queues, of the pipes for signals, and a few for files.
    private static let neededCount = 16

    static let message =
        "lkrepl: fewer than \(neededCount) files can be opened here\n"
        + "hint: raise the limit of open files with ulimit -n, or close files before lkrepl is started\n"

    /// Raises a limit that is lower than a database needs, as far as the system allows it.
    ///
    /// - Returns: whether enough descriptors are free.
    static func raise() -> Bool {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        if unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < 256 {
            limit.rlim_cur = min(256, limit.rlim_max)
            _ = unsafe setrlimit(resource, &limit)
        }
        var descriptors: [Int32] = []
        while descriptors.count < neededCount {
            let descriptor = fcntl(0, F_DUPFD_CLOEXEC, 3)
            if descriptor < 0 { break }
            descriptors.append(descriptor)
        }
        for descriptor in descriptors { close(descriptor) }
        return descriptors.count == neededCount
    }
}
