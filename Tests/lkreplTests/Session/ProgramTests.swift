import DocIndex
import Foundation
import Testing

@testable import lkrepl

/// What other programs rely on with every command: exit codes, streams, and no stray bytes.
@Suite(.waitsForPrograms) struct `Program behavior` {
    /// One command of each kind that prints data of `photos.store`.
    static let printing = [
        ["find", "photos.store", "photos"], ["find", "photos.store", "photos", "--count"],
        ["find", "photos.store", "photos", "--mode", "table"], ["find", "photos.store", "photos", "--mode", "csv"],
        ["search", "photos.store", "photos", "snow"], ["doc", "get", "photos.store", "photos", "scan-0001"],
        ["dump", "photos.store"], ["scan", "photos.store"], ["count", "photos.store"], ["stats", "photos.store"],
        ["keys", "photos.store"], ["values", "photos.store"], ["first", "photos.store"], ["last", "photos.store"],
        ["get", "photos.store", "M"], ["mget", "photos.store", "M"], ["seek", "photos.store", "M"],
        ["tree", "photos.store", "--delim", "M"], ["bigkeys", "photos.store"], ["approx-size", "photos.store"],
        ["digest", "photos.store"], ["properties", "photos.store"], ["levels", "photos.store", "--tables"],
        ["sst", "photos.store"], ["wal", "photos.store"], ["manifest", "photos.store"],
        ["versions", "photos.store", "M"],
        ["collections", "photos.store"], ["photos.store", "-c", "stats"], ["photos.store", "-c", "help"], ["--version"],
        ["--help"], ["find", "--help"],
    ]

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "skipped: there is no /dev/full"),
        arguments: printing)
    func `The program exits with 74 if the disk is full`(arguments: [String]) throws {
        try Workplace.with(isVerified: false) { place in
            try place.makePhotos()
            let outcome = try place.run(arguments.map { Array($0.utf8) }, output: .device("/dev/full"))
            #expect(outcome.code == 74, "\(outcome)")
            #expect(outcome.error.contains("cannot write standard output"), "\(outcome)")
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "skipped: there is no /dev/full"))
    func `The program keeps what it has stored if it cannot report it`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let outcome = try place.run(
                ["import", "--write", "items.store", "items", "-", "--acknowledge"].map { Array($0.utf8) },
                input: Array("{\"id\":1}\n".utf8), output: .device("/dev/full"))
            #expect(outcome.code == 74, "\(outcome)")
            #expect(try place.run("find", "items.store", "items", "--count").output == "1\n")
        }
    }

    @Test func `The program ends silently with 141 if its reader goes away`() throws {
        try Workplace.with(isVerified: false) { place in
            try place.makePhotos()
            for command in ["scan photos.store", "dump -q photos.store", "photos.store -c scan"] {
                for trap in ["", "trap '' PIPE;"] {
                    let outcome = try place.shell("{ \(trap) lkrepl \(command); echo $? >&2; } | head -c 1 > /dev/null")
                    #expect(outcome.code == 0 && outcome.error == "141\n", "\(command): \(outcome)")
                }
            }
        }
    }

    /// The database would open its files under the descriptors of closed streams, and output and messages would be
    /// written to them.
    @Test(arguments: printing)
    func `With standard output closed, the program exits with 74 and does not damage the database`(
        arguments: [String]
    ) throws {
        try Workplace.with(isVerified: false) { place in
            try place.makePhotos()
            let before = try place.dump("photos.store")
            for closesAll in [false, true] {
                let outcome = try place.run(
                    arguments.map { Array($0.utf8) }, inputStream: closesAll ? .closed : nil, output: .closed,
                    error: closesAll ? .closed : nil)
                #expect(outcome.code == 74, "closes all: \(closesAll), \(outcome)")
                for name in try place.names(in: "photos.store") where name == "LOCK" || name.hasPrefix("LOG") {
                    let text = String(decoding: try place.read("photos.store/" + name), as: UTF8.self)
                    #expect(!text.contains("scan-0001") && !text.contains("lkrepl:"), "\(name)")
                }
            }
            #expect(try place.dump("photos.store") == before)
        }
    }

    @Test func `The program works with standard error and standard input closed`() throws {
        try Workplace.with { place in
            try place.makeItems()
            try place.write("{\"id\":1}\n{\"id\":2}\n", to: "two.jsonl")
            let outcome = try place.run(
                ["import", "--write", "items.store", "items", "two.jsonl"].map { Array($0.utf8) }, inputStream: .closed,
                error: .closed)
            #expect(outcome.code == 0, "\(outcome)")
            for name in try place.names(in: "items.store") {
                let text = String(decoding: try place.read("items.store/" + name), as: UTF8.self)
                #expect(!text.contains("import: read 2"), "\(name)")
            }
            #expect(try place.run("find", "items.store", "items", "--count").output == "2\n")
        }
    }

    /// CSV is the exception: it contains strings verbatim.
    @Test func `The program sends escape bytes only to a terminal, whatever the data contain`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let hostile =
                #"{"id":"e\u001b[31m","\u001b]0;x\u0007":"a\u001b[2J\r\n\tb\u202e\u0000\u009b5m","t":"\u001b","k":["\u001b"]}"#
            for environment in [[:], ["NO_COLOR": "1", "TERM": "xterm-256color"], ["TERM": "dumb"]] {
                var outcomes: [Outcome] = []
                outcomes.append(
                    try place.run(
                        "doc", "put", "--write", "items.store", "items", "-", input: hostile, environment: environment))
                #expect(outcomes[0].code == 0)
                for mode in ["table", "line", "jsonl", "json", "json-pretty", "tsv"] {
                    for arguments in [
                        ["find", "items.store", "items"], ["scan", "items.store"], ["collections", "items.store"],
                        ["stats", "items.store"], ["verify", "items.store"], ["keys", "items.store"],
                        ["values", "items.store"], ["first", "items.store"], ["last", "items.store"],
                        ["seek", "items.store", "M"], ["mget", "items.store", "M"], ["tree", "items.store"],
                        ["bigkeys", "items.store"], ["approx-size", "items.store"], ["digest", "items.store"],
                        ["properties", "items.store"], ["sst", "items.store"], ["wal", "items.store"],
                        ["manifest", "items.store", "--edits"], ["versions", "items.store", "M"],
                        ["levels", "items.store", "--tables"],
                    ] {
                        let outcome = try place.run(arguments + ["--mode", mode], environment: environment)
                        #expect(outcome.code == 0, "\(outcome)")
                        outcomes.append(outcome)
                    }
                }
                for arguments in [
                    ["--help"], ["find", "--help"], ["dump", "items.store"], ["fi\u{1b}[31mnd"],
                    ["find", "items.store", "it\u{1b}[31mems"], ["find", "items.store", "items", "a\u{1b}[31m"],
                    ["find", "items.store", "items", "--\u{1b}[31m"], ["find", "no\u{1b}[31mstore", "items"],
                    ["import", "--write", "items.store", "items", "no\u{1b}[31mfile"],
                    ["items.store", "-c", "\u{1b}[31m"], ["items.store", "-c", "help"],
                    ["dump", "items.store", "-o", "o\u{1b}[31m"],
                    ["doc", "del", "--write", "items.store", "items", "\u{1b}", "e\u{1b}[31m"],
                ] {
                    outcomes.append(try place.run(arguments, environment: environment))
                }
                for outcome in outcomes {
                    #expect(!outcome.bytes.contains(0x1b) && !outcome.errorBytes.contains(0x1b), "\(outcome)")
                }
            }
        }
    }
}

@Suite(.waitsForPrograms) struct `Database in use` {
    @Test func `A database in use is readable, and writing fails with 75 and names the other process`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.write("{\"id\":1}\n", to: "one.jsonl")
            let before = try place.dump("photos.store")
            try place.write(before, to: "photos.lkd")
            let holder = try TerminalSession(["photos.store", "-q", "--write"], in: place)
            try holder.expect("photos.store rw!> ")
            for arguments in [
                ["find", "photos.store", "photos", "--count"], ["search", "photos.store", "photos", "snow"],
                ["doc", "get", "photos.store", "photos", "scan-0001"], ["stats", "photos.store"],
                ["verify", "photos.store"], ["dump", "photos.store"], ["scan", "photos.store"],
                ["photos.store", "-c", "stats"], ["photos.store"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 0, "\(arguments): \(outcome)")
                #expect(
                    outcome.error.contains("open for writing by pid \(holder.processID)"), "\(arguments): \(outcome)")
            }
            #expect(try place.run("dump", "photos.store", "-q").bytes == before)
            for arguments in [
                ["import", "--write", "photos.store", "photos", "one.jsonl"],
                ["doc", "put", "--write", "photos.store", "photos", "{\"id\":1}"],
                ["put", "--write", "photos.store", "a", "b"], ["load", "--write", "photos.store", "photos.lkd"],
                ["--write", "photos.store"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 75 && outcome.output == "", "\(arguments): \(outcome)")
                #expect(outcome.error.contains(" \(holder.processID)"), "\(arguments): \(outcome)")
            }
            #expect(try place.names() == ["one.jsonl", "photos.lkd", "photos.store"])
            try holder.type("quit\n")
            #expect(try holder.end() == 0)
            #expect(try place.dump("photos.store") == before)
        }
    }
}
