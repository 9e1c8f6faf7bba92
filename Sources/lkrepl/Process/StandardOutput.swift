import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A buffered writer that loses nothing in silence: every write is checked, and so is the last one.
///
/// For standard output, and for any other file that is open for writing. Bytes reach the file at the latest in
/// ``flush()``, which the caller must call at the end, or ``close()``; there is no flush on deinit, because nobody
/// could be told that it failed.
///
/// The first failure stays: every later call throws it again, so that a caller who ignored it still ends with it.
///
/// One command writes at a time. Where somebody may be waiting, the thread of a ``RowTicker`` writes what was left in the
/// buffer.
final class StandardOutput: @unchecked Sendable {
    // Unchecked: where a second thread comes, what changes is used under the lock.
    private let access = DispatchSemaphore(value: 1)
    let descriptor: FileDescriptor
    /// What the output is called in messages.
    let name: String
    /// Whether people look at it, so that it may have tables, and how wide those may be.
    let isTerminal: Bool
    /// How many bytes were taken so far, written or still in the buffer.
    private(set) var byteCount = 0
    private let capacity: Int
    private var buffer: [UInt8] = []
    private var failure: WriteFailure?
    /// When the buffer was written last.
    private var lastFlush = CoarseClock.milliseconds
    /// Whether somebody may be waiting for what is in the buffer.
    let isWatched: Bool
    /// How long a row may lie in the buffer, so that slow results are seen as they come.
    private static let longestWait = 100
    /// Stands between the buffer and the descriptor, so that long results are shown page by page; `nil` for none.
    private let pager: PagerGate?

    /// How data is shown where the output is a terminal, which would act on control characters in it; `nil` where what is written
    /// is made for a terminal already. Files and pipes get the bytes as they are. To be set before the first write.
    var terminalForm: TerminalText.Form?
    /// Bytes for a terminal whose character is not complete yet.
    private var incomplete: [UInt8] = []

    /// A writer to `descriptor`, which stays open until ``close()``.
    init(
        descriptor: FileDescriptor, name: String = "standard output", capacity: Int = 64 << 10, pager: PagerGate? = nil
    ) {
        self.descriptor = descriptor
        self.name = name
        self.capacity = capacity
        self.pager = pager
        isTerminal = descriptor.isTerminal
        isWatched = descriptor.byteCount == nil
        buffer.reserveCapacity(capacity)
    }

    /// A writer to where the output of the running command goes (see ``OutputTarget``).
    convenience init() {
        let target = OutputTarget.current
        self.init(descriptor: target.descriptor, name: target.name, pager: target.pager)
        OpenOutputs.current?.add { try self.flush() }
    }

    /// Takes bytes to write.
    func write(_ bytes: Span<UInt8>) throws(WriteFailure) {
        // Files have no second thread, and are spared the lock.
        guard isWatched else { return try take(bytes) }
        access.wait()
        defer { access.signal() }
        try take(bytes)
    }

    private func take(_ bytes: Span<UInt8>) throws(WriteFailure) {
        guard isTerminal, let terminalForm else { return try store(bytes) }
        var data = incomplete
        unsafe bytes.withUnsafeBufferPointer { unsafe data.append(contentsOf: $0) }
        incomplete = Array(data.suffix(TerminalText.incompleteByteCount(data)))
        try store(TerminalText.escaped(data.dropLast(incomplete.count), as: terminalForm).span)
    }

    private func store(_ bytes: Span<UInt8>) throws(WriteFailure) {
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

    /// Takes bytes to write.
    func write(_ bytes: [UInt8]) throws(WriteFailure) {
        try write(bytes.span)
    }

    /// Takes the UTF-8 of a text to write.
    func write(_ text: String) throws(WriteFailure) {
        try write(Array(text.utf8).span)
    }

    /// Writes what is in the buffer.
    func flush() throws(WriteFailure) {
        access.wait()
        defer { access.signal() }
        if !incomplete.isEmpty, let terminalForm {
            let rest = incomplete
            incomplete = []
            try store(TerminalText.escaped(rest, as: terminalForm).span)
        }
        try empty()
    }

    /// Writes what has been in the buffer for a while.
    func flushLeftover() throws(WriteFailure) {
        access.wait()
        defer { access.signal() }
        if CoarseClock.milliseconds - lastFlush >= Self.longestWait { try empty() }
    }

    /// Writes what is in the buffer, and shows what was held back for a pager.
    func showEarly() throws(WriteFailure) {
        access.wait()
        defer { access.signal() }
        try empty()
        guard let pager else { return }
        try attempt { () throws(SystemError) in try pager.showEarly() }
    }

    private func empty() throws(WriteFailure) {
        if let failure { throw failure }
        if isWatched { lastFlush = CoarseClock.milliseconds }
        guard !buffer.isEmpty else { return }
        try attempt { () throws(SystemError) in
            let bytes = buffer
            try send(bytes.span)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes what is in the buffer and waits until the file is on the disk.
    func synchronize() throws(WriteFailure) {
        try flush()
        try attempt { () throws(SystemError) in try descriptor.synchronize() }
    }

    /// Writes what is in the buffer and closes the file, also if writing fails.
    func close() throws(WriteFailure) {
        do throws(WriteFailure) {
            try flush()
        } catch {
            try? descriptor.closeFile()
            throw error
        }
        try attempt { () throws(SystemError) in try descriptor.closeFile() }
    }

    private func send(_ bytes: Span<UInt8>) throws(SystemError) {
        if isTerminal, pager == nil { StandardError.shared.clearStatus() }
        if let pager { try pager.write(bytes) } else { try descriptor.writeAll(bytes) }
    }

    private func attempt(_ action: () throws(SystemError) -> Void) throws(WriteFailure) {
        do throws(SystemError) {
            try action()
        } catch {
            throw remember(error)
        }
    }

    private func remember(_ error: SystemError) -> WriteFailure {
        let failure = WriteFailure(error: error, name: name)
        self.failure = failure
        return failure
    }
}

/// A clock that costs next to nothing and tells milliseconds.
enum CoarseClock {
    /// Milliseconds since some moment, never decreasing.
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

/// Output that could not be written.
struct WriteFailure: Error, Hashable {
    var error: SystemError
    /// What the output is called.
    var name: String

    /// What the user is told: nothing if the reader of a pipe went away, as `| head` does.
    var commandFailure: CommandFailure {
        let code: ExitCode = error.exitCode == .brokenPipe ? .brokenPipe : .inputOutput
        guard code != .brokenPipe else { return .silent(code) }
        return CommandFailure(code, "cannot write \(name): \(error)", hint: error.hint)
    }
}
