import Foundation
import Testing

@testable import lkrepl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Results of which only the first rows exist yet, in a real pseudo-terminal: `mget` reads its keys from a pipe, so
/// that the test controls when the next row appears.
@Suite(.waitsForPrograms) struct `Slow results in a terminal` {
    private func withKeys(
        _ options: String, patience: String,
        _ body: (TerminalSession, _ send: (String) throws -> Void) throws -> Void
    ) throws -> (code: Int32, transcript: String) {
        try Workplace.with { place in
            try place.makeDatabase()
            let puts = (0..<60).map { "put key-\($0) value-\($0)" }.joined(separator: "; ")
            let made = try place.run("app.db", "--write", "-c", puts)
            #expect(made.code == 0, "\(made)")
            try #require(unsafe mkfifo(place.path + "/keys", 0o600) == 0)
            // Open in both directions, so that neither end blocks.
            let pipe = unsafe open(place.path + "/keys", O_RDWR | O_CLOEXEC)
            try #require(pipe >= 0)
            let terminal = try TerminalSession(
                ["-c", "exec '\(Binary.path)' mget app.db - \(options) < keys"], in: place, program: "/bin/sh",
                environment: [
                    "TERM": "xterm", "NO_COLOR": "1", "LKREPL_PATIENCE": patience, "LKREPL_PAGER": "sed 's/^/paged: /'",
                ])
            var isOpen = true
            defer { if isOpen { close(pipe) } }
            try body(terminal) { keys in
                let bytes = Array(keys.utf8)
                let count = unsafe bytes.withUnsafeBytes { unsafe write(pipe, $0.baseAddress, $0.count) }
                try #require(count == bytes.count)
                // The child has opened its end and read the keys.
                var left: Int32 = 1
                while left > 0 {
                    usleep(1000)
                    _ = unsafe ioctl(pipe, UInt(FIONREAD), &left)
                }
            }
            close(pipe)
            isOpen = false
            return (try terminal.end(), terminal.transcript)
        }
    }

    @Test func `A slow table is drawn row by row as results arrive, with a running count`() throws {
        let (code, shown) = try withKeys("", patience: "0.1") { terminal, send in
            try send("key-1\n")
            try terminal.expect("│ value-1 ")
            try terminal.expect("mget: 1 row ")
            try send("key-22\n")
            try terminal.expect("│ value-22 ")
            try terminal.expect("mget: 2 rows")
        }
        #expect(code == 0)
        #expect(shown.components(separatedBy: "┌").count == 2 && shown.contains("└"), "\(shown.debugDescription)")
        #expect(!shown.contains("paged") && !shown.contains("\u{1b}"), "\(shown.debugDescription)")
        // Nothing of the count remains on screen.
        let last = try #require(shown.components(separatedBy: "\r\n").dropLast().last)
        #expect(last.components(separatedBy: "\r").last?.contains("mget") == false, "\(last.debugDescription)")
    }

    @Test func `Slow results in other forms are shown as they arrive, and paged if longer than the screen`() throws {
        let (code, shown) = try withKeys("--mode jsonl", patience: "0.1") { terminal, send in
            try send("key-1\n")
            try terminal.expect("{\"k\":\"key-1\",\"v\":\"value-1\"}\r\n")
            try send((0..<60).map { "key-\($0)\n" }.joined())
        }
        #expect(code == 0)
        let lines = shown.components(separatedBy: "\r\n").filter { $0.contains("paged: {") }
        #expect(lines.count == 61 && lines.first == "paged: {\"k\":\"key-1\",\"v\":\"value-1\"}", "\(lines.count)")
    }

    @Test func `Slow results are shown at the end if waiting is disabled`() throws {
        let (code, shown) = try withKeys("--no-pager", patience: "off") { terminal, send in
            try send("key-1\nkey-22\n")
            usleep(1_300_000)
        }
        #expect(code == 0)
        #expect(shown.hasPrefix("┌") && shown.contains("│ key-22 │ value-22 │"), "\(shown.debugDescription)")
    }
}
