#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads lines of any bytes from a file descriptor.
///
/// Lines end with LF or CRLF; a CR elsewhere is part of its line. The end of the file ends the last line, if anything
/// follows the last LF. Memory is one chunk and the longest line.
struct LineReader: ~Copyable {
    /// One line without its end, and where it stood.
    struct Line: Hashable, Sendable {
        var bytes: [UInt8] = []
        /// Counted from 1.
        var number = 0
        /// The bytes of the file that precede the line.
        var offset = 0
        /// False for a last line that the end of the file cut or ended.
        var isTerminated = false
    }

    private let descriptor: FileDescriptor
    private let maximumLineByteCount: Int
    private let shouldStop: () -> Bool
    private let chunkByteCount: Int
    private var buffer: [UInt8]
    private var start = 0
    private var end = 0
    private var lineCount = 0
    /// How many bytes of the file were taken from the buffer.
    private(set) var offset = 0
    /// Whether the rest of a line that was too long is still to be passed.
    private var isWithinLongLine = false

    /// The longest line that is read if nothing else is said: that of a dump, 16 MiB and its brackets.
    static let usualMaximum = 16 << 20

    /// A reader from where `descriptor` stands; the descriptor stays open.
    ///
    /// - Parameters:
    ///   - beginning: What was read from the descriptor already and comes first.
    ///   - maximumLineByteCount: The longest line, its CR included, that is held in memory.
    ///   - shouldStop: Asked when a signal interrupts a read; if true, reading fails with EINTR.
    init(
        descriptor: FileDescriptor, beginning: [UInt8] = [], maximumLineByteCount: Int = 64 << 20,
        chunkByteCount: Int = 256 << 10, shouldStop: @escaping () -> Bool = { false }
    ) {
        precondition(chunkByteCount > 0, "a chunk has at least one byte")
        self.descriptor = descriptor
        self.maximumLineByteCount = maximumLineByteCount
        self.shouldStop = shouldStop
        self.chunkByteCount = chunkByteCount
        buffer = beginning
        end = beginning.count
    }

    /// The next line; `nil` at the end of the file.
    mutating func next() throws(LineReadFailure) -> Line? {
        var line = Line()
        return try read(into: &line) ? line : nil
    }

    /// Reads the next line into `line`, whose memory is used again; false at the end of the file.
    ///
    /// After ``LineReadFailure/Reason/tooLong(maximumByteCount:)`` the next call goes on with the line that follows.
    mutating func read(into line: inout Line) throws(LineReadFailure) -> Bool {
        if isWithinLongLine { try skipLine() }
        line.bytes.removeAll(keepingCapacity: true)
        line.number = lineCount + 1
        line.offset = offset
        line.isTerminated = false

        while !line.isTerminated {
            if start == end, try !fill() { break }
            let lineEnd = indexOfLineFeed()
            let segment = start..<(lineEnd ?? end)
            if segment.count > maximumLineByteCount - line.bytes.count {
                isWithinLongLine = true
                throw failure(.tooLong(maximumByteCount: maximumLineByteCount), at: line)
            }
            line.bytes.append(contentsOf: buffer[segment])
            take(segment.count)
            if lineEnd != nil {
                take(1)
                line.isTerminated = true
                if line.bytes.last == UInt8(ascii: "\r") { line.bytes.removeLast() }
            }
        }

        guard line.isTerminated || !line.bytes.isEmpty else { return false }
        lineCount += 1
        return true
    }

    /// What is left in the buffer, or the next chunk, whatever lines it holds; `nil` at the end of the file.
    ///
    /// For formats that do not consist of lines. The count of lines is not kept up.
    mutating func nextChunk() throws(LineReadFailure) -> [UInt8]? {
        if start == end, try !fill() { return nil }
        let chunk = Array(buffer[start..<end])
        take(end - start)
        return chunk
    }

    private mutating func skipLine() throws(LineReadFailure) {
        var isPassed = false
        while !isPassed {
            if start == end, try !fill() { break }
            let lineEnd = indexOfLineFeed()
            take((lineEnd.map { $0 + 1 } ?? end) - start)
            isPassed = lineEnd != nil
        }
        isWithinLongLine = false
        lineCount += 1
    }

    /// Reads the next chunk into the buffer, which is used up; false at the end of the file.
    private mutating func fill() throws(LineReadFailure) -> Bool {
        do throws(SystemError) {
            start = 0
            end = 0
            // The first chunk is what was read before.
            if buffer.count != chunkByteCount { buffer = Array(repeating: 0, count: chunkByteCount) }
            end = try descriptor.read(into: &buffer, shouldStop: shouldStop)
        } catch {
            throw LineReadFailure(reason: .system(error), lineNumber: lineCount + 1, offset: offset)
        }
        return end > 0
    }

    private func indexOfLineFeed() -> Int? {
        unsafe buffer.withUnsafeBytes { bytes in
            guard start < end, let base = bytes.baseAddress else { return nil }
            return unsafe memchr(base + start, CInt(UInt8(ascii: "\n")), end - start).map {
                unsafe UnsafeRawPointer($0) - base
            }
        }
    }

    private mutating func take(_ count: Int) {
        start += count
        offset += count
    }

    private func failure(_ reason: LineReadFailure.Reason, at line: Line) -> LineReadFailure {
        LineReadFailure(reason: reason, lineNumber: line.number, offset: line.offset)
    }
}

/// Why the next line of a file cannot be had.
struct LineReadFailure: Error, Hashable {
    enum Reason: Hashable, Sendable {
        /// The line has more bytes than are allowed.
        case tooLong(maximumByteCount: Int)
        case system(SystemError)
    }

    var reason: Reason
    /// The line that could not be read, counted from 1.
    var lineNumber: Int
    /// The bytes of the file that precede it, or that were read before a system call failed.
    var offset: Int

    /// What the user is told.
    ///
    /// - Parameter name: What the file is called.
    func commandFailure(reading name: String) -> CommandFailure {
        switch reason {
        case .tooLong(let maximumByteCount):
            CommandFailure(
                .badData,
                "\(name):\(lineNumber): the line that begins at byte \(offset) is longer than "
                    + "\(HumanNumber.grouped(maximumByteCount)) bytes",
                hint: "the file may not consist of lines at all; check its format")
        case .system(let error):
            CommandFailure(
                error.isInterruption ? .interrupted : .inputOutput,
                "\(name):\(lineNumber): cannot read on after byte \(offset): \(error)", hint: error.hint)
        }
    }
}
