#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Ensures that enough descriptors are available for the Swift runtime, which aborts if it cannot open its own.
enum DescriptorLimit {
    /// The number of descriptors that must be free: for queues, signal pipes, and a few files.
    private static let neededCount = 16

    static let message =
        "lkrepl: fewer than \(neededCount) files can be opened\n"
        + "hint: raise the limit of open files with ulimit -n, or close files before starting lkrepl\n"

    /// Raises the limit of open files to what a database needs, as far as the system allows.
    ///
    /// - Returns: Whether enough descriptors are free.
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
