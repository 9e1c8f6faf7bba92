import Foundation
import TestSupport
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Plain database commands` {
    @Test func `put, get, scan, count and del work on a plain database`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            for (key, value) in [("user/1", "Ann"), ("user/2", "\"Bo\\n\""), ("zoo", "0xff00"), ("", "empty")] {
                let stored = try place.run("put", "--write", "app.db", key, value)
                #expect(stored.code == 0 && stored.output == "" && stored.error == "", "\(stored)")
            }
            let bytes = (0...255).map { UInt8($0) }
            #expect(try place.run(["put", "--write", "app.db", "bytes", "-"], input: bytes).code == 0)
            #expect(try place.run("get", "app.db", "bytes", "--raw").bytes == bytes)
            #expect(try place.run("get", "app.db", "user/1").output == "Ann\n")
            #expect(try place.run("get", "app.db", "user/2").output == "\"Bo\\n\"\n")
            #expect(try place.run("get", "app.db", "user/2", "--raw").output == "Bo\n")
            #expect(try place.run("get", "app.db", "0x7a6f6f").output == "\"\\xff\\0\"\n")
            #expect(try place.run("get", "app.db", "b64:em9v").output == "\"\\xff\\0\"\n")
            let missing = try place.run("get", "app.db", "user/3")
            #expect(missing.code == 1 && missing.output == "" && missing.says("there is no key user/3"), "\(missing)")

            #expect(
                try place.run("scan", "app.db", "--prefix", "user/").output == """
                    {"k":"user/1","v":"Ann"}
                    {"k":"user/2","v":"Bo\\n"}

                    """)
            #expect(try place.run("scan", "app.db", "--from", "z").output == "{\"k\":\"zoo\",\"v64\":\"/wA=\"}\n")
            #expect(
                try place.run("scan", "app.db", "--keys", "--reverse", "--limit", "2").output
                    == "{\"k\":\"zoo\"}\n{\"k\":\"user/2\"}\n")
            for (bounds, count) in [
                ([], 5), (["--prefix", "user/"], 2), (["--from", "user/1"], 3), (["--after", "user/1"], 2),
                (["--to", "user/1"], 2), (["--upto", "user/1"], 3), (["--from", "zoo", "--to", "a"], 0),
                (["--after", "\"\"", "--upto", "bytes"], 1), (["--prefix", "\"\""], 5),
            ] as [([String], Int)] {
                let counted = try place.run(["count", "app.db"] + bounds)
                #expect(counted.output == "\(count)\n", "\(bounds): \(counted)")
                #expect(try place.run(["scan", "app.db"] + bounds).lines.count == count, "\(bounds)")
            }
            let reversed = try place.run("scan", "app.db", "--from", "zoo", "--to", "a")
            #expect(reversed.says("the range is empty: --from zoo comes after --to a"), "\(reversed)")
            #expect(try place.run("scan", "app.db", "--after", "a", "--to", "a").error == "scan: nothing found\n")
            #expect(try place.run("verify", "app.db").error.contains("5 keys"))
            #expect(try place.run("del", "--write", "app.db", "user/1", "zoo").code == 0)
            #expect(try place.run("del", "--write", "app.db", "user/1", "user/2").code == 1)
            #expect(try place.run("count", "app.db").output == "2\n")
        }
    }

    /// A key as `scan` prints it, typed as an argument of `get`, finds the same record.
    @Test func `Every printed key can be typed`() throws {
        var generator = SplitMix64(seed: 11)
        var pairs: [[UInt8]: [UInt8]] = [:]
        for number in 0..<400 { pairs[randomBytes(using: &generator)] = Array("\(number)".utf8) }
        let sorted = pairs.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        try Workplace.with { place in
            #expect(try place.run(["load", "--create", "odd.db", "-"], input: try rawDump(sorted)).code == 0)
            // In the shell, one process reads them all; `ByteNotation` quotes what a command line cannot contain.
            let script = sorted.map { "get " + ByteNotation.print($0.key) + " --raw\nget nothing-of-this-name-x\n" }
            let first = try place.run(["odd.db"], input: Array(script[0].utf8))
            #expect(first.code == 1, "a key that is not there ends a script with 1: \(first)")
            let all = sorted.map { "get -- " + ByteNotation.print($0.key) }.joined(separator: "\n")
            let outcome = try place.run(["odd.db"], input: Array(all.utf8))
            #expect(outcome.code == 0, "\(outcome)")
            #expect(outcome.lines == sorted.map { String(decoding: $0.value, as: UTF8.self) })
            for pair in sorted.prefix(25) {
                let one = try place.run("get", "odd.db", "--raw", "--", ByteNotation.print(pair.key))
                #expect(one.bytes == pair.value, "\(ByteNotation.print(pair.key)): \(one)")
            }
        }
    }

    /// Keys that start with what marks options, numbers or documents in the arguments.
    @Test func `Keys and values arrive as they were typed`() throws {
        let texts = [
            "-5", "-.5", "-a", "--", "--raw", "\u{1}a", "\u{1}-5", "\u{1}\u{1}", "a b", "{\"a\":1}", "é", "@x", "=",
            "#;|",
        ]
        try Workplace.with { place in
            try place.makeDatabase()
            for text in texts {
                // A value that starts with @ is a file, unless it is quoted.
                let value = text.hasPrefix("@") ? "'\(text)'" : text
                let stored = try place.run("put", "--write", "app.db", "--", text, value)
                #expect(stored.code == 0, "\(text): \(stored)")
                #expect(try place.run("get", "app.db", "--raw", "--", text).bytes == Array(text.utf8), "\(text)")
                #expect(try place.run("scan", "app.db", "--from=\(text)", "--limit", "1").lines.count == 1, "\(text)")
                #expect(try place.run("count", "app.db", "--prefix", text, "-q").output != "0\n", "\(text)")
            }
            let sorted = Set(texts.map { Array($0.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }
            #expect(try place.dump("app.db") == rawDump(sorted.map { (key: $0, value: $0) }))
            for text in ["-5", "-.5", "\u{1}a", "\u{1}-5"] {
                #expect(try place.run("get", "app.db", text, "--raw").output == text, "\(text)")
                #expect(try place.run("del", "app.db", "--write", text).code == 0, "\(text)")
            }
        }
    }

    @Test func `A document store accepts no raw writes, and shows its raw keys`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let before = try place.dump("photos.store")
            for arguments in [["put", "--write", "photos.store", "a", "b"], ["del", "--write", "photos.store", "M"]] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 64 && outcome.error.contains("document store"), "\(outcome)")
            }
            #expect(try place.dump("photos.store") == before)
            #expect(try place.run("get", "photos.store", "M").output.contains("docindex"))
            #expect(try place.run("get", "photos.store", "scan-0001").code == 1)
            #expect(try place.run("scan", "photos.store", "--limit", "3").lines.count == 3)
        }
    }

    @Test func `Document commands report that a plain database is not a document store`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            for arguments in [
                ["find", "app.db", "photos"], ["search", "app.db", "photos", "x"], ["collections", "app.db"],
                ["doc", "get", "app.db", "photos", "x"], ["import", "--write", "app.db", "photos", "-"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 65, "\(arguments): \(outcome)")
                #expect(outcome.error.contains("not a document store"), "\(arguments): \(outcome)")
            }
        }
    }

    @Test(arguments: [
        ["a\\x00"], ["0xf"], ["0xzz"], ["b64:?"], ["\"a"], ["'a"], ["\"\\q\""], ["a", "b"],
    ])
    func `An invalid key is rejected with exit code 64`(words: [String]) throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let outcome = try place.run(["get", "app.db"] + words)
            #expect(outcome.code == 64 && outcome.output == "" && outcome.error != "", "\(outcome)")
        }
    }

    @Test func `Arguments and lines that are not UTF-8 are rejected, never changed`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let before = try place.dump("app.db")
            for arguments in [["k", "v\u{1}"], ["k\u{1}", "v"]] {
                let bytes = (["put", "--write", "app.db"] + arguments).map { $0.utf8.map { $0 == 1 ? 0xff : $0 } }
                let outcome = try place.run(bytes)
                #expect(outcome.code == 64 && outcome.error.contains("UTF-8"), "\(outcome)")
            }
            let piped = try place.run(["app.db", "--write"], input: Array("count\nput k v".utf8) + [0xfe, 0x0a])
            #expect(piped.code == 65 || piped.code == 64, "\(piped)")
            #expect(piped.output == "0\n" && piped.error.contains("standard input:2"), "\(piped)")
            #expect(try place.dump("app.db") == before)
        }
    }
}
