import DocIndex
import LevelFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads lines of arbitrary bytes from a file descriptor.
///
/// Lines end with LF or CRLF; a CR elsewhere is part of its line. Bytes after the last LF form a last line. The reader
/// holds one chunk and the longest line in memory.
struct LineReader: ~Copyable {
    /// One line without its line end, and its position.
    struct Line: Hashable, Sendable {
        var bytes: [UInt8] = []
        /// The line number, from 1.
        var number = 0
        /// The number of bytes before the line.
        var offset = 0
        /// False for a last line without a line end.
        var isTerminated = false
    }

    private let descriptor: FileDescriptor
    private let maximumLineByteCount: Int
    private let shouldStop: () -> Bool
    private var decoder: UTF16Decoder?
    private let chunkByteCount: Int
    private var buffer: [UInt8]
    private var start = 0
    private var end = 0
    private var lineCount = 0
    /// The number of bytes consumed from the file.
    private(set) var offset = 0
    /// Whether the rest of a line that was too long must be skipped.
    private var isWithinLongLine = false

    /// The default maximum length of a line: that of dumps, 16 MiB.
    static let usualMaximum = 16 << 20

    /// Creates a reader at the current position of `descriptor`, which is not closed.
    ///
    /// - Parameters:
    ///   - beginning: Bytes that were already read from the descriptor; they come first.
    ///   - decoder: Converts what is read; `nil` for UTF-8.
    ///   - maximumLineByteCount: The maximum length of a line, including its CR.
    ///   - shouldStop: Called when a signal interrupts a read; if it returns true, reading fails with EINTR.
    init(
        descriptor: FileDescriptor, beginning: [UInt8] = [], decoder: UTF16Decoder? = nil,
        maximumLineByteCount: Int = 64 << 20,
        chunkByteCount: Int = 256 << 10, shouldStop: @escaping () -> Bool = { false }
    ) {
        precondition(chunkByteCount > 0, "a chunk has at least one byte")
        self.descriptor = descriptor
        self.maximumLineByteCount = maximumLineByteCount
        self.shouldStop = shouldStop
        self.decoder = decoder
        self.chunkByteCount = chunkByteCount
        buffer = beginning
        end = beginning.count
    }

    /// The next line; `nil` at the end of the file.
    mutating func next() throws(LineReadError) -> Line? {
        var line = Line()
        return try read(into: &line) ? line : nil
    }

    /// Reads the next line into `line`, reusing its memory; returns false at the end of the file.
    ///
    /// After ``LineReadError/Reason/tooLong(maximumByteCount:)`` the next call continues with the following line.
    mutating func read(into line: inout Line) throws(LineReadError) -> Bool {
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

    /// The rest of the buffer, or the next chunk; `nil` at the end of the file.
    ///
    /// For formats that are not line-based. Line numbers are not updated.
    mutating func nextChunk() throws(LineReadError) -> [UInt8]? {
        if start == end, try !fill() { return nil }
        let chunk = Array(buffer[start..<end])
        take(end - start)
        return chunk
    }

    private mutating func skipLine() throws(LineReadError) {
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

    /// Reads the next chunk into the empty buffer; returns false at the end of the file.
    private mutating func fill() throws(LineReadError) -> Bool {
        do throws(SystemError) {
            start = 0
            end = 0
            // The first buffer holds the bytes that were read before.
            if buffer.count != chunkByteCount { buffer = Array(repeating: 0, count: chunkByteCount) }
            end = try descriptor.read(into: &buffer, shouldStop: shouldStop)
        } catch {
            throw LineReadError(reason: .system(error), lineNumber: lineCount + 1, offset: offset)
        }
        guard decoder != nil else { return end > 0 }
        return try decode()
    }

    /// Converts the bytes in the buffer to UTF-8; returns false at the end of the file.
    private mutating func decode() throws(LineReadError) -> Bool {
        while true {
            let isAtEnd = end == 0
            let text = isAtEnd ? decoder?.finish() ?? [] : decoder?.decode(buffer[..<end]) ?? []
            guard text.isEmpty, !isAtEnd else {
                buffer = text
                end = text.count
                return end > 0
            }
            do throws(SystemError) {
                end = try descriptor.read(into: &buffer, shouldStop: shouldStop)
            } catch {
                throw LineReadError(reason: .system(error), lineNumber: lineCount + 1, offset: offset)
            }
        }
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

    private func failure(_ reason: LineReadError.Reason, at line: Line) -> LineReadError {
        LineReadError(reason: reason, lineNumber: line.number, offset: line.offset)
    }
}

/// The reason that the next line of a file cannot be read.
struct LineReadError: Error, Hashable {
    enum Reason: Hashable, Sendable {
        /// The line exceeds the maximum length.
        case tooLong(maximumByteCount: Int)
        case system(SystemError)
    }

    var reason: Reason
    /// The number of the line, from 1.
    var lineNumber: Int
    /// The number of bytes before the line, or before the point where a system call failed.
    var offset: Int

    /// The error for the user.
    ///
    /// - Parameter name: The file's name in messages.
    func commandError(reading name: String) -> CommandError {
        switch reason {
        case .tooLong(let maximumByteCount):
            CommandError(
                .badData,
                "\(name):\(lineNumber): the line that begins at byte \(offset) is longer than "
                    + "\(HumanNumber.grouped(maximumByteCount)) bytes",
                hint: "check the format of the file; it may not be line-based")
        case .system(let error) where error.isInterruption && Interruption.isRequested:
            Interruption.failure("\(HumanNumber.counted(lineNumber - 1, "line")) of \(name)")
        case .system(let error):
            CommandError(
                error.isInterruption ? .interrupted : .inputOutput,
                "\(name):\(lineNumber): cannot read after byte \(offset): \(error)", hint: error.hint)
        }
    }
}
