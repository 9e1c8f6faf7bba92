internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Counts the forks between the first process and this one.
///
/// Asking for the process id would be a system call for each read; a handler that runs in the child costs nothing.
enum ForkGeneration {
    private static let counter = Atomic<Int>(0)
    /// Installs the handler once.
    private static let isInstalled: Bool = pthread_atfork(nil, nil, { ForkGeneration.advance() }) == 0

    /// The number of forks so far.
    @inline(__always)
    static var current: Int { counter.load(ordering: .relaxed) }

    /// Sees to it that forks are counted from now on.
    static func install() { _ = isInstalled }

    /// The generation in which LevelDB was first used; -1 before.
    private static let first = Atomic<Int>(-1)

    /// Whether LevelDB works in this process: not in one that was forked off another that had used it, since its
    /// background thread, one for all databases, did not follow and will not be started again (`util/env_posix.cc`).
    static func admitsEngine() -> Bool {
        first.compareExchange(expected: -1, desired: current, ordering: .relaxed).original == -1
            || first.load(ordering: .relaxed) == current
    }

    /// Throws `forked` where LevelDB does not work in this process.
    static func requireEngine(for path: String) throws(LevelError) {
        guard !admitsEngine() else { return }
        throw LevelError(
            .forked,
            "could not open \(path): this process was forked off one that had opened a database; "
                + "fork before the first is opened, or start a new program")
    }

    private static func advance() { counter.add(1, ordering: .relaxed) }
}
