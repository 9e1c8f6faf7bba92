import LevelFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file descriptor, which does not own its file.
///
/// All system calls on descriptors are here. They retry when interrupted by a signal, and wait if a descriptor is
/// nonblocking: standard streams are shared with other processes, which may have set O_NONBLOCK. swift-system 1.4 has
/// neither `poll` nor `fsync`, which most of this needs, so it would replace only a few lines.
struct FileDescriptor: Hashable, Sendable {
    var rawValue: Int32

    static let standardInput = FileDescriptor(rawValue: 0)
    static let standardOutput = FileDescriptor(rawValue: 1)
    static let standardError = FileDescriptor(rawValue: 2)

    /// Whether the descriptor is a terminal. The C function is `isatty`.
    var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Whether the other end is closed, so that no more input can arrive.
    var isHungUp: Bool {
        var request = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) > 0 && request.revents & Int16(POLLHUP | POLLERR) != 0
    }

    /// Writes all of `bytes`, in several calls of `write` if necessary.
    func writeAll(_ bytes: Span<UInt8>) throws(SystemError) {
        var writtenCount = 0
        while writtenCount < bytes.count {
            let count = unsafe bytes.extracting(writtenCount..<bytes.count).withUnsafeBufferPointer {
                unsafe write(rawValue, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                writtenCount += count
            } else {
                try recover(from: errno, waitingFor: POLLOUT)
            }
        }
    }

    /// Writes all of `bytes`.
    func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        try writeAll(bytes.span)
    }

    /// Reads up to `buffer.count` bytes into `buffer`. Returns their number; 0 at the end of the file.
    ///
    /// Throws EINTR when the running command must stop (see ``Interruption``).
    ///
    /// - Parameter shouldStop: Called after a signal interrupted the call; if it returns true, EINTR is thrown.
    func read(into buffer: inout [UInt8], shouldStop: () -> Bool = { false }) throws(SystemError) -> Int {
        while true {
            if let stop = Interruption.stopDescriptor { try waitForInput(orFor: stop) }
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe Self.systemRead(rawValue, $0.baseAddress, $0.count)
            }
            if count >= 0 { return count }
            let number = errno
            if number == EINTR, shouldStop() { throw SystemError(number: number) }
            try recover(from: number, waitingFor: POLLIN)
        }
    }

    /// Closes the descriptor. Throws if written data is known to be lost (as over NFS).
    func closeFile() throws(SystemError) {
        // After EINTR the descriptor is closed on Linux and Darwin; retrying could close a file of another thread.
        guard close(rawValue) == 0 || errno == EINTR else { throw SystemError(number: errno) }
    }

    /// Asks the system to begin with writing a range of a file to disk, so that ``synchronize()`` waits for less. The
    /// C function is `posix_fadvise`, whose `DONTNEED` has this effect on Linux; macOS lacks it, and nothing happens.
    func beginSynchronizing(from offset: Int, byteCount: Int) {
        #if canImport(Glibc)
            _ = posix_fadvise(rawValue, offset, byteCount, POSIX_FADV_DONTNEED)
        #endif
    }

    /// Waits until written data is on disk. The C function is `fsync`.
    func synchronize() throws(SystemError) {
        while fsync(rawValue) != 0 {
            guard errno == EINTR else { throw SystemError(number: errno) }
        }
    }

    /// Returns when input is available; throws when the running command must stop.
    private func waitForInput(orFor stop: Int32) throws(SystemError) {
        var requests = [
            pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&requests, 2, -1) < 0, errno == EINTR {}
        if Interruption.isRequested { throw SystemError(number: EINTR) }
    }

    /// Returns if the call that failed with `number` should be retried.
    private func recover(from number: Int32, waitingFor event: some BinaryInteger) throws(SystemError) {
        switch number {
        case EINTR: return
        case EAGAIN, EWOULDBLOCK:
            var request = pollfd(fd: rawValue, events: Int16(event), revents: 0)
            // Whether or not this is interrupted, the caller's next call reports the state.
            _ = unsafe poll(&request, 1, -1)
        default: throw SystemError(number: number)
        }
    }

    // Inside a type with a method `read`, the plain name refers to the method.
    #if canImport(Glibc)
        private static func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
            unsafe Glibc.read(descriptor, buffer, count)
        }
    #else
        private static func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
            unsafe Darwin.read(descriptor, buffer, count)
        }
    #endif
}
