import DocIndex
import Foundation
import TestSupport
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct LoadingTests {
    /// The binary itself, at the ends of lines and parts of lines; `DumpReader` is tested at every byte.
    @Test(arguments: SmallDump.allCases)
    func `Loading a truncated dump leaves nothing behind`(dump: SmallDump) throws {
        let whole = try dump.bytes()
        try Workplace.with { place in
            for count in stride(from: 0, to: whole.count, by: 37) + [whole.count - 1] {
                try place.write(Array(whole[..<count]), to: "cut.lkd")
                for file in ["cut.lkd", "-"] {
                    let outcome = try place.run(
                        ["load", "--create", "new.db", file], input: file == "-" ? Array(whole[..<count]) : [])
                    #expect(outcome.code == 65, "cut to \(count): \(outcome)")
                    #expect(
                        outcome.error.hasPrefix("lkrepl: \(file == "-" ? "standard input" : file):"),
                        "cut to \(count): \(outcome)")
                    #expect(try place.names() == ["cut.lkd"], "cut to \(count)")
                }
            }
            try place.write(whole, to: "cut.lkd")
            #expect(try place.run("load", "--create", "new.db", "cut.lkd").code == 0)
            #expect(try place.names() == ["cut.lkd", "new.db"])
        }
    }

    @Test func `Loading a truncated or changed dump file changes nothing in an existing store`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            var whole = try place.dump("photos.store")
            try place.makePhotos("other.store")
            let removed = try place.run("doc", "del", "--write", "other.store", "photos", "scan-0001", "scan-0005")
            #expect(removed.code == 0, "\(removed)")
            let before = try place.dump("other.store")
            for count in [whole.count - 1, whole.count - 100, whole.count / 2, 10] {
                try place.write(Array(whole[..<count]), to: "cut.lkd")
                let outcome = try place.run("load", "--write", "other.store", "cut.lkd")
                #expect(outcome.code == 65 && outcome.error.contains("cut.lkd:"), "\(outcome)")
                #expect(try place.dump("other.store") == before)
            }
            let index = try #require(whole.firstRange(of: Array("Wedding of Wilfred".utf8))?.lowerBound)
            whole[index] = UInt8(ascii: "X")
            try place.write(whole, to: "changed.lkd")
            let outcome = try place.run("load", "--write", "other.store", "changed.lkd")
            #expect(outcome.code == 65 && outcome.error.contains("changed.lkd:304:"), "\(outcome)")
            #expect(try place.dump("other.store") == before)
        }
    }

    @Test func `load rejects a dump of the other kind, or of collections that the store lacks`() throws {
        try Workplace.with { place in
            try place.makeItems()
            try place.makePhotos()
            try place.makeDatabase()
            try place.run("put", "--write", "app.db", "a", "b")
            for name in ["items.store", "photos.store", "app.db"] {
                try place.run("dump", name, "-o", name + ".lkd", "-q")
            }
            for (target, file) in [
                ("items.store", "app.db.lkd"), ("app.db", "items.store.lkd"), ("items.store", "photos.store.lkd"),
            ] {
                let before = try place.dump(target)
                for input in [file, "-"] {
                    let outcome = try place.run(
                        ["load", "--write", target, input], input: input == "-" ? try place.read(file) : [])
                    #expect([64, 65].contains(outcome.code), "\(target) \(input): \(outcome)")
                    #expect(outcome.error.hasPrefix("lkrepl: "), "\(outcome)")
                    #expect(try place.dump(target) == before)
                }
            }
        }
    }

    @Test func `load rejects a document of an undeclared collection, with file and line`() throws {
        let schema = try Schema(json: Array(#"{"collections":{"a":{}}}"#.utf8))
        let bytes = try dump(of: [
            .header(.documents), .schema(schema),
            .document(collection: "a", id: .string("x"), content: ["id": "x"]),
            .document(collection: "b", id: .string("x"), content: ["id": "x"]),
        ])
        let other = try dump(of: [
            .header(.documents), .schema(schema),
            .document(collection: "a", id: .string("x"), content: ["id": "y"]),
        ])
        try Workplace.with { place in
            for (content, line) in [(bytes, 4), (other, 3)] {
                try place.write(content, to: "odd.lkd")
                let outcome = try place.run("load", "--create", "new.store", "odd.lkd")
                #expect(outcome.code == 65 && outcome.error.hasPrefix("lkrepl: odd.lkd:\(line):"), "\(outcome)")
                #expect(try place.names() == ["odd.lkd"])
            }
        }
    }

    @Test func `load never replaces a database, and creates one only with --create`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.write(try rawDump([]), to: "empty.lkd")
            let names = try place.names()
            let before = try place.dump("photos.store")
            #expect(try place.run("load", "--create", "photos.store", "empty.lkd").code == 73)
            #expect(try place.run("load", "--create", "empty.lkd", "empty.lkd").code == 73)
            #expect(try place.run("load", "--write", "new.db", "empty.lkd").code == 66)
            #expect(try place.run("load", "photos.store", "empty.lkd").code == 77)
            let missing = try place.run("load", "new.db", "empty.lkd")
            #expect(missing.code == 66 && missing.says("load --create creates a database"), "\(missing)")
            #expect(try place.run("load", "--create", "new.db", "missing.lkd").code == 66)
            #expect(try place.run("load", "--create", "new.db", "photos.store").code == 66)
            #expect(try place.names() == names)
            #expect(try place.dump("photos.store") == before)
        }
    }

    @Test func `A load killed while it creates a database leaves no partial database under its name`() throws {
        var generator = SplitMix64(seed: 7)
        let pairs = (0..<6000).map { (key: Array("\($0 + 100_000)".utf8), value: [UInt8](repeating: 7, count: 100)) }
        let whole = try rawDump(pairs)
        try Workplace.with { place in
            try place.write(whole, to: "large.lkd")
            let start = ContinuousClock.now
            #expect(try place.run("load", "--create", "first.db", "large.lkd").code == 0)
            let duration = ContinuousClock.now - start
            for _ in 0..<6 {
                let child = try place.start("load", "--create", "new.db", "large.lkd", name: "load")
                usleep(UInt32(duration / .microseconds(1) * Double.random(in: 0..<1, using: &generator)))
                let code = try child.kill()
                if code == 0 { #expect(place.has("new.db")) }
                if place.has("new.db") {
                    #expect(try place.dump("new.db") == whole)
                    try place.remove("new.db")
                }
            }
            // The leftovers do no harm.
            #expect(try place.run("load", "--create", "new.db", "large.lkd").code == 0)
            #expect(try place.dump("new.db") == whole)
        }
    }
}

@Suite(.waitsForPrograms) struct `Dumping to a file` {
    @Test func `The output file of dump appears complete or not at all`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.write("before", to: "kept")
            #expect(try place.run("dump", "missing.store", "-o", "new.lkd").code == 66)
            #expect(try place.run("dump", "missing.store", "-o", "kept").code == 66)
            #expect(try place.run("dump", "photos.store", "-o", "missing/new.lkd").code == 73)
            let directory = try place.run("dump", "photos.store", "-o", "photos.store")
            #expect(directory.code != 0 && directory.code != 70, "\(directory)")
            #expect(try place.names() == ["kept", "photos.store"])
            #expect(try place.read("kept") == Array("before".utf8))
            #expect(try place.run("dump", "photos.store", "-o", "kept", "--force").code == 0)
            #expect(try place.read("kept") == place.dump("photos.store"))
        }
    }

    /// Renaming onto a pipe, a device or a link would replace it with a file.
    @Test func `dump writes to special files and never replaces them`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let expected = try place.dump("photos.store")
            let outcome = try place.shell(
                """
                mkfifo pipe
                { timeout 20 cat pipe > through-pipe; } &
                lkrepl dump photos.store -o pipe
                wait
                test -p pipe || echo replaced
                : > target
                ln -s target link
                lkrepl dump photos.store -o link 2> refused && echo not refused
                lkrepl dump photos.store -o link --force
                test -L link || echo link replaced
                """)
            #expect(outcome.code == 0 && outcome.output == "", "\(outcome)")
            #expect(try place.read("through-pipe") == expected)
            #expect(try place.read("target") == expected)
        }
    }
}
