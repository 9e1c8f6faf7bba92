import DocIndex
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Machine-readable output in a terminal` {
    /// CSI as a single character, DEL, a direction override, a language tag beyond the BMP, and characters that stay
    /// unchanged.
    private static let hostile = "a\u{9b}31m\u{7f}\u{202e}\u{e0041} é猫👩‍👩‍👧"

    @Test func `Escaped output uses the escapes of its format and keeps its meaning`() throws {
        let json = DocumentValue.string(Self.hostile).json
        let shown = String(decoding: TerminalText.escaped(Array(json.utf8), as: .json), as: UTF8.self)
        #expect(shown == #""a\u009b31m\u007f\u202e\udb40\udc41 é猫👩‍👩‍👧""#)
        #expect(try DocumentValue(json: shown) == .string(Self.hostile))
        let tsv = String(decoding: TerminalText.escaped(Array("\u{9b}\t\u{202e}é\n".utf8), as: .tsv), as: UTF8.self)
        #expect(tsv == "\\xc2\\x9b\t\\xe2\\x80\\xaeé\n")
        let plain = TerminalText.escaped([0x1b, 0xff, 0x0d, 0x0a, 0x0d, 0x00, 0xc3], as: .plain)
        #expect(String(decoding: plain, as: UTF8.self) == "\\x1b\\xff\r\n\\x0d\\x00\\xc3")
    }

    @Test func `Escaped output does not depend on how it is split into writes`() throws {
        let bytes = Array("é\u{9b}猫\u{202e}👩‍👩‍👧\r\n\u{1b}".utf8)
        for cut in 0...bytes.count {
            let first = Array(bytes[..<cut])
            let held = TerminalText.incompleteByteCount(first)
            let shown =
                TerminalText.escaped(first.dropLast(held), as: .plain)
                + TerminalText.escaped(Array(first.suffix(held)) + bytes[cut...], as: .plain)
            #expect(shown == TerminalText.escaped(bytes, as: .plain), "\(cut)")
        }
    }

    @Test func `Stored data shown in a terminal cannot control it`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            try place.makeItems()
            let pair = #"{"k":"k\u009b2J\u001b]0;x\u0007\u202e","v":"\u007f\u001b[31m"}"# + "\n"
            #expect(try place.run("load", "--write", "app.db", "-", input: pair).code == 0)
            let document = #"{"id":"a","\u009bm":"\u001b]0;x\u0007","t":"\u202e\u009b2J","k":["\u001b[5m"]}"# + "\n"
            #expect(try place.run("import", "--write", "items.store", "items", "-", input: document).code == 0)
            for mode in ["table", "line", "jsonl", "json", "json-pretty", "csv", "tsv", "keys", "hexdump", "count"] {
                for command in [
                    ["scan", "app.db"], ["keys", "app.db"], ["values", "app.db"], ["find", "items.store", "items"],
                    ["doc", "get", "items.store", "items", "a"],
                ] {
                    let arguments = command + ["--mode", mode]
                    let terminal = try TerminalSession(
                        arguments, in: place, environment: ["TERM": "xterm", "NO_COLOR": "1", "PAGER": "cat"])
                    #expect(try terminal.end() == 0)
                    let acting = terminal.transcript.unicodeScalars.filter {
                        !["\r", "\n", "\t"].contains($0) && !$0.isHarmless
                    }
                    #expect(acting.isEmpty, "\(arguments): \(terminal.transcript.debugDescription)")
                    // For programs it is unchanged.
                    let piped = try place.run(arguments)
                    if command[0] == "scan", mode == "jsonl" { #expect(piped.output.contains("k\u{9b}2J")) }
                    if command[0] == "scan", mode == "csv" { #expect(piped.output.contains("\u{1b}[31m")) }
                }
            }
        }
    }

    /// Commands beside those above that show what is stored, in the form that they have in a terminal.
    @Test func `No command that shows data lets it control a terminal`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let hostile = #"k\u009b2J\u001b]0;x\u0007\u202e\u2066\u0085"#
            let pair = #"{"k":"\#(hostile)","v":"\#(hostile)"}"# + "\n"
            #expect(try place.run("load", "--write", "app.db", "-", input: pair).code == 0)
            let schema =
                #"{"collections":{"items":{"history":{"versions":5},"indexes":{"by_t":{"fields":["t"]},"#
                + #""words":{"type":"text","fields":["t"]}}}}}"#
            try place.write(schema, to: "schema.json")
            #expect(try place.run("init", "s.store", "--schema", "schema.json").code == 0)
            let lines = (1...3).map {
                #"{"id":"\#(hostile)\#($0)","t":"fog \#(hostile)","d":"2020-01-0\#($0)"}"# + "\n"
            }
            for _ in 0..<2 {
                #expect(try place.run("import", "--write", "s.store", "items", "-", input: lines.joined()).code == 0)
                let updated = try place.run(
                    "update", "--write", "--yes", "s.store", "items", "--where", "d >= 2019-01-01", "--set",
                    "d = 2021-01-01",
                    "--despite-warnings")
                #expect(updated.code == 0, "\(updated)")
            }
            let id = "k\u{9b}2J\u{1b}]0;x\u{7}\u{202e}\u{2066}\u{85}1"
            #expect(try place.run("album", "save", "--write", "s.store", "best", "d > 2019-01-01").code == 0)
            try place.write(lines.joined() + "{broken \u{9b}2J\u{1b}[31m\n", to: "bad.jsonl")
            for arguments in [
                ["find", "s.store", "items", "--ids"], ["find", "s.store", "items", "--ids", "-0"],
                ["facets", "s.store", "items", "t"], ["distinct", "s.store", "items", "t"],
                ["timeline", "s.store", "items", "d"], ["duplicates", "s.store", "items", "t"],
                ["suggest", "s.store", "items", "fok"], ["complete", "s.store", "items", "fo"],
                ["similar", "s.store", "items", id], ["search", "s.store", "items", "fog"],
                ["search", "s.store", "items", "fog", "--box"], ["explain", "s.store", "items", "t = '\(id)'"],
                ["describe", "s.store", "items"], ["history", "s.store", "items", id], ["album", "list", "s.store"],
                ["tree", "app.db"], ["bigkeys", "app.db"], ["seek", "app.db", "j"], ["first", "app.db"],
                ["last", "app.db"], ["versions", "app.db", id], ["wal", "app.db"], ["sst", "app.db", "--keys"],
                ["manifest", "app.db", "--edits"], ["diff", "app.db", "s.store"], ["stats", "s.store"],
                ["find", "s.store", "items", "t = '\(id)'"], ["doc", "get", "s.store", "items", "\(id)x"],
                ["import", "-n", "s.store", "items", "bad.jsonl", "--on-error", "skip", "--rejects", "/dev/tty"],
            ] {
                let terminal = try TerminalSession(
                    arguments, in: place, environment: ["TERM": "xterm", "NO_COLOR": "1", "PAGER": "cat"])
                #expect(try terminal.end() < 128, "\(arguments)")
                let acting = terminal.transcript.unicodeScalars.filter { Self.mayAct($0) }
                #expect(acting.isEmpty, "\(arguments): \(terminal.transcript.debugDescription)")
            }
        }
    }

    /// The characters that control a terminal or the direction of text, listed independently of the program. A terminal
    /// inserts carriage returns.
    private static func mayAct(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0a, 0x0d: false
        case 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
        }
    }

    @Test func `Exports, dumps, schemas and raw bytes cannot control a terminal, and are exact in pipes`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            try place.makeItems()
            let value = "\u{7f}\u{1b}[31m\u{9b}2J\r"
            #expect(try place.run(["put", "--write", "app.db", "k", "-"], input: Array(value.utf8)).code == 0)
            let document = #"{"id":"a","\u009bm":"\u001b]0;x\u0007","t":"\u202e\u009b2J","k":["\u001b[5m"]}"# + "\n"
            #expect(try place.run("import", "--write", "items.store", "items", "-", input: document).code == 0)
            let exports = ["jsonl", "json", "csv", "tsv"].map { ["export", "items.store", "items", "--format", $0] }
            for arguments in exports + [
                ["dump", "app.db"], ["dump", "app.db", "--format", "resp"], ["dump", "items.store"],
                ["dump", "app.db", "-o", "/dev/tty"], ["schema", "items.store", "--json-schema", "10"],
                ["scan", "app.db", "--mode", "raw0"], ["find", "items.store", "items", "--mode", "raw0"],
                ["doc", "patch", "items.store", "items", "a", "{}", "-n"],
            ] {
                let terminal = try TerminalSession(
                    arguments, in: place, environment: ["TERM": "xterm", "NO_COLOR": "1", "PAGER": "cat"])
                #expect(try terminal.end() == 0 || arguments.last == "/dev/tty", "\(terminal.transcript)")
                let acting = terminal.transcript.unicodeScalars.filter {
                    // The terminal inserts a carriage return before each line feed.
                    !["\r", "\n", "\t"].contains($0) && !$0.isHarmless
                }
                #expect(acting.isEmpty, "\(arguments): \(terminal.transcript.debugDescription)")
                if arguments.contains("/dev/tty") { continue }
                #expect(terminal.transcript.contains(arguments[0] == "schema" ? "\\u009bm" : "9b"), "\(arguments)")
                let piped = try place.run(arguments)
                #expect(piped.output.contains("\u{9b}") && !piped.output.contains("\\xc2"), "\(arguments): \(piped)")
            }
            #expect(try place.run("scan", "app.db", "--mode", "raw0").bytes == Array(value.utf8) + [0])
        }
    }
}
