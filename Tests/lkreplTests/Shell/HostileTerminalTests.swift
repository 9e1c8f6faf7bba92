import Foundation
import Testing

@testable import lkrepl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Unreasonable behavior of terminals, users and their files.
@Suite(.waitsForPrograms) struct `Hostile terminal` {
    private func session(_ place: Workplace, _ environment: [String: String] = [:]) throws -> TerminalSession {
        try TerminalSession(
            ["photos.store"], in: place,
            environment: ["TERM": "xterm", "NO_COLOR": "1"].merging(environment) { $1 })
    }

    private func end(_ terminal: TerminalSession) throws {
        try terminal.type("\u{4}")
        #expect(try terminal.end() == 0)
    }

    @Test func `A paste of 100 kB, in one line or many, runs nothing`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let terminal = try session(place)
            try terminal.expectEditor()
            for text in [
                String(repeating: "x", count: 100_000), String(repeating: "find photos --count\n", count: 5_000),
            ] {
                try terminal.paste(text)
                try terminal.type("\u{3}")
                try terminal.expect("^C")
                try terminal.expectEditor()
            }
            #expect(!terminal.transcript.contains("301"))
            #expect(try terminal.enter("find photos --count\r") == "301\r\n")
            try end(terminal)
        }
    }

    @Test func `The typed text stays visible when the terminal is resized, down to one column`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let terminal = try session(place)
            try terminal.expectEditor()
            try terminal.type("find photos 'title *= \"a rather long text, 日本語 and 👩‍👩‍👧 that wraps\"' --count")
            for (rows, columns) in [(24, 80), (10, 20), (5, 10), (2, 2), (1, 1), (0, 0), (50, 200), (40, 100)] {
                try terminal.resize(rows: rows, columns: columns)
            }
            #expect(try terminal.enter("\r") == "0\r\n")
            try terminal.resize(rows: 5, columns: 10)
            #expect(try terminal.enter("find photos --count\r") == "301\r\n")
            try end(terminal)
        }
    }

    /// In another encoding, `del café` would be typed as bytes that are not UTF-8; without them it would read `del
    /// caf`.
    @Test func `Letters in another encoding run nothing`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            #expect(try place.run("app.db", "--write", "-c", "put caf 1; put \"caf\\u{FFFD}\" 2").code == 0)
            let terminal = try TerminalSession(
                ["app.db", "-q", "--write"], in: place, environment: ["TERM": "xterm", "NO_COLOR": "1"])
            try terminal.expectEditor()
            for bytes: [UInt8] in [[0xe9], [0xe9, 0x20], [0xff], [0xc3], [0xf0, 0x9f], [0xed, 0xa0, 0x80]] {
                try terminal.type(bytes: Array("del caf".utf8) + bytes + [0x0d])
                let shown = try terminal.enter("")
                #expect(shown.contains("not UTF-8"), "\(bytes): \(shown)")
                // It can be corrected in place.
                let dropped = try terminal.enter("\u{15}count\r")
                #expect(dropped == "2\r\n", "\(bytes): \(dropped)")
            }
            // What is printed can be typed.
            let keys = try terminal.enter("keys --mode keys\r")
            #expect(keys == "caf\r\n\"caf\\u{fffd}\"\r\n" || keys == "caf\r\n\"caf\\u{FFFD}\"\r\n", "\(keys)")
            let value = try terminal.enter("get \"caf\\u{FFFD}\"\r")
            #expect(value == "2\r\n", "\(value)")
            try terminal.type("\u{4}")
            #expect(try terminal.end() == 0)
        }
    }

    @Test func `Key sequences that no keyboard has do not disturb the shell`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let terminal = try session(place)
            try terminal.expectEditor()
            for keys in [
                "\u{1b}[99999999;99999999~", "\u{1b}]0;x\u{7}", "\u{1b}P\u{1b}\\", "\u{1b}[<0;1;1M",
                "\u{0}\u{1c}\u{1d}\u{1e}",
            ] {
                try terminal.type(keys)
            }
            try terminal.type(bytes: Array(128...255))
            try terminal.type("\u{15}\u{b}")
            try terminal.type("\u{3}")
            try terminal.expect("^C")
            try terminal.expectEditor()
            #expect(try terminal.enter("find photos --count\r") == "301\r\n")
            try end(terminal)
        }
    }

    /// Alt-^ and similar keys start strings that a terminal sends, and the end of a paste may be lost.
    @Test(arguments: ["\u{1b}^", "\u{1b}]", "\u{1b}P", "\u{1b}_", "\u{1b}X", "\u{1b}]11;rgb", "\u{1b}[200~lost"])
    func `After an unterminated key sequence, the shell still accepts input`(keys: String) throws {
        try Workplace.with { place in
            try place.makePhotos()
            let terminal = try session(place)
            try terminal.expectEditor()
            try terminal.type(keys)
            // Bytes that belong together arrive within 50 ms.
            usleep(500_000)
            // A shell that has stood still meanwhile takes the first ^C as part of a paste.
            try terminal.typeUntilEditor("\u{3}")
            // Each further ^C has its own prompt, before the output of this command.
            try terminal.type("find photos rating = 5 --count\r")
            try terminal.expect("23\r\n")
            try terminal.expectEditor()
            #expect(try terminal.enter("find photos --count\r") == "301\r\n")
            try end(terminal)
        }
    }

    @Test(arguments: ["directory", "pipe", "/proc/version", "/proc/none/history"])
    func `A history that cannot be written is reported once`(name: String) throws {
        try Workplace.with { place in
            try place.makePhotos()
            #expect(try place.shell("mkfifo pipe; mkdir directory").code == 0)
            let terminal = try session(place, ["LKREPL_HISTFILE": name.hasPrefix("/") ? name : place.path + "/" + name])
            try terminal.expectEditor()
            #expect(try terminal.enter("find photos --count\r").hasPrefix("301\r\n"))
            #expect(try terminal.enter("find photos rating = 5 --count\r").hasPrefix("23\r\n"))
            // Typed input is available as long as the shell runs.
            #expect(try terminal.enter("\u{1b}[A\r").hasPrefix("23\r\n"))
            try end(terminal)
            let parts = terminal.transcript.components(separatedBy: "is not saved")
            #expect(parts.count == 2, "\(terminal.transcript)")
        }
    }

    @Test func `The shell works with a history of binary garbage`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let rubbish: [UInt8] = [0xff, 0xfe, 0, 0x1b, 0x5b, 0x32, 0x4a, 0x0a]
            try place.write(rubbish + Array(repeating: 0x7a, count: 3_000_000) + [0x0a], to: "history")
            let terminal = try session(place, ["LKREPL_HISTFILE": place.path + "/history"])
            try terminal.expectEditor()
            try terminal.type("\u{1b}[A\u{1b}[A\u{1b}[B\u{1b}[B")
            try terminal.type("\u{3}")
            try terminal.expect("^C")
            try terminal.expectEditor()
            #expect(!terminal.transcript.contains("\u{1b}[2J"))
            #expect(try terminal.enter("find photos --count\r") == "301\r\n")
            try end(terminal)
        }
    }
}
