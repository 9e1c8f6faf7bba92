import LevelFiles
import TestSupport
import Testing

@testable import lkrepl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite struct `Line reader` {
    /// Returns every line of a file, read in chunks of `chunkByteCount` bytes.
    private func lines(of text: String, chunkByteCount: Int) throws -> [LineReader.Line] {
        let file = try TemporaryFile(Array(text.utf8))
        var reader = LineReader(descriptor: file.descriptor, chunkByteCount: chunkByteCount)
        var lines: [LineReader.Line] = []
        while let line = try reader.next() { lines.append(line) }
        #expect(reader.offset == text.utf8.count)
        return lines
    }

    private func line(_ text: String, _ number: Int, at offset: Int, isTerminated: Bool = true) -> LineReader.Line {
        LineReader.Line(bytes: Array(text.utf8), number: number, offset: offset, isTerminated: isTerminated)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 7, 64])
    func `The line reader reads lines across chunk boundaries`(chunkByteCount: Int) throws {
        let lines = try lines(of: "one\n\r\ntwo\r\nthree\r\r\n\nx\ry", chunkByteCount: chunkByteCount)
        #expect(
            lines == [
                line("one", 1, at: 0), line("", 2, at: 4), line("two", 3, at: 6), line("three\r", 4, at: 11),
                line("", 5, at: 19), line("x\ry", 6, at: 20, isTerminated: false),
            ])
    }

    @Test(arguments: [1, 64])
    func `The line reader reports whether the last line ended with a line feed`(chunkByteCount: Int) throws {
        #expect(try lines(of: "", chunkByteCount: chunkByteCount).isEmpty)
        #expect(try lines(of: "\n", chunkByteCount: chunkByteCount) == [line("", 1, at: 0)])
        #expect(try lines(of: "a\n", chunkByteCount: chunkByteCount) == [line("a", 1, at: 0)])
        #expect(try lines(of: "a", chunkByteCount: chunkByteCount) == [line("a", 1, at: 0, isTerminated: false)])
        // The CR of a line truncated within its CRLF is not known to be part of a line end.
        #expect(try lines(of: "a\r", chunkByteCount: chunkByteCount) == [line("a\r", 1, at: 0, isTerminated: false)])
    }

    @Test func `The line reader splits random bytes correctly`() throws {
        let seed = UInt64.random(in: 0...(.max))
        var generator = SplitMix64(seed: seed)
        for _ in 0..<50 {
            let bytes = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                [10, 13, 0, 97].randomElement(using: &generator) ?? UInt8(0)
            }
            let file = try TemporaryFile(bytes)
            var reader = LineReader(
                descriptor: file.descriptor, chunkByteCount: .random(in: 1...40, using: &generator))
            var expected = bytes.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
            for index in expected.indices.dropLast() where expected[index].last == 13 { expected[index].removeLast() }
            if expected.last == [] { expected.removeLast() }
            var line = LineReader.Line()
            var lines: [[UInt8]] = []
            while try reader.read(into: &line) { lines.append(line.bytes) }
            #expect(lines == expected, "seed \(seed)")
        }
    }

    @Test func `The line reader reads a line longer than many chunks`() throws {
        let long = [UInt8](repeating: 120, count: 3_000_000)
        let file = try TemporaryFile(long + [10] + long)
        var reader = LineReader(descriptor: file.descriptor)
        #expect(try reader.next()?.bytes == long)
        let last = try reader.next()
        #expect(last?.bytes == long)
        #expect(last?.isTerminated == false)
        #expect(last?.offset == 3_000_001)
    }

    @Test(arguments: [1, 3, 8, 100])
    func `The line reader rejects a line that is too long and continues after it`(chunkByteCount: Int) throws {
        let file = try TemporaryFile(Array("ok\n12345678\n1234567\r\n12345678\nend\n123456789".utf8))
        var reader = LineReader(
            descriptor: file.descriptor, maximumLineByteCount: 7, chunkByteCount: chunkByteCount)
        #expect(try reader.next()?.bytes == Array("ok".utf8))
        for (number, offset) in [(2, 3), (3, 12), (4, 21)] {
            let failure = #expect(throws: LineReadError.self) { try reader.next() }
            #expect(
                failure
                    == LineReadError(
                        reason: .tooLong(maximumByteCount: 7), lineNumber: number, offset: offset))
        }
        #expect(try reader.next() == line("end", 5, at: 30))
        let failure = try #require(throws: LineReadError.self) { try reader.next() }
        #expect(try reader.next() == nil)
        let told = failure.commandError(reading: "a.jsonl")
        #expect(told.exitCode == .badData)
        #expect(told.message == "a.jsonl:6: the line that begins at byte 34 is longer than 7 bytes")
    }

    @Test func `The line reader reports system errors`() throws {
        let directory = FileDescriptor(rawValue: unsafe open("/tmp", O_RDONLY))
        var reader = LineReader(descriptor: directory)
        let failure = try #require(throws: LineReadError.self) { try reader.next() }
        #expect(failure.reason == .system(SystemError(number: EISDIR)))
        let told = failure.commandError(reading: "/tmp")
        #expect(told.exitCode == .inputOutput)
        #expect(told.message == "/tmp:1: cannot read after byte 0: Is a directory")
        try directory.closeFile()
    }

    @Test func `The line reader can be interrupted`() {
        let failure = LineReadError(reason: .system(SystemError(number: EINTR)), lineNumber: 3, offset: 9)
        #expect(failure.commandError(reading: "-").exitCode == .interrupted)
    }

    @Test func `The line reader reads from a slow pipe`() throws {
        let pipe = try TestPipe()
        let (source, sink) = (pipe.reader, pipe.writer)
        _ = fcntl(source.rawValue, F_SETFL, O_NONBLOCK)
        let writing = Background {
            for piece in ["a", "b\n", "c"] {
                usleep(5_000)
                try sink.writeAll(Array(piece.utf8))
            }
            try sink.closeFile()
        }
        var reader = LineReader(descriptor: source)
        #expect(try reader.next() == line("ab", 1, at: 0))
        #expect(try reader.next() == line("c", 2, at: 3, isTerminated: false))
        #expect(try reader.next() == nil)
        try writing.value()
        try source.closeFile()
    }
}
