import Foundation
import LevelKit
import TestSupport
import Testing

@testable import lkrepl

/// Databases with forged blocks that have valid checksums: the shell says what to do, and `--untrusted` never reads
/// such a block.
@Suite(.waitsForPrograms) struct UntrustedTests {
    /// Creates a database of one table with small blocks.
    private static func makeTable(_ name: String, in place: Workplace) throws {
        var options = DatabaseOptions()
        options.compression = .none
        options.blockByteCount = 1 << 10
        let database = try Database.open(at: place.path + "/" + name, options: options)
        for number in 0..<400 {
            try database.put(Array(repeating: 7, count: 80), forKey: Array("key\(1000 + number)".utf8))
        }
        try database.compact()
        try database.close()
    }

    /// Creates a database whose sixth block is forged.
    private static func makeForged(
        _ name: String, in place: Workplace, _ forgery: TableForgery = .lengthsThatOverflow
    ) throws {
        try makeTable(name, in: place)
        try forgery.apply(to: place.path + "/" + name, block: 5)
    }

    @Test func `If LevelDB aborts, the shell names the option that avoids it and exits with 65`() throws {
        try Workplace.with(isVerified: false) { place in
            try Self.makeForged("db", in: place)
            for arguments in [["scan", "db"], ["db", "-c", "count"], ["digest", "db"]] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 65, "\(outcome)")
                #expect(outcome.says("LevelDB aborted") && outcome.says("--untrusted"), "\(outcome)")
            }
            let json = try place.run("scan", "db", "--error-format", "json")
            #expect(json.code == 65 && json.says(#""kind":"badData""#), "\(json)")
        }
    }

    @Test func `If LevelDB requests more memory than exists, the shell names --untrusted`() throws {
        try Workplace.with(isVerified: false) { place in
            try Self.makeForged("db", in: place, .snappyOfFourGibibytes)
            let outcome = try place.shell("ulimit -v 3000000; lkrepl scan db")
            #expect(outcome.code == 65 && outcome.says("LevelDB aborted") && outcome.says("--untrusted"), "\(outcome)")
            let checked = try place.shell("ulimit -v 3000000; lkrepl scan --untrusted db")
            #expect(checked.code == 65 && checked.says(".ldb") && !checked.says("LevelDB aborted"), "\(checked)")
        }
    }

    @Test func `A dry run checks every block of its copy, whoever owns the original`()
        throws
    {
        try Workplace.with(isVerified: false) { place in
            try Self.makeForged("db", in: place)
            let good = try Database.open(at: place.path + "/good")
            try good.put("v", forKey: "k")
            try good.close()
            let dump = try place.run("dump", "good")
            let outcome = try place.run("load", "--dry-run", "db", "-", input: dump.output)
            #expect(outcome.code == 65 && outcome.says(".ldb") && !outcome.says("LevelDB aborted"), "\(outcome)")
        }
    }

    @Test func `With --untrusted, a forged block is an error with file and offset, and nothing changes`() throws {
        try Workplace.with(isVerified: false) { place in
            try Self.makeForged("db", in: place)
            let before = try DirectoryState(place.path + "/db")
            for arguments in [
                ["scan", "db", "--untrusted"], ["--untrusted", "db", "-c", "count"],
                ["db", "--untrusted", "-c", "count"],
                ["put", "--write", "--untrusted", "db", "k", "v"], ["diff", "--untrusted", "db", "db"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 65, "\(outcome)")
                #expect(outcome.says("byte ") && outcome.says(".ldb") && !outcome.says("LevelDB aborted"), "\(outcome)")
                #expect(try DirectoryState(place.path + "/db").difference(from: before) == [], "\(arguments)")
            }
        }
    }

    @Test func `With --untrusted, random bytes in a block with a valid checksum are printed or rejected`() throws {
        try Workplace.with(isVerified: false) { place in
            try Self.makeTable("whole", in: place)
            var random = TestRun.random(stream: 0xf6a)
            var (printedCount, rejectedCount) = (0, 0)
            for _ in 0..<TestRun.rounds(50, long: 2000) {
                try place.copy("whole", to: "db")
                let forged = try TableForgery.overwriteBytes(in: place.path + "/db", using: &random)
                let outcome = try place.run("scan", "db", "--untrusted")
                let isPrinted = outcome.code == 0 && !outcome.lines.isEmpty
                if isPrinted { printedCount += 1 } else { rejectedCount += 1 }
                let isSound = (isPrinted || outcome.code == 65) && !outcome.says("LevelDB aborted")
                #expect(isSound, "\(forged), \(TestRun.repetition): \(outcome)")
                try place.remove("db")
            }
            #expect(printedCount > 0 && rejectedCount > 0)
        }
    }

    @Test func `An undamaged database gives the same results with --untrusted`() throws {
        try Workplace.with { place in
            try place.makeDatabase("db")
            let put = try place.run("put", "--write", "db", "a", "b")
            #expect(put.code == 0, "\(put)")
            let (plain, checked) = (try place.run("scan", "db"), try place.run("scan", "--untrusted", "db"))
            #expect(checked.code == 0 && plain.output == checked.output && plain.lines.count == 1, "\(checked)")
        }
    }

    @Test func `verify and repair handle a forged block without an option`() throws {
        try Workplace.with(isVerified: false) { place in
            try Self.makeForged("db", in: place)
            for arguments in [["verify", "db"], ["verify", "--deep", "db"], ["db", "-c", "verify"]] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 65, "\(outcome)")
                #expect(outcome.output.contains(".ldb") && !outcome.says("LevelDB aborted"), "\(outcome)")
            }
            let repair = try place.run("repair", "--write", "db", "--confirm", "db")
            #expect(repair.code == 65 && !repair.says("LevelDB aborted"), "\(repair)")
            let verified = try place.run("verify", "--deep", "db")
            #expect(verified.code == 0, "\(verified)")
            let count = Int(try place.run("count", "db").output.filter(\.isNumber)) ?? 0
            #expect(count > 380 && count < 400)
        }
    }

    @Test func `A shell with a database open for reading rejects repair and destroy, and continues`() throws {
        try Workplace.with { place in
            try place.makeDatabase("db")
            let put = try place.run("put", "--write", "db", "a", "b")
            #expect(put.code == 0, "\(put)")
            let before = try DirectoryState(place.path + "/db")
            for command in ["repair", "destroy"] {
                let outcome = try place.run(
                    "db", "--keep-going", "-c", "\(command) --write --confirm db", "-c", "get a")
                #expect(outcome.code == 64 && outcome.lines == ["b"], "\(outcome)")
                #expect(outcome.says("leave the shell and run lkrepl \(command) DB"), "\(outcome)")
                #expect(try DirectoryState(place.path + "/db").difference(from: before) == [])
            }
        }
    }
}
