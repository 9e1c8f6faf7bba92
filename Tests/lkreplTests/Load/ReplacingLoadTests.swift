import Foundation
import TestSupport
import Testing

@testable import lkrepl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Creates a database with old content and a dump with new content.
private enum Replacement {
    static let isLong = ProcessInfo.processInfo.environment["LEVELKIT_TEST_LONG"] == "1"

    static func documents(_ count: Int, _ word: String) -> String {
        (0..<count).map { "{\"id\":\"\(word)\($0 + 100_000)\",\"n\":\($0 % 97),\"t\":\"\(word) word\($0 % 50)\"}\n" }
            .joined()
    }

    static func pairs(_ count: Int, _ word: String) throws -> [UInt8] {
        try rawDump(
            (0..<count).map { (Array("\(word)\($0 + 100_000)".utf8), [UInt8](repeating: UInt8($0 % 251), count: 60)) })
    }

    /// Creates the database `old`, and `new.lkd`, the dump of another one; returns the dumps of both.
    static func make(isStore: Bool, count: Int, in place: Workplace) throws -> (old: [UInt8], new: [UInt8]) {
        for name in ["old", "new"] {
            if isStore {
                try place.makeItems(name)
                let made = try place.run("import", "--write", name, "items", "-", input: documents(count, name))
                try #require(made.code == 0, "\(made)")
            } else {
                let made = try place.run(["load", "--create", name, "-"], input: try pairs(count, name))
                try #require(made.code == 0, "\(made)")
            }
        }
        let new = try place.dump("new")
        try place.write(new, to: "new.lkd")
        try place.remove("new")
        return (try place.dump("old"), new)
    }

    static func leftovers(in place: Workplace) throws -> [String] {
        try place.names().filter { $0.contains(".loading-") }
    }
}

/// The guarantee of `load --mode replace`: everything or nothing.
@Suite(.waitsForPrograms) struct `Replacing loads` {
    private static let command = ["load", "--write", "--yes", "--mode", "replace", "old"]

    @Test(arguments: [true, false])
    func `A replacing load keeps the old content if its input is truncated anywhere`(isStore: Bool) throws {
        try Workplace.with { place in
            let (old, new) = try Replacement.make(isStore: isStore, count: 200, in: place)
            for share in [0.02, 0.1, 0.35, 0.5, 0.8, 0.97, 0.999] {
                let cut = Array(new[..<Int(Double(new.count) * share)])
                let outcome = try place.run(Self.command + ["-"], input: cut)
                #expect(outcome.code == 65, "\(share): \(outcome)")
                #expect(try place.dump("old") == old, "\(share)")
                #expect(try Replacement.leftovers(in: place) == [], "\(share)")
            }
            let told = try place.run(Self.command + ["-"], input: Array(new[..<(new.count / 2)]))
            #expect(told.says("the database is unchanged"), "\(told)")
            let whole = try place.run(Self.command + ["-"], input: new)
            #expect(whole.code == 0 && whole.says("removed 200"), "\(whole)")
            #expect(try place.dump("old") == new)
            #expect(try Replacement.leftovers(in: place) == [])
        }
    }

    @Test(arguments: [true, false])
    func `A replacing load on a full disk keeps the old content`(isStore: Bool) throws {
        try Workplace.with { place in
            let (old, _) = try Replacement.make(isStore: isStore, count: 20_000, in: place)
            // No file may exceed half a MiB; some shells count in KiB.
            let outcome = try place.shell("ulimit -f 512; lkrepl \(Self.command.joined(separator: " ")) new.lkd")
            #expect(outcome.code != 0, "\(outcome)")
            #expect(try place.dump("old") == old)
            // The next process cleans up after one that was killed by the system.
            #expect(try place.run("compact", "--write", "--yes", "old").code == 0)
            #expect(try Replacement.leftovers(in: place) == [])
        }
    }

    @Test func `A replacing load of an empty dump deletes the old content`() throws {
        try Workplace.with { place in
            _ = try Replacement.make(isStore: true, count: 10, in: place)
            try place.makeItems("empty")
            let empty = try place.dump("empty")
            #expect(try place.run(Self.command + ["-"], input: empty).code == 0)
            #expect(try place.dump("old") == empty)
            // Empty input does not count as a dump.
            _ = try place.run("doc", "put", "--write", "old", "items", #"{"id":"x"}"#)
            _ = try place.run(Self.command + ["-"], input: [])
            #expect(try place.run("find", "old", "items", "--count").output == "1\n")
        }
    }

    @Test func `A replacing load keeps other collections, links, permissions and unrelated files`() throws {
        try Workplace.with { place in
            let schema = #"{"collections": {"items": {}, "others": {}}}"#
            try place.write(schema, to: "schema.json")
            #expect(try place.run("init", "real.store", "--schema", "schema.json").code == 0)
            #expect(try place.run("doc", "put", "--write", "real.store", "others", #"{"id":"o"}"#).code == 0)
            #expect(try place.run("doc", "put", "--write", "real.store", "items", #"{"id":"i"}"#).code == 0)
            try place.write("mine", to: "real.store/notes.txt")
            #expect(unsafe chmod(place.path + "/real.store", 0o750) == 0)
            #expect(unsafe symlink("real.store", place.path + "/old") == 0)
            let dump = try place.run("dump", "old", "--only", "items").output.replacing("\"i\"", with: "\"i\"")
            #expect(try place.run("doc", "put", "--write", "real.store", "items", #"{"id":"later"}"#).code == 0)
            let loaded = try place.run(Self.command + ["-"], input: Array(dump.utf8))
            #expect(loaded.code == 0, "\(loaded)")
            #expect(try place.run("find", "old", "items", "--ids").lines == ["i"])
            #expect(try place.run("find", "real.store", "others", "--count").output == "1\n")
            #expect(String(decoding: try place.read("real.store/notes.txt"), as: UTF8.self) == "mine")
            var status = stat()
            #expect(unsafe lstat(place.path + "/old", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
            #expect(unsafe stat(place.path + "/old", &status) == 0 && status.st_mode & 0o7777 == 0o750)
            #expect(try Replacement.leftovers(in: place) == [])
        }
    }

    /// The input is a pipe that stays open, so the load runs until the test ends it.
    @Test func `A replacing load locks out writers but not readers, and readers do not disturb it`() throws {
        try Workplace.with { place in
            let (old, new) = try Replacement.make(isStore: true, count: 500, in: place)
            #expect(try place.shell("mkfifo pipe").code == 0)
            let child = try place.start("load", "--write", "--yes", "--mode", "replace", "old", "pipe", name: "child")
            let writer = unsafe open(place.path + "/pipe", O_WRONLY | O_CLOEXEC)
            try #require(writer >= 0)
            try FileDescriptor(rawValue: writer).writeAll(Array(new[..<(new.count / 2)]))
            #expect(try TimeBound(.seconds(30)).wait { try !Replacement.leftovers(in: place).isEmpty } < .seconds(30))
            let busy = try Replacement.leftovers(in: place)
            let refused = try place.run("doc", "put", "--write", "old", "items", #"{"id":"lost"}"#)
            #expect(refused.code == 75, "\(refused)")
            let second = try place.run(Self.command + ["-"], input: new)
            #expect(second.code == 75, "\(second)")
            #expect(try place.dump("old") == old)
            #expect(try Replacement.leftovers(in: place) == busy)
            try FileDescriptor(rawValue: writer).writeAll(Array(new[(new.count / 2)...]))
            close(writer)
            let code = try child.wait()
            let error = String(decoding: try place.read("child-err"), as: UTF8.self)
            #expect(code == 0, "\(error)")
            #expect(try place.dump("old") == new)
            #expect(try Replacement.leftovers(in: place) == [])
        }
    }

    @Test func `A replacing load works in a shell with the database open, and cannot be resumed`() throws {
        try Workplace.with { place in
            let (_, new) = try Replacement.make(isStore: true, count: 50, in: place)
            let shell = try place.run(
                "old", "--write", "--yes", "-c", "load new.lkd --mode replace; count; find items --count")
            #expect(shell.code == 0 && shell.lines.last == "50", "\(shell)")
            #expect(try place.dump("old") == new)
            let resumed = try place.run(Self.command + ["new.lkd", "--resume"])
            #expect(resumed.code == 64 && resumed.says("all or nothing"), "\(resumed)")
        }
    }

    /// If killed at any time, it leaves either the old content or the new, and the next command is not affected.
    @Test(arguments: [true, false])
    func `A killed replacing load leaves either the old or the new content`(isStore: Bool) throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["LEVELKIT_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 32)
        var generator = SplitMix64(seed: seed)
        try Workplace.with { place in
            let (old, new) = try Replacement.make(isStore: isStore, count: 3_000, in: place)
            try place.write(old, to: "old.lkd")
            let command = Self.command + ["new.lkd"]
            let start = ContinuousClock.now
            #expect(try place.run(command).code == 0)
            let duration = (ContinuousClock.now - start) / .microseconds(1)
            var (oldCount, newCount, leftCount) = (0, 0, 0)
            for round in 0..<(Replacement.isLong ? 200 : 12) {
                #expect(try place.run(Self.command + ["old.lkd"]).code == 0)
                let child = try ChildProcess(
                    Binary.path, command.map { Array($0.utf8) }, in: place.path, input: .file("/dev/null"),
                    output: .file("/dev/null"), error: .file("/dev/null"))
                usleep(UInt32(duration * Double.random(in: 0.1..<1.05, using: &generator)))
                try child.kill()
                leftCount += try Replacement.leftovers(in: place).count
                let content = try place.dump("old")
                #expect(content == old || content == new, "seed \(seed), round \(round): a mixture")
                if content == old { oldCount += 1 } else { newCount += 1 }
                #expect(try place.run("compact", "--write", "--yes", "old").code == 0)
                #expect(try Replacement.leftovers(in: place) == [], "seed \(seed), round \(round)")
            }
            // If all kills came before the start or after the end, nothing would be tested.
            #expect(leftCount > 0 && oldCount > 0, "seed \(seed): \(oldCount) old, \(newCount) new, \(leftCount) left")
            if Replacement.isLong { print("kills: \(oldCount) old, \(newCount) new, \(leftCount) left something") }
        }
    }
}

/// The guarantee of `--on-error skip`.
@Suite(.waitsForPrograms) struct `Records that cannot be stored` {
    @Test func `A record that cannot be stored is named and skipped, whatever the reason`() throws {
        try Workplace.with { place in
            try place.write(
                #"{"collections":{"items":{"indexes":{"s":{"fields":["s"]},"u":{"fields":["u"],"unique":true}}}}}"#,
                to: "schema.json")
            #expect(try place.run("init", "items.store", "--schema", "schema.json").code == 0)
            let long = String(repeating: "x", count: 64 << 20)
            let lines = (0..<30).map { number in
                switch number {
                case 7: "{\"id\":\"long\",\"s\":\"\(long)\",\"u\":7}"
                case 11: "{\"id\":\"twice\",\"u\":3}"
                case 13: "{\"id\":{\"no\":1},\"u\":13}"
                case 17: "{\"id\":\"\(long)\",\"u\":17}"
                default: "{\"id\":\"d\(number)\",\"s\":\"short\",\"u\":\(number)}"
                }
            }
            try place.write(lines.joined(separator: "\n"), to: "many.jsonl")
            let outcome = try place.run(
                "import", "--write", "items.store", "items", "many.jsonl", "--on-error", "skip", "--max-line", "128M")
            #expect(outcome.code == 65 && outcome.says("inserted 26 replaced 0 skipped 0 rejected 4"), "\(outcome)")
            #expect(outcome.says("many.jsonl:8: the document long of items: "), "\(outcome)")
            #expect(outcome.says("its field s has 67,108,864 bytes"), "\(outcome)")
            #expect(outcome.says("many.jsonl:12: ") && outcome.says("twice"), "\(outcome)")
            #expect(outcome.says("many.jsonl:14: ") && outcome.says("many.jsonl:18: the document xxx"), "\(outcome)")
            #expect(try place.run("find", "items.store", "items", "--count").output == "26\n")

            // The same for a plain database, whose keys also have a limit.
            try place.makeDatabase()
            let pairs = [#"{"k":"a","v":"1"}"#, "{\"k\":\"\(long)y\",\"v\":\"2\"}", #"{"k":"b","v":"3"}"#]
            try place.write(pairs.joined(separator: "\n"), to: "pairs.jsonl")
            let loaded = try place.run(
                "load", "--write", "app.db", "pairs.jsonl", "--on-error", "skip", "--max-line", "128M")
            #expect(loaded.code == 65 && loaded.says("pairs.jsonl:2: the key xxx"), "\(loaded)")
            #expect(try place.run("count", "app.db").output == "2\n")
        }
    }
}

/// The guarantee of `-o FILE`.
@Suite(.waitsForPrograms) struct `Existing output files` {
    @Test func `dump and export replace an existing file only with --force`() throws {
        try Workplace.with { place in
            try place.makeItems()
            for command in [["dump", "items.store"], ["export", "items.store", "items"]] {
                try place.write("mine", to: "file")
                let refused = try place.run(command + ["-o", "file"])
                #expect(
                    refused.code == 73 && refused.says("file already exists") && refused.says("--force"), "\(refused)")
                #expect(String(decoding: try place.read("file"), as: UTF8.self) == "mine")
                #expect(try place.run(command + ["-o", "file", "--force"]).code == 0)
                #expect(String(decoding: try place.read("file"), as: UTF8.self) != "mine")
                #expect(try place.run(command + ["-o", "/dev/null"]).code == 0)
            }
        }
    }
}
