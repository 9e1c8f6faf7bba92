import LevelFiles
import Testing

@testable import lkrepl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite struct `Standard output` {
    @Test(arguments: [1, 3, 8, 64])
    func `Standard output writes everything in order, whatever the buffer size`(capacity: Int) throws {
        let file = try TemporaryFile()
        let output = StandardOutput(descriptor: file.descriptor, name: "test", capacity: capacity)
        var expected: [UInt8] = []
        for number in 0..<40 {
            let piece = Array(repeating: UInt8(number), count: number)
            try output.write(piece)
            expected += piece
        }
        try output.write("é\n")
        try output.synchronize()
        expected += Array("é\n".utf8)
        #expect(try file.contents() == expected)
        #expect(output.byteCount == expected.count)
    }

    @Test func `Standard output writes nothing before the buffer is full or flushed`() throws {
        let file = try TemporaryFile()
        let output = StandardOutput(descriptor: file.descriptor, name: "test", capacity: 4)
        try output.write("abc")
        #expect(try file.contents().isEmpty)
        try output.write("de")
        #expect(try file.contents() == Array("abc".utf8))
        try output.flush()
        #expect(try file.contents() == Array("abcde".utf8))
    }

    @Test func `Standard output waits for a slow non-blocking reader`() throws {
        let pipe = try TestPipe()
        let (reader, writer) = (pipe.reader, pipe.writer)
        // More than a pipe holds: `write` writes a part, and would then block.
        let expected = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let received = Background {
            usleep(20_000)
            return try readAll(reader)
        }
        let output = StandardOutput(descriptor: writer, name: "pipe")
        try output.write(expected)
        try output.close()
        #expect(try received.value() == expected)
        try reader.closeFile()
    }

    #if os(Linux)
        @Test func `Standard output fails with 74 on a full disk, every time`() throws {
            let descriptor = FileDescriptor(rawValue: unsafe open("/dev/full", O_WRONLY))
            let output = StandardOutput(descriptor: descriptor)
            try output.write("lost")
            for _ in 0..<2 {
                let failure = try #require(throws: WriteError.self) { try output.flush() }
                #expect(failure.error.number == ENOSPC)
                #expect(failure.commandError.exitCode == .inputOutput)
                #expect(failure.commandError.exitCode.rawValue == 74)
                #expect(
                    failure.commandError.text
                        == "lkrepl: cannot write standard output: No space left on device\n"
                        + "  hint: free some space, or write to another disk with -o\n")
            }
            #expect(throws: WriteError.self) { try output.write("more") }
            #expect(throws: WriteError.self) { try output.close() }
        }

        @Test func `Standard output fails with 74 when a large write bypasses the buffer`() throws {
            let descriptor = FileDescriptor(rawValue: unsafe open("/dev/full", O_WRONLY))
            let output = StandardOutput(descriptor: descriptor, name: "dump.jsonl", capacity: 8)
            let failure = try #require(throws: WriteError.self) { try output.write("longer than the buffer") }
            #expect(failure.commandError.message == "cannot write dump.jsonl: No space left on device")
            try descriptor.closeFile()
        }
    #endif

    @Test func `Standard output fails if the descriptor is closed`() throws {
        let output = StandardOutput(descriptor: FileDescriptor(rawValue: -1), name: "nothing")
        try output.write("x")
        let failure = try #require(throws: WriteError.self) { try output.close() }
        #expect(failure.error.number == EBADF)
    }

    @Test func `A closed pipe reader causes no message`() {
        let failure = WriteError(error: SystemError(number: EPIPE), name: "standard output").commandError
        #expect(failure.exitCode == .brokenPipe)
        #expect(failure.text == nil)
    }
}

@Suite struct `Command failures` {
    @Test func `A command failure states the location, the problem and a remedy`() {
        let failure = CommandError(.badData, "not a key", hint: "quote it").within("scan").within("night.lk:12")
        #expect(failure.text == "lkrepl: night.lk:12: scan: not a key\n  hint: quote it\n")
        #expect(CommandError(.usage, "no").text == "lkrepl: no\n")
    }

    @Test func `A command failure is silent if the exit code is sufficient`() {
        #expect(CommandError.silent(.no).text == nil)
        #expect(CommandError.silent(.no).description == ExitCode.no.meaning)
    }

    @Test func `A command failure message cannot control the terminal`() throws {
        let failure = CommandError(.noInput, "no \u{1b}[2J", hint: "\u{9b}").within("\r")
        let text = try #require(failure.text)
        #expect(text == "lkrepl: \\r: no \\e[2J\n  hint: \\u{9b}\n")
    }

    @Test(
        arguments: [
            (ENOENT, .noInput), (EACCES, .noPermission), (ENOSPC, .inputOutput), (EIO, .inputOutput),
            (EPIPE, .brokenPipe),
        ] as [(Int32, ExitCode)])
    func `A command failure has the exit code of its system error`(number: Int32, code: ExitCode) {
        let failure = CommandError.system(SystemError(number: number), "cannot open a.jsonl")
        #expect(failure.exitCode == code)
        #expect(failure.message.hasPrefix("cannot open a.jsonl: "))
    }

    @Test func `Every exit code has a distinct meaning`() {
        for code in ExitCode.allCases { #expect(!code.meaning.isEmpty) }
        #expect(Set(ExitCode.allCases.map(\.meaning)).count == ExitCode.allCases.count)
    }
}
