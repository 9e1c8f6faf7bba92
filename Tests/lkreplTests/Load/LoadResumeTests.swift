import DocIndex
import Foundation
import TestSupport
import Testing

@testable import lkrepl

/// A process may be killed at any time; `--resume` must store every record exactly once.
@Suite(.waitsForPrograms) struct `Resumed loads` {
    private static func documents(_ count: Int) -> String {
        (0..<count).map { "{\"id\":\"d\($0 + 100_000)\",\"n\":\($0 % 97),\"t\":\"word\($0 % 50) other\"}\n" }.joined()
    }

    /// Starts a command and waits for a condition, for at most half a minute.
    ///
    /// - Parameter prepare: Creates what the command starts with, again after an attempt that was too slow.
    private func start(
        _ arguments: [String], in place: Workplace, after prepare: () throws -> Void = {},
        until condition: () throws -> Bool
    ) throws -> ChildProcess {
        let bound = TimeBound(.seconds(30))
        return try bound.keep("what was waited for") { _ in
            try prepare()
            let child = try ChildProcess(
                Binary.path, arguments.map { Array($0.utf8) }, in: place.path, input: .file("/dev/null"),
                output: .file(place.path + "/child-out"), error: .file(place.path + "/child-err"))
            return (try bound.wait(until: condition), child)
        }
    }

    /// Creates an empty plain database, replacing the leftovers of an earlier attempt.
    private func makeDatabase(in place: Workplace) throws {
        if place.has("app.db") { try place.remove("app.db") }
        try place.makeDatabase()
    }

    @Test func `A resumed load in insert mode ends as if it had not been killed`() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["LEVELKIT_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 32)
        var generator = SplitMix64(seed: seed)
        try Workplace.with { place in
            try place.write(Self.documents(4000), to: "many.jsonl")
            try place.makeItems("first.store")
            let arguments = ["items", "many.jsonl", "--mode", "insert", "--batch", "50"]
            let start = ContinuousClock.now
            #expect(try place.run(["import", "--write", "first.store"] + arguments).code == 0)
            let duration = ContinuousClock.now - start
            let whole = try place.dump("first.store")
            var killed = 0
            for round in 0..<(environment["LEVELKIT_TEST_LONG"] == "1" ? 40 : 4) {
                try place.makeItems("again.store")
                var runs = 0
                while runs < 50 {
                    runs += 1
                    let child = try place.start(
                        "import", "--write", "again.store", "items", "many.jsonl", "--mode", "insert", "--batch", "50",
                        "--resume", name: "again")
                    usleep(UInt32(duration / .microseconds(1) * Double.random(in: 0.2..<0.9, using: &generator)))
                    child.signal(9)
                    let code = try child.wait()
                    // If killed after its last batch, the load has left no mark, and finds all records stored.
                    if code == 0 || code == 65 { break }
                    let error = String(decoding: try place.read("again-err"), as: UTF8.self)
                    #expect(code == 137, "seed \(seed), round \(round): \(error)")
                    killed += 1
                }
                let ended = try place.run(["import", "--write", "again.store", "--resume", "-q"] + arguments)
                // If the last run had finished, all records are already stored.
                #expect([0, 65].contains(ended.code), "seed \(seed), round \(round): \(ended)")
                #expect(try place.dump("again.store") == whole, "seed \(seed), round \(round)")
                try place.remove("again.store")
            }
            #expect(killed > 0, "seed \(seed): nothing was killed")
        }
    }

    @Test func `An interrupted insert neither restarts nor resumes unless told to, and rejects another file`() throws {
        try Workplace.with { place in
            try place.makeItems()
            try place.write(Self.documents(200) + "{\"id\":", to: "cut.jsonl")
            let arguments = ["import", "--write", "items.store", "items", "--mode", "insert", "--batch", "50"]
            let cut = try place.run(arguments + ["cut.jsonl"])
            #expect(cut.code == 65 && cut.error.hasPrefix("lkrepl: cut.jsonl:201:"), "\(cut)")
            let refused = try place.run(arguments + ["cut.jsonl"])
            #expect(refused.code == 64 && refused.says("--resume") && refused.says("--restart"), "\(refused)")

            try place.write(Self.documents(300).replacing("\"n\":5,", with: "\"n\":6,"), to: "other.jsonl")
            let other = try place.run(arguments + ["other.jsonl", "--resume"])
            #expect(other.code == 65 && other.says("differ from those"), "\(other)")

            // Once corrected, the load continues after the stored records.
            try place.write(Self.documents(300), to: "whole.jsonl")
            let resumed = try place.run(arguments + ["whole.jsonl", "--resume"])
            #expect(resumed.code == 0 && resumed.says("read 100 inserted 100"), "\(resumed)")
            #expect(try place.run("find", "items.store", "items", "--count").output == "300\n")
        }
    }

    @Test func `A load keeps its progress file next to a plain database, and deletes it at the end`() throws {
        let pairs = (0..<20_000).map { (key: Array("\($0 + 100_000)".utf8), value: [UInt8](repeating: 7, count: 60)) }
        let whole = try rawDump(pairs)
        try Workplace.with { place in
            try place.write(whole, to: "large.lkd")
            // A synced batch leaves a mark; the load is stopped between two of them.
            let child = try start(
                ["load", "--write", "app.db", "large.lkd", "--batch", "20", "--sync", "batch", "--no-verify"],
                in: place,
                after: { try makeDatabase(in: place) }, until: { place.has("large.lkd.lkprogress") })
            child.signal(9)
            #expect(try child.wait() == 137)
            #expect(place.has("large.lkd.lkprogress"))
            let refused = try place.run("load", "--write", "app.db", "large.lkd", "--mode", "insert", "--resume")
            #expect(refused.code == 64 && refused.says("--mode skip"), "\(refused)")
            let resumed = try place.run("load", "--write", "app.db", "large.lkd", "--resume")
            #expect(resumed.code == 0 && !resumed.says("read 20,000 "), "\(resumed)")
            #expect(try place.dump("app.db") == whole)
            #expect(!place.has("large.lkd.lkprogress"))
        }
    }

    @Test func `An interrupted insert load into a plain database resumes as its message says`() throws {
        let pairs = (0..<20_000).map { (key: Array("\($0 + 100_000)".utf8), value: [UInt8](repeating: 7, count: 60)) }
        let whole = try rawDump(pairs)
        try Workplace.with { place in
            try place.write(whole, to: "large.lkd")
            let arguments = ["load", "--write", "app.db", "large.lkd", "--no-verify"]
            let child = try start(
                arguments + ["--mode", "insert", "--batch", "20", "--sync", "batch"], in: place,
                after: { try makeDatabase(in: place) }, until: { place.has("large.lkd.lkprogress") })
            child.signal(9)
            #expect(try child.wait() == 137)
            for options in [[], ["--resume"]] {
                let refused = try place.run(arguments + ["--mode", "insert"] + options)
                #expect(refused.code == 64 && refused.says("--mode skip"), "\(refused)")
            }
            let resumed = try place.run(arguments + ["--mode", "skip", "--resume"])
            #expect(resumed.code == 0, "\(resumed)")
            #expect(try place.dump("app.db") == whole)
            #expect(!place.has("large.lkd.lkprogress"))
        }
    }

    /// The input is a pipe that stays open, so that the signal always arrives while the command runs.
    @Test(arguments: [SIGINT, SIGTERM])
    func `On a signal, a load finishes its batch and says how to resume`(signal: Int32) throws {
        try Workplace.with { place in
            try place.write(Self.documents(1000), to: "many.jsonl")
            #expect(try place.shell("mkfifo pipe").code == 0)
            let bound = TimeBound(.seconds(30))
            var writers: [Int32] = []
            defer { for writer in writers { close(writer) } }
            let child = try bound.keep("the batches") { _ in
                if place.has("items.store") { try place.remove("items.store") }
                try place.makeItems()
                let child = try place.start(
                    "import", "--write", "items.store", "items", "pipe", "--mode", "insert", "--batch", "10",
                    "--acknowledge", name: "import")
                writers.append(unsafe open(place.path + "/pipe", O_WRONLY | O_CLOEXEC))
                let writer = try #require(writers.last)
                try #require(writer >= 0)
                try FileDescriptor(rawValue: writer).writeAll(Array(Self.documents(395).utf8))
                let took = try bound.wait {
                    String(decoding: try place.read("import-out"), as: UTF8.self).contains("390\n")
                }
                return (took, child)
            }
            child.signal(signal)
            let code = try child.wait()
            let error = String(decoding: try place.read("import-err"), as: UTF8.self)
            #expect(code == 128 + signal && error.contains("--resume"), "exit code \(code): \(error)")
            // The last five may or may not have been read when the signal arrived; those that were read are kept.
            let kept = try place.run("find", "items.store", "items", "--count").output
            let count = try #require(Int(kept.dropLast()))
            #expect(390...395 ~= count)
            let resumed = try place.run(
                "import", "--write", "items.store", "items", "many.jsonl", "--mode", "insert", "--resume")
            let rest = "read \(1000 - count) inserted \(1000 - count)"
            #expect(resumed.code == 0 && resumed.says(rest), "\(resumed)")
            #expect(try place.run("find", "items.store", "items", "--count").output == "1000\n")
        }
    }

    @Test func `An interrupted load leaves no partial database or file`() throws {
        let pairs = (0..<40_000).map { (key: Array("\($0 + 100_000)".utf8), value: [UInt8](repeating: 7, count: 60)) }
        try Workplace.with { place in
            try place.write(try rawDump(pairs), to: "large.lkd")
            let child = try start(["load", "--create", "new.db", "large.lkd"], in: place) {
                try place.names().contains { $0.hasPrefix("new.db") }
            }
            child.signal(SIGINT)
            let code = try child.wait()
            // A load that finished before the signal is complete.
            #expect(code == 130 || code == 0)
            #expect(try place.names() == ["child-err", "child-out", "large.lkd"] + (code == 0 ? ["new.db"] : []))

            if code != 0 { #expect(try place.run("load", "--create", "new.db", "large.lkd").code == 0) }
            let dump = try start(["dump", "new.db", "-o", "new.lkd"], in: place) {
                try place.names().contains { $0.hasPrefix("new.lkd") }
            }
            dump.signal(SIGTERM)
            let dumped = try dump.wait()
            #expect(dumped == 143 || dumped == 0 && place.has("new.lkd"))
            #expect(try !place.names().contains { $0.contains(".partial-") })

            // Leftovers of a killed process are removed by the next one.
            let killed = try start(["load", "--create", "other.db", "large.lkd"], in: place) {
                try place.names().contains { $0.hasPrefix("other.db") }
            }
            try killed.kill()
            if !place.has("other.db") { #expect(try place.run("load", "--create", "other.db", "large.lkd").code == 0) }
            #expect(try !place.names().contains { $0.contains(".loading-") })
        }
    }

    @Test func `A full disk is distinguished from other failures`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for command in [
                ["dump", "photos.store", "-o", "/dev/full"], ["export", "photos.store", "photos", "-o", "/dev/full"],
                ["export", "photos.store", "photos", "--format", "csv", "-o", "/dev/full"],
            ] {
                let outcome = try place.run(command)
                #expect(outcome.code == 74 && outcome.says("No space left"), "\(command): \(outcome)")
            }
            let piped = try place.shell("lkrepl dump photos.store > /dev/full")
            #expect(piped.code == 74, "\(piped)")
        }
    }
}
