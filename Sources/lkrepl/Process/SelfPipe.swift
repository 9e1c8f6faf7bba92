import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A pipe from a process to itself, with which a signal handler or another thread wakes a `poll`.
final class SelfPipe: Sendable {
    // Atomics instead of a lock, since a signal handler reads them.
    private let reading = Atomic<Int32>(-1)
    private let writing = Atomic<Int32>(-1)

    /// The end to wait at; -1 before ``open()``.
    var readEnd: Int32 { reading.load(ordering: .relaxed) }

    /// Creates the pipe. Returns false if no more files can be opened.
    func open() -> Bool {
        var pair: [Int32] = [-1, -1]
        guard unsafe pipe(&pair) == 0 else { return false }
        for end in pair {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        reading.store(pair[0], ordering: .relaxed)
        writing.store(pair[1], ordering: .relaxed)
        return true
    }

    /// Writes one byte; a full pipe needs no more. Safe in a signal handler.
    func signal(_ byte: UInt8 = 0) {
        var byte = byte
        _ = unsafe write(writing.load(ordering: .relaxed), &byte, 1)
    }

    /// The next byte; `nil` after a timeout.
    ///
    /// - Parameter milliseconds: How long to wait; a negative value waits forever.
    func next(milliseconds: Int32) -> UInt8? {
        var request = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, milliseconds) > 0 else { return nil }
        var byte: UInt8 = 0
        return unsafe read(readEnd, &byte, 1) == 1 ? byte : nil
    }

    /// Removes all bytes.
    func drain() {
        while next(milliseconds: 0) != nil {}
    }
}
