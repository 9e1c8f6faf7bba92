internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Counts the forks between the first process and this one.
///
/// Calling `getpid` would cost a system call per read. A handler that runs in the child costs nothing.
enum ForkGeneration {
    private static let counter = Atomic<Int>(0)
    /// Installs the handler once.
    private static let isInstalled: Bool = pthread_atfork(nil, nil, { ForkGeneration.advance() }) == 0

    /// The number of forks so far.
    @inline(__always)
    static var current: Int { counter.load(ordering: .relaxed) }

    /// Starts counting forks.
    static func install() { _ = isInstalled }

    /// The generation in which LevelDB was first used; -1 before.
    private static let first = Atomic<Int>(-1)

    /// Returns whether LevelDB works in this process. It does not in a process forked from one that used it: all
    /// databases share a single background thread, which does not exist in the child and is not restarted
    /// (`util/env_posix.cc`).
    static func admitsEngine() -> Bool {
        first.compareExchange(expected: -1, desired: current, ordering: .relaxed).original == -1
            || first.load(ordering: .relaxed) == current
    }

    /// Throws `forked` if LevelDB does not work in this process.
    static func requireEngine(for path: String) throws(LevelError) {
        guard !admitsEngine() else { return }
        throw LevelError(
            .forked,
            "could not open \(path): this process was forked from one that had opened a database; "
                + "fork before the first database is opened, or start a new program")
    }

    private static func advance() { counter.add(1, ordering: .relaxed) }
}
