import Foundation
import TestSupport
import Testing

@testable import StorePackages
@testable import lkrepl

@Suite(.waitsForPrograms) struct `Packages in the shell` {
    private static func pack(_ place: Workplace, _ arguments: String...) throws -> Outcome {
        try place.run(["pack", "photos.store", "photos", "-o", "a.lkpack.zip"] + arguments)
    }

    @Test func `Commands that read a store read a package, with the same answers`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            try place.attachPicture()
            let packed = try Self.pack(place, "--originals")
            #expect(packed.code == 0 && packed.says("pack: 301 documents, 4 originals, 2 renditions"), "\(packed)")
            #expect(packed.says("3 files attached without a preview"), "\(packed)")
            #expect(try place.run("diff", "photos.store", "a.lkpack.zip").code == 0)
            for command in [
                ["find", "%", "photos", "rating >= 4", "--sort", "-taken", "--ids"], ["count", "%", "photos"],
                ["search", "%", "photos", "fog"], ["facets", "%", "photos", "rating"], ["collections", "%"],
                ["attach", "get", "%", "photos", "2019-07-14-0031", "original"],
                ["doc", "get", "%", "photos", "2019-07-14-0031"], ["dump", "%"],
                ["export", "%", "photos", "--sort", "id"],
            ] {
                let outcomes = try ["photos.store", "a.lkpack.zip"].map { name in
                    try place.run(command.map { $0 == "%" ? name : $0 } + ["-q"])
                }
                #expect(outcomes[0].code == 0 && outcomes[1].code == 0, "\(command): \(outcomes[1])")
                #expect(outcomes[1].output == outcomes[0].output, "\(command)")
            }
            let shell = try place.run("a.lkpack.zip", "-c", "count photos; verify --full")
            #expect(shell.code == 0 && shell.output.hasPrefix("301\n"), "\(shell)")
            #expect(shell.says("every file of the package"), "\(shell)")
        }
    }

    @Test func `No command changes a package or fails with an internal error`() throws {
        try Workplace.with(isVerified: false) { place in
            try place.attachPictures()
            #expect(try Self.pack(place).code == 0)
            try place.remove("photos.store")
            let before = try place.read("a.lkpack.zip")
            for command in CommandCatalog.current.leaves where command.takesDatabase && command.name != "serve" {
                var arguments = try `Reading commands`.arguments(of: command)
                arguments = arguments.map { $0 == "s.store" ? "a.lkpack.zip" : $0 }
                let takesWrite = command.words + ["--write", "--yes"] + arguments.dropFirst(command.words.count)
                for variant in [arguments, takesWrite] {
                    let outcome = try place.run(variant)
                    #expect(![70, 134, 139].contains(outcome.code), "\(variant): \(outcome)")
                    #expect(try place.read("a.lkpack.zip") == before, "\(variant)")
                }
            }
            let put = try place.run("doc", "put", "--write", "a.lkpack.zip", "photos", #"{"id":"x"}"#)
            #expect(put.code == 77 && put.says("is a package") && put.says("unpack --into"), "\(put)")
            #expect(try place.run("snapshot", "a.lkpack.zip", "copy.store").code == 77)
            try place.write("{}", to: "one.jsonl")
            #expect(try place.run("import", "-n", "a.lkpack.zip", "photos", "one.jsonl").code == 77)
        }
    }

    @Test func `Unpacked into an empty store, a package gives the same dump, and unpacking again adds nothing`() throws
    {
        try Workplace.with { place in
            try place.attachPictures()
            #expect(try Self.pack(place, "--originals").code == 0)
            try place.makeItems("new.store")
            let dryRun = try place.run("unpack", "-n", "a.lkpack.zip", "--into", "new.store")
            #expect(
                dryRun.code == 0 && dryRun.says("301 added, 3 attached files stored (dry run)"), "\(dryRun)")
            #expect(try place.run("unpack", "a.lkpack.zip", "--into", "new.store").code == 77)
            #expect(try place.run("collections", "new.store").lines.count == 1)
            let unpacked = try place.run("unpack", "--write", "a.lkpack.zip", "--into", "new.store")
            #expect(unpacked.code == 0 && unpacked.says("301 added, 3 attached files stored"), "\(unpacked)")
            let dumps = try ["photos.store", "new.store"].map { try place.run("dump", $0, "--only", "photos", "-q") }
            #expect(dumps[0].code == 0 && dumps[0].bytes == dumps[1].bytes)
            let again = try place.run("unpack", "--write", "a.lkpack.zip", "--into", "new.store")
            #expect(again.says("unpack: 301 unchanged"), "\(again)")
            let loaded = try place.shell(
                """
                python3 -c 'import zipfile; zipfile.ZipFile("a.lkpack.zip").extract("documents.lkd.jsonl")' &&
                lkrepl load --create loaded.store documents.lkd.jsonl --attachments-from photos.store &&
                lkrepl diff loaded.store photos.store
                """)
            #expect(loaded.code == 0, "\(loaded)")
        }
    }

    @Test func `Documents whose originals are missing are rows, and the exit code is 65`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.attachPicture()
            #expect(try Self.pack(place, "rating >= 3", "--renditions", "thumbnail").code == 0)
            try place.makeItems("new.store")
            let outcome = try place.run("unpack", "--write", "a.lkpack.zip", "--into", "new.store")
            #expect(outcome.code == 65 && outcome.lines.count == 1, "\(outcome)")
            #expect(outcome.says("1 document of a.lkpack.zip was not stored"), "\(outcome)")
            #expect(
                outcome.output.contains("2019-07-14-0031") && outcome.output.contains("a package with originals"),
                "\(outcome)")
            let get = try place.run("attach", "get", "a.lkpack.zip", "photos", "2019-07-14-0031", "original")
            #expect(get.code == 65 && get.says("package with originals"), "\(get)")
        }
    }

    @Test func `What cannot be packed or unpacked is refused with a reason, and no file appears`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            let mixed = try Self.pack(place, "--originals", "--strip-places")
            #expect(mixed.code == 64 && mixed.says("metadata of originals"), "\(mixed)")
            #expect(try Self.pack(place, "--renditions", "tiny").code == 64)
            #expect(try Self.pack(place, "rating >").code == 64)
            #expect(try Self.pack(place, "--since", "9999").code == 65)
            #expect(try place.run("pack", "photos.store", "photos").code == 64)
            #expect(!place.has("a.lkpack.zip"))
            #expect(try Self.pack(place).code == 0)
            let first = try place.read("a.lkpack.zip")
            let existing = try Self.pack(place, "--title", "Other")
            #expect(existing.code == 73 && existing.says("--force"), "\(existing)")
            #expect(try place.read("a.lkpack.zip") == first)
            #expect(try Self.pack(place, "--title", "Other", "--force").code == 0)
            #expect(try place.read("a.lkpack.zip") != first)

            var damaged = first
            damaged[damaged.count / 2] ^= 1
            try place.write(damaged, to: "damaged.lkpack.zip")
            for arguments in [
                ["verify", "damaged.lkpack.zip"],
                ["unpack", "--write", "damaged.lkpack.zip", "--into", "photos.store"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 65 && outcome.says("damaged"), "\(outcome)")
            }
            #expect(try place.run("unpack", "--write", "none.zip", "--into", "photos.store").code == 66)
            #expect(try place.run("unpack", "-n", "a.lkpack.zip", "--into", "photos.store", "--if", "x").code == 64)
            #expect(try place.run("unpack", "-n", "a.lkpack.zip").says("--into STORE"))
            #expect(try place.run("unpack", "-n", "photos.store", "a.lkpack.zip", "--into", "photos.store").code == 64)
            for command in [
                ["unpack", "-n", "photos.store", "a.lkpack.zip"], ["photos.store", "-c", "unpack -n a.lkpack.zip"],
            ] {
                let outcome = try place.run(command)
                #expect(outcome.code == 0 && outcome.says("unchanged"), "\(outcome)")
            }
        }
    }

    @Test func `A package stripped of places opens without place fields`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            #expect(try place.run("find", "photos.store", "photos", "gps.lat exists", "--count").output != "0\n")
            #expect(try Self.pack(place, "gps.lat exists", "--strip-places").code == 0)
            for field in ["gps", "place", "gps.lat", "place.city"] {
                let found = try place.run("find", "a.lkpack.zip", "photos", "\(field) exists", "--count")
                #expect(found.output == "0\n", "\(field): \(found)")
            }
            #expect(try !String(decoding: place.read("a.lkpack.zip"), as: UTF8.self).contains("\"lat\":"))
        }
    }

    @Test(.enabled(if: Installed.has("python3"), Installed.absence(of: "python3")))
    func `Other zip programs read a package, and find the same bytes`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            #expect(try Self.pack(place, "--originals", "--names").code == 0)
            try place.write(
                """
                import hashlib, json, zipfile
                zip = zipfile.ZipFile("a.lkpack.zip")
                assert zip.testzip() is None
                names = [entry.filename for entry in zip.infolist()]
                files = json.loads(zip.read("package.json"))["files"]
                assert names == [file["name"] for file in files] + ["package.json"]
                for file in files:
                    assert hashlib.sha256(zip.read(file["name"])).hexdigest() == file["sha256"]
                assert all(entry.date_time[:3] == (1980, 1, 1) and entry.compress_type == 0 for entry in zip.infolist())
                assert b"Content-Security-Policy" in zip.read("index.html")
                assert any(name.startswith("pictures/0001 ") for name in names)
                """, to: "check.py")
            let outcome = try place.shell("python3 check.py")
            #expect(outcome.code == 0, "\(outcome)")
        }
    }

    @Test func `On a full disk, no package appears, and an older one stays`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            #expect(try Self.pack(place, "rating = 5").code == 0)
            let old = try place.read("a.lkpack.zip")
            // No file may exceed 64 KiB; some shells count in half KiB.
            for name in ["a.lkpack.zip", "b.lkpack.zip"] {
                let outcome = try place.shell(
                    "ulimit -f 64; lkrepl pack photos.store photos --originals --force -o \(name)")
                #expect(outcome.code != 0, "\(outcome)")
            }
            #expect(try place.read("a.lkpack.zip") == old)
            #expect(!place.has("b.lkpack.zip"))
        }
    }

    @Test func `Commands for the files of a database say that a package has none, and stats describes it`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            #expect(try Self.pack(place, "rating >= 3", "--originals", "--names").code == 0)
            for command in [
                ["manifest", "%"], ["manifest", "%", "5"], ["levels", "%"], ["levels", "%", "--tables"], ["sst", "%"],
                ["sst", "%", "5"], ["wal", "%"], ["wal", "%", "5"], ["versions", "%", "a"],
            ] {
                let outcome = try place.run(command.map { $0 == "%" ? "a.lkpack.zip" : $0 })
                #expect(
                    outcome.code == 64 && outcome.output.isEmpty && outcome.says("a.lkpack.zip is a package")
                        && outcome.says("stats describes it"), "\(command): \(outcome)")
            }
            let stats = try place.run("stats", "a.lkpack.zip")
            let count = try place.run("count", "photos.store", "photos", "rating >= 3").output.dropLast()
            let size = try place.read("a.lkpack.zip").count
            for row in [
                #"{"what":"bytes of the package","value":\#(size)}"#, #"{"what":"title","value":"photos"}"#,
                #"{"what":"documents in photos","value":\#(count)}"#, #"{"what":"originals","value":3}"#,
                #"{"what":"condition","value":"rating >= 3"}"#, #"{"what":"renditions","value":2}"#,
                #"{"what":"pictures under names","value":1}"#, #"{"what":"places removed","value":false}"#,
            ] { #expect(stats.lines.contains(row), "\(row): \(stats)") }
            #expect(stats.code == 0 && !stats.output.contains("tables"), "\(stats)")
            // Keys are those of the opened documents.
            #expect(try place.run("keys", "a.lkpack.zip", "--limit", "1").lines.count == 1)
        }
    }

    @Test func `Renditions that every package makes again are counted, with the command that keeps them`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            let few = try Self.pack(place)
            #expect(few.code == 0 && !few.says("renditions make keeps"), "\(few)")
            let picture = try place.read("good.jpg")
            for number in 0..<12 { try place.write(picture + [UInt8(number)], to: "made-\(number).jpg") }
            let added = try place.shell(
                "lkrepl attach add --write photos.store photos 2021-02-13-0016 'files[]' made-*.jpg")
            try #require(added.code == 0, "\(added)")
            let note = """
                pack: 26 renditions were made for this package only; renditions make keeps them for the next one
                """
            #expect(try Self.pack(place, "--force").says(note))
            #expect(try Self.pack(place, "--force").says(note))
            #expect(try place.run("renditions", "make", "--write", "photos.store").says("26 made"))
            let stored = try Self.pack(place, "--force")
            #expect(stored.code == 0 && stored.says("26 renditions"), "\(stored)")
            #expect(!stored.says("for this package only"), "\(stored)")
        }
    }

    @Test func `Changed documents that do not satisfy the condition are counted, and named with -v`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let note = try place.run("pack", "photos.store", "photos", "-o", "all.lkpack.zip").error
            let since = try #require(note.matches(of: /--since (\d+)/).first.map { String($0.output.1) })
            for id in ["2019-07-14-0031", "2021-02-13-0016"] {
                let change = ["WHERE", "id = '\(id)'", "SET", "rating = 1"]
                let outcome = try place.run(["update", "--write", "--yes", "photos.store", "photos"] + change)
                try #require(outcome.code == 0, "\(outcome)")
            }
            let packed = try Self.pack(place, "rating >= 3", "--since", since)
            #expect(packed.code == 0 && packed.says("pack: 0 documents"), "\(packed)")
            #expect(
                packed.says("2 changed documents are left out, because they do not satisfy the condition; -v names"),
                "\(packed)")
            let named = try Self.pack(place, "rating >= 3", "--since", since, "--force", "-v")
            #expect(named.says("left out: 2019-07-14-0031, 2021-02-13-0016"), "\(named)")
            #expect(try !Self.pack(place, "rating = 1", "--since", since, "--force").says("left out"))
        }
    }

    @Test func `Documents that a unique index refuses are rows, even in a dry run, and all others are stored`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            #expect(try Self.pack(place, "rating >= 3", "--originals").code == 0)
            let schema = #"{"collections":{"photos":{"indexes":{"one":{"fields":["rating"],"unique":true}}}}}"#
            try place.write(schema, to: "one.json")
            #expect(try place.run("init", "new.store", "--schema", "one.json").code == 0)
            let dryRun = try place.run("unpack", "-n", "a.lkpack.zip", "--into", "new.store")
            #expect(dryRun.code == 65 && dryRun.says("3 added"), "\(dryRun)")
            #expect(dryRun.output.contains("the unique index one"), "\(dryRun)")
            #expect(try place.run("count", "new.store", "photos").output == "0\n")
            let unpacked = try place.run("unpack", "--write", "a.lkpack.zip", "--into", "new.store")
            #expect(unpacked.code == 65 && unpacked.output == dryRun.output, "\(unpacked)")
            #expect(try place.run("count", "new.store", "photos").output == "3\n")
        }
    }

    /// Before the list of files was read one by one, this took a gigabyte.
    @Test(.enabled(if: !Sanitizer.isPresent, "a sanitizer reserves more address space"))
    func `A large description of something else is refused with little memory`() throws {
        #if os(Linux)
            try Workplace.with { place in
                let many = String(repeating: "0,", count: 15_500_000)
                for (name, text) in [
                    ("member", "{\"lkpackage\":1,\"x\":[\(many)0],\"files\":[]}"),
                    ("list", "{\"lkpackage\":1,\"files\":[\(many)0]}"),
                ] {
                    try place.write(ForgedDescription.package(Array(text.utf8)), to: "\(name).zip")
                    let outcome = try place.shell("ulimit -v 400000; lkrepl find \(name).zip photos")
                    #expect(outcome.code == 65 && outcome.says("package.json is malformed"), "\(outcome)")
                }
            }
        #endif
    }

    @Test func `A package whose writer is killed appears whole or not at all`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            let start = ContinuousClock.now
            #expect(try Self.pack(place, "--originals").code == 0)
            let duration = ContinuousClock.now - start
            let whole = try place.read("a.lkpack.zip")
            var random = TestRun.random(stream: 61)
            for round in 0..<TestRun.rounds(20, long: 100) {
                let name = "killed-\(round).lkpack.zip"
                let child = try place.start(
                    ["pack", "photos.store", "photos", "--originals", "-o", name], name: "run-\(round)")
                usleep(UInt32(duration / .microseconds(1) * Double.random(in: 0..<1, using: &random)))
                try child.kill()
                if place.has(name) { #expect(try place.read(name) == whole, "\(TestRun.repetition)") }
            }
        }
    }
}

/// Packages with any description.
private enum ForgedDescription {
    final class Sink {
        var bytes: [UInt8] = []
    }

    static func package(_ description: [UInt8]) throws -> [UInt8] {
        let sink = Sink()
        var zip = ZipWriter { sink.bytes += $0 }
        for (name, content) in [(EntryName.documents, [0x0a]), (.gallery, [0x0a]), (.manifest, description)] {
            try zip.write(content, named: name.path)
        }
        try zip.finish()
        return sink.bytes
    }
}
