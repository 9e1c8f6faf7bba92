import Dispatch
import LevelFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A buffered writer that reports every write error, including the last one.
///
/// For standard output, and for other files open for writing. Bytes are written at the latest by ``flush()``, which the
/// caller must call at the end, or by ``close()``. Deinit does not flush, because an error could not be reported.
///
/// The first error is sticky: every later call throws it again, so that a caller cannot miss it.
///
/// One command writes at a time. If somebody may be waiting for the output, the thread of a ``Ticker`` writes the
/// rest of the buffer.
final class StandardOutput: @unchecked Sendable {
    // Unchecked: if a second thread is involved, mutable state is used under the lock.
    private let access = DispatchSemaphore(value: 1)
    let descriptor: FileDescriptor
    /// The output's name in messages.
    let name: String
    /// Whether the output is a terminal, so that tables are possible and limited in width.
    let isTerminal: Bool
    /// The number of bytes accepted so far, written or still buffered.
    private(set) var byteCount = 0
    private let capacity: Int
    private var buffer: [UInt8] = []
    private var failure: WriteError?
    /// The time of the last write of the buffer.
    private var lastFlush = CoarseClock.milliseconds
    /// Whether somebody may be waiting for the buffered output.
    let isWatched: Bool
    /// The maximum time for rows in the buffer in milliseconds, so that slow results appear as they come.
    private static let longestWait = 100
    /// The pager between the buffer and the descriptor; `nil` for none.
    private let pager: PagerGate?
    /// The memory that takes the output instead of the descriptor; `nil` for none.
    private let capture: OutputCapture?

    /// How data is escaped if the output is a terminal, which would act on control characters; `nil` if the output is
    /// already safe for a terminal. Files and pipes get the bytes unchanged. Must be set before the first write.
    var terminalForm: TerminalText.Form?
    /// Whether the output is a file that will be synchronized, whose bytes go to disk while more are written.
    var isWrittenEarly = false
    /// The number of bytes in the file, and of those that are on their way to disk.
    private var sentByteCount = 0
    private var earlyByteCount = 0
    /// The number of bytes that go to disk together.
    private static let earlyStep = 8 << 20
    /// Bytes of an incomplete character, for a terminal.
    private var incomplete: [UInt8] = []

    /// A writer to `descriptor`, which stays open until ``close()``.
    init(
        descriptor: FileDescriptor, name: String = "standard output", capacity: Int = 64 << 10,
        pager: PagerGate? = nil, capture: OutputCapture? = nil
    ) {
        self.descriptor = descriptor
        self.name = name
        self.capacity = capacity
        self.pager = pager
        self.capture = capture
        isTerminal = descriptor.isTerminal
        isWatched = descriptor.byteCount == nil
        buffer.reserveCapacity(capacity)
    }

    /// A writer to the output of the running command (see ``OutputTarget``).
    convenience init() {
        let target = OutputTarget.current
        self.init(descriptor: target.descriptor, name: target.name, pager: target.pager, capture: target.capture)
        OpenOutputs.current?.add { try self.flush() }
    }

    /// Writes bytes.
    func write(_ bytes: Span<UInt8>) throws(WriteError) {
        // Regular files have no second thread, and need no lock.
        guard isWatched else { return try take(bytes) }
        access.wait()
        defer { access.signal() }
        try take(bytes)
    }

    private func take(_ bytes: Span<UInt8>) throws(WriteError) {
        guard isTerminal, let terminalForm else { return try store(bytes) }
        var data = incomplete
        unsafe bytes.withUnsafeBufferPointer { unsafe data.append(contentsOf: $0) }
        incomplete = Array(data.suffix(TerminalText.incompleteByteCount(data)))
        try store(TerminalText.escaped(data.dropLast(incomplete.count), as: terminalForm).span)
    }

    private func store(_ bytes: Span<UInt8>) throws(WriteError) {
        if let failure { throw failure }
        if buffer.count + bytes.count > capacity { try empty() }
        if bytes.count >= capacity {
            do throws(SystemError) {
                try send(bytes)
            } catch {
                throw remember(error)
            }
        } else {
            unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
        }
        byteCount += bytes.count
        if isWatched, CoarseClock.milliseconds - lastFlush >= Self.longestWait { try empty() }
    }

    /// Writes bytes.
    func write(_ bytes: [UInt8]) throws(WriteError) {
        try write(bytes.span)
    }

    /// Writes a string as UTF-8.
    func write(_ text: String) throws(WriteError) {
        try write(Array(text.utf8).span)
    }

    /// Writes the buffer.
    func flush() throws(WriteError) {
        access.wait()
        defer { access.signal() }
        if !incomplete.isEmpty, let terminalForm {
            let rest = incomplete
            incomplete = []
            try store(TerminalText.escaped(rest, as: terminalForm).span)
        }
        try empty()
    }

    /// Writes the buffer if it has not been written for a while.
    func flushLeftover() throws(WriteError) {
        access.wait()
        defer { access.signal() }
        if CoarseClock.milliseconds - lastFlush >= Self.longestWait { try empty() }
    }

    /// Writes the buffer, and shows output that was held for a pager.
    func showEarly() throws(WriteError) {
        access.wait()
        defer { access.signal() }
        try empty()
        guard let pager else { return }
        try attempt { () throws(SystemError) in try pager.showEarly() }
    }

    private func empty() throws(WriteError) {
        if let failure { throw failure }
        if isWatched { lastFlush = CoarseClock.milliseconds }
        guard !buffer.isEmpty else { return }
        try attempt { () throws(SystemError) in
            let bytes = buffer
            try send(bytes.span)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes the buffer and waits until the file is on disk.
    func synchronize() throws(WriteError) {
        try flush()
        try attempt { () throws(SystemError) in try descriptor.synchronize() }
    }

    /// Writes the buffer and closes the file, even if writing fails.
    func close() throws(WriteError) {
        do throws(WriteError) {
            try flush()
        } catch {
            try? descriptor.closeFile()
            throw error
        }
        try attempt { () throws(SystemError) in try descriptor.closeFile() }
    }

    private func send(_ bytes: Span<UInt8>) throws(SystemError) {
        if let capture { return try capture.write(bytes) }
        if isTerminal, pager == nil { StandardError.shared.clearStatus() }
        if let pager { return try pager.write(bytes) }
        try descriptor.writeAll(bytes)
        guard isWrittenEarly else { return }
        sentByteCount += bytes.count
        guard sentByteCount - earlyByteCount >= Self.earlyStep else { return }
        descriptor.beginSynchronizing(from: earlyByteCount, byteCount: sentByteCount - earlyByteCount)
        earlyByteCount = sentByteCount
    }

    private func attempt(_ action: () throws(SystemError) -> Void) throws(WriteError) {
        do throws(SystemError) {
            try action()
        } catch {
            throw remember(error)
        }
    }

    private func remember(_ error: SystemError) -> WriteError {
        let failure = WriteError(error: error, name: name)
        self.failure = failure
        return failure
    }
}

/// A fast clock with low resolution.
enum CoarseClock {
    /// Milliseconds since an arbitrary point in time, never decreasing.
    static var milliseconds: Int {
        var time = timespec()
        #if canImport(Glibc)
            unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        #else
            unsafe clock_gettime(CLOCK_MONOTONIC_RAW_APPROX, &time)
        #endif
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

/// An error while writing output.
struct WriteError: Error, Hashable {
    var error: SystemError
    /// The output's name.
    var name: String

    /// The error for the user: silent if the reader of a pipe was closed, as with `| head`.
    var commandError: CommandError {
        let code: ExitCode = error.exitCode == .brokenPipe ? .brokenPipe : .inputOutput
        guard code != .brokenPipe else { return .silent(code) }
        return CommandError(code, "cannot write \(name): \(error)", hint: error.hint)
    }
}
