internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Counts the calls in flight, and admits none from the moment at which the database is closed.
///
/// The count and the mark of closing are one number, so no call can enter between the two. A call costs two atomic
/// additions.
struct Admission: ~Copyable, Sendable {
    /// The number of calls in flight. The highest bit is set once admission has stopped.
    private let calls = Atomic<UInt64>(0)

    private static let stopped: UInt64 = 1 << 63

    /// Whether admission has stopped.
    @inline(__always)
    var isStopped: Bool { calls.load(ordering: .relaxed) & Self.stopped != 0 }

    /// Admits a call, unless admission has stopped. Each call that is admitted is paired with ``leave()``.
    @inline(__always)
    func enter() -> Bool {
        if calls.add(1, ordering: .acquiring).newValue & Self.stopped == 0 { return true }
        leave()
        return false
    }

    /// Ends an admitted call.
    @inline(__always)
    func leave() {
        calls.subtract(1, ordering: .releasing)
    }

    /// Stops admission.
    ///
    /// - Returns: whether this call stopped it, and not an earlier one.
    func stop() -> Bool {
        calls.bitwiseOr(Self.stopped, ordering: .acquiringAndReleasing).oldValue & Self.stopped == 0
    }

    /// Whether admission has stopped and no call is in flight.
    var isDrained: Bool { calls.load(ordering: .acquiring) == Self.stopped }

    /// Waits until the calls in flight have ended, after ``stop()``.
    func drain() {
        while !isDrained { usleep(50) }
    }
}
