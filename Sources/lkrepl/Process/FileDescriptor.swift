#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A number that stands for an open file; it does not own the file.
///
/// The system calls on it are all here. They retry when a signal interrupts them, and wait where a descriptor does
/// not block: standard streams are shared with other processes, which may have set O_NONBLOCK.
struct FileDescriptor: Hashable, Sendable {
    var rawValue: Int32

    static let standardInput = FileDescriptor(rawValue: 0)
    static let standardOutput = FileDescriptor(rawValue: 1)
    static let standardError = FileDescriptor(rawValue: 2)

    /// Whether it leads to a terminal. The corresponding C function is `isatty`.
    var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Whether the other end is gone, so that nothing will ever come.
    var isHungUp: Bool {
        var request = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) > 0 && request.revents & Int16(POLLHUP | POLLERR) != 0
    }

    /// Writes all of `bytes`, in as many calls of `write` as it takes.
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

    /// Reads up to `buffer.count` bytes into `buffer`; returns how many, 0 at the end of the file.
    ///
    /// A wait for input ends with EINTR when the running command is to stop (see ``Interruption``).
    ///
    /// - Parameter shouldStop: Asked after a signal has interrupted the call; if true, EINTR is thrown.
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

    /// Ends the use of the descriptor, and tells if what was written is known to be lost (as over NFS).
    func closeFile() throws(SystemError) {
        // An interrupted close has closed the descriptor on Linux and Darwin; a retry could close another's file.
        guard close(rawValue) == 0 || errno == EINTR else { throw SystemError(number: errno) }
    }

    /// Waits until what was written is on the disk. The corresponding C function is `fsync`.
    func synchronize() throws(SystemError) {
        while fsync(rawValue) != 0 {
            guard errno == EINTR else { throw SystemError(number: errno) }
        }
    }

    /// Returns when there is something to read, throws when the running command is to stop.
    private func waitForInput(orFor stop: Int32) throws(SystemError) {
        var requests = [
            pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&requests, 2, -1) < 0, errno == EINTR {}
        if Interruption.isRequested { throw SystemError(number: EINTR) }
    }

    /// Returns if the call that failed with `number` is worth repeating.
    private func recover(from number: Int32, waitingFor event: some BinaryInteger) throws(SystemError) {
        switch number {
        case EINTR: return
        case EAGAIN, EWOULDBLOCK:
            var request = pollfd(fd: rawValue, events: Int16(event), revents: 0)
            // Interrupted or not, the caller's call tells.
            _ = unsafe poll(&request, 1, -1)
        default: throw SystemError(number: number)
        }
    }

    // Inside a type with a method of that name, `read` alone is the method.
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
