import DocIndex
import Foundation
import TestSupport
import Testing

@testable import lkrepl

/// Repeated imports of pictures. The files are not real pictures, but exiftool still reports their sizes and times.
@Suite(.enabled(if: Installed.has("exiftool"), Installed.absence(of: "exiftool")))
struct `Repeated picture imports` {
    private static let schema = #"{"collections": {"files": {"id": "SourceFile"}}}"#

    private static func with(_ body: (Workplace, _ root: String) throws -> Void) throws {
        try Workplace.with { place in
            try place.write(schema, to: "schema.json")
            try #require(try place.run("init", "mine.store", "--schema", "schema.json").code == 0)
            let made = try place.shell(
                "mkdir -p wb/sub; for n in 1 2 3; do echo $n > wb/$n.jpg; done; echo 4 > wb/sub/4.png; "
                    + "touch -d 2020-01-02T03:04:05Z wb/*.jpg wb/sub/4.png")
            try #require(made.code == 0, "\(made)")
            let root = try place.shell("cd wb && pwd -P").lines.first ?? ""
            try body(place, root)
        }
    }

    private static func run(_ place: Workplace, _ directory: String, _ options: String...) throws -> Outcome {
        try place.run(["import", "--write", "mine.store", "files", "--photos", directory] + options)
    }

    private static func rating(_ place: Workplace, _ id: String) throws -> String {
        try place.run("find", "mine.store", "files", "SourceFile = \"\(id)\"", "--fields", "rating").output
    }

    @Test func `A repeated import keeps edits, and reads only changed pictures`() throws {
        try Self.with { place, root in
            let first = try Self.run(place, "wb")
            #expect(first.code == 0 && first.says("read 4 inserted 4"), "\(first)")
            let id = root + "/1.jpg"
            #expect(try place.run("doc", "patch", "--write", "mine.store", "files", id, #"{"rating":5}"#).code == 0)
            let before = try place.dump("mine.store")
            // Nothing has changed, however the directory is spelled, so exiftool is not run.
            for directory in ["wb", "./wb/", root, "wb/sub/.."] {
                let again = try place.run(
                    ["import", "--write", "mine.store", "files", "--photos", directory],
                    environment: ["PATH": "/nowhere"])
                #expect(
                    again.code == 0 && again.says("read 4 inserted 0 replaced 0 skipped 4"), "\(directory): \(again)")
                #expect(try place.dump("mine.store") == before, "\(directory)")
            }
            // A changed picture is read, and keeps its rating.
            #expect(try place.shell("echo longer > wb/1.jpg; touch wb/2.jpg").code == 0)
            let changed = try Self.run(place, "wb")
            #expect(changed.code == 0 && changed.says("merged 2 skipped 2"), "\(changed)")
            #expect(try Self.rating(place, id) == "{\"rating\":5}\n")
            let size = try place.run("find", "mine.store", "files", "System:FileSize = 7", "--count")
            #expect(size.output == "1\n", "\(size)")
            // All of them again, overwritten.
            let replaced = try Self.run(place, "wb", "--mode", "upsert")
            #expect(replaced.code == 0 && replaced.says("replaced 4"), "\(replaced)")
            #expect(try Self.rating(place, id) == "{}\n")
        }
    }

    @Test func `A file that is not a picture is stored with its file metadata, and a note`() throws {
        try Self.with { place, root in
            #expect(try place.shell("rm wb/*.jpg; : > wb/empty.jpg").code == 0)
            let imported = try Self.run(place, "wb")
            #expect(imported.code == 0 && imported.says("read 2 inserted 2"), "\(imported)")
            #expect(imported.says("exiftool could not read \(root)/empty.jpg: File is empty"), "\(imported)")
            #expect(!imported.says("4.png"), "it is readable as text: \(imported)")
            #expect(try place.run("find", "mine.store", "files", "System:FileSize = 0", "--count").output == "1\n")
        }
    }

    @Test func `A repeated import finds pictures by the IDs that earlier versions assigned`() throws {
        try Self.with { place, root in
            for id in ["wb/1.jpg", "./wb/2.jpg", root + "/3.jpg"] {
                let document = "{\"SourceFile\":\"\(id)\",\"rating\":3}"
                #expect(try place.run("doc", "put", "--write", "mine.store", "files", document).code == 0)
            }
            let imported = try Self.run(place, root)
            #expect(imported.code == 0 && imported.says("read 4 inserted 1 replaced 0 merged 3"), "\(imported)")
            #expect(try place.run("find", "mine.store", "files", "--count").output == "4\n")
            #expect(try place.run("find", "mine.store", "files", "rating = 3", "--count").output == "3\n")
            #expect(try Self.run(place, "wb").says("skipped 4"))
        }
    }

    @Test func `Documents of deleted pictures are pruned only on request`() throws {
        try Self.with { place, root in
            #expect(try Self.run(place, "wb").code == 0)
            #expect(
                try place.run("doc", "put", "--write", "mine.store", "files", #"{"SourceFile":"elsewhere/1.jpg"}"#).code
                    == 0)
            #expect(try place.shell("rm wb/1.jpg wb/sub/4.png").code == 0)
            #expect(try Self.run(place, "wb").code == 0)
            let dryRun = try Self.run(place, "wb", "--prune", "--dry-run", "-v")
            #expect(dryRun.code == 0 && dryRun.says("deleted 2"), "\(dryRun)")
            #expect(dryRun.says("pruned \(root)/1.jpg"), "\(dryRun)")
            #expect(try place.run("find", "mine.store", "files", "--count").output == "5\n")
            let pruned = try Self.run(place, "wb", "--prune")
            #expect(pruned.code == 0 && pruned.says("deleted 2"), "\(pruned)")
            #expect(try place.run("find", "mine.store", "files", "--count").output == "3\n")
            // A directory that is empty or missing may be the mount point of a disk that is not mounted.
            #expect(try place.shell("mv wb away; mkdir wb").code == 0)
            let empty = try Self.run(place, "wb", "--prune")
            #expect(empty.code == 66 && empty.says("nothing is pruned"), "\(empty)")
            #expect(try place.shell("rmdir wb").code == 0)
            #expect(try Self.run(place, "wb", "--prune").code == 66)
            #expect(try place.run("find", "mine.store", "files", "--count").output == "3\n")
        }
    }

    @Test func `A link out of the directory is skipped, and one within it is not`() throws {
        try Self.with { place, _ in
            let linked = try place.shell(
                "echo secret > outside; mkdir other; echo 9 > other/9.jpg; ln -s ../outside wb/link.jpg; "
                    + "ln -s \"$PWD/other/9.jpg\" wb/sub/9.jpg; ln -s sub/4.png wb/within.png")
            try #require(linked.code == 0, "\(linked)")
            let told = try Self.run(place, "wb", "--attach", "original", "-v")
            #expect(told.code == 0 && told.says("read 4 inserted 4"), "\(told)")
            #expect(told.says("2 links out of the directory") && told.says("other/9.jpg"), "\(told)")
            #expect(try place.run("attach", "list", "mine.store").lines.count == 4)
        }
    }

    @Test func `Importing a picture never replaces an existing member value`() throws {
        try Self.with { place, root in
            try #require(try Self.run(place, "wb").code == 0)
            let id = root + "/2.jpg"
            try #require(
                try place.run("doc", "patch", "--write", "mine.store", "files", id, #"{"caption":"Fog"}"#).code == 0)
            let refused = try Self.run(place, "wb", "--attach", "original", "--attach-as", "caption")
            #expect(refused.code == 65 && refused.says("2.jpg of files: the member caption has a value"), "\(refused)")
            let kept = try place.run("doc", "get", "mine.store", "files", id)
            #expect(kept.output.contains(#""caption":"Fog""#), "\(kept)")
            #expect(try Self.run(place, "wb", "--attach", "original").code == 0)
            // A name, not a path.
            let path = try Self.run(place, "wb", "--attach", "original", "--attach-as", "pics.big")
            #expect(path.code == 64 && path.says("--attach-as"), "\(path)")
            // A directory without pictures.
            try #require(try place.shell("mkdir none").code == 0)
            let none = try Self.run(place, "none")
            #expect(none.code == 0 && none.says("contains no pictures"), "\(none)")
        }
    }

    @Test func `An import reports the number of skipped files, and their names on request`() throws {
        try Self.with { place, _ in
            #expect(
                try place.shell(
                    "touch wb/a.txt wb/b.txt wb/c.pdf wb/README wb/.hidden; ln -s sub wb/link; ln -s x wb/dead.jpg"
                )
                .code == 0)
            let told = try Self.run(place, "wb")
            #expect(
                told.says(
                    "skipped 7 other files: 2 txt, 1 hidden, 1 links to directories, 1 links to "
                        + "nothing, 1 pdf, 1 without ending; -v lists them"), "\(told)")
            #expect(!told.says("a.txt"))
            let listed = try Self.run(place, "wb", "-v")
            for name in ["a.txt", "b.txt", "c.pdf", "README", ".hidden", "link", "dead.jpg"] {
                #expect(listed.says("wb/\(name)"), "\(listed)")
            }
        }
    }
}

/// Pictures with defects, reported by a program in place of exiftool.
@Suite struct `Pictures in a directory` {
    @Test func `Pictures of cameras, phones and other programs are listed, whatever the case of their names`() throws {
        try withTemporaryDirectory { directory in
            let names = [
                "a.3gp", "b.JPF", "c.ppm", "d.ico", "e.eps", "f.HEIC", "g.cr3", "h.CR2", "i.nef", "j.arw", "k.dng",
                "l.raf", "m.jxl", "n.avif", "o.webp", "p.tif", "q.mov", "r.MP4",
            ]
            for name in names { try TestFiles.write([1], to: directory + "/" + name) }
            let listing = try PictureFiles.list(in: directory)
            #expect(listing.files.compactMap { $0.path.split(separator: "/").last.map(String.init) } == names)
            #expect(listing.skippedText == nil)
        }
    }

    @Test func `Sidecars beside their pictures are skipped, and others are listed`() throws {
        try withTemporaryDirectory { directory in
            for name in ["a.JPG", "a.xmp", "b.jpg", "b.jpg.XMP", "c.xmp", "d.txt", ".e.jpg"] {
                try TestFiles.write([1], to: directory + "/" + name)
            }
            let listing = try PictureFiles.list(in: directory)
            let names = listing.files.compactMap { $0.path.split(separator: "/").last.map(String.init) }
            #expect(names == ["a.JPG", "b.jpg", "c.xmp"])
            #expect(listing.skippedText == "2 sidecars of pictures, 1 hidden, 1 txt")
        }
    }
}

@Suite(.waitsForPrograms) struct `Pictures with unreadable tags` {
    @Test func `A picture is imported without its unreadable tag, which is named`() throws {
        try Workplace.with { place in
            try place.makeItems()
            try place.write(#"{"collections": {"files": {"id": "SourceFile"}}}"#, to: "schema.json")
            #expect(try place.run("init", "mine.store", "--schema", "schema.json").code == 0)
            #expect(try place.shell("mkdir wb bin; : > wb/a.jpg; : > wb/b.jpg; : > wb/c.jpg").code == 0)
            let root = try place.shell("cd wb && pwd -P").lines.first ?? ""
            var printed = Array("[{\"SourceFile\":\"\(root)/a.jpg\",\"XMP:Go\":1,\"XMP:B".utf8)
            printed += [0xff] + Array("d\":{\"x\":[1,\"]}\"]},\"IFD0:Make\":\"Canon\",\"XMP:Go\":2},\n".utf8)
            printed += Array("{\"SourceFile\":\"\(root)/b.jpg\",\"IFD0:Make\":\"Nikon\"}]\n".utf8)
            try place.write(printed, to: "printed.json")
            try place.writeProgram("#!/bin/sh\ncat > /dev/null\ncat '\(place.path)/printed.json'\n", to: "bin/exiftool")
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let outcome = try place.run(
                ["import", "--write", "mine.store", "files", "--photos", "wb"],
                environment: ["PATH": place.path + "/bin:" + path])
            #expect(outcome.code == 0 && outcome.says("inserted 2"), "\(outcome)")
            #expect(outcome.says("a.jpg: ignored the unreadable tag \"XMP:B\\xffd\""), "\(outcome)")
            #expect(outcome.says("a.jpg: ignored the unreadable tag XMP:Go"), "\(outcome)")
            #expect(
                outcome.says("c.jpg: exiftool returned no data") && !outcome.says("a.jpg: exiftool"), "\(outcome)")
            let found = try place.run("find", "mine.store", "files")
            #expect(
                found.lines == [
                    "{\"SourceFile\":\"\(root)/a.jpg\",\"XMP:Go\":1,\"IFD0:Make\":\"Canon\"}",
                    "{\"SourceFile\":\"\(root)/b.jpg\",\"IFD0:Make\":\"Nikon\"}",
                ], "\(found)")
        }
    }
}

@Suite(.enabled(if: Installed.has("exiftool"), Installed.absence(of: "exiftool")))
struct `Killed picture imports` {
    /// Early in a long import, some documents are stored; edits are kept, and the same command completes the import.
    @Test func `A killed picture import keeps what it has read, and earlier edits`() throws {
        let environment = ProcessInfo.processInfo.environment
        let isLong = environment["LEVELKIT_TEST_LONG"] == "1"
        let seed = environment["LEVELKIT_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 32)
        var generator = SplitMix64(seed: seed)
        try Workplace.with { place in
            try place.write(#"{"collections": {"files": {"id": "SourceFile"}}}"#, to: "schema.json")
            let made = try place.shell(
                "mkdir wb; i=100; while [ $i -lt 280 ]; do echo $i > wb/$i.jpg; i=$((i+1)); done; touch -d 2020-01-02 wb/*"
            )
            try #require(made.code == 0, "\(made)")
            let root = try place.shell("cd wb && pwd -P").lines.first ?? ""
            try #require(try place.run("init", "empty.store", "--schema", "schema.json").code == 0)
            let edited = "{\"SourceFile\":\"\(root)/279.jpg\",\"rating\":5}"
            try #require(try place.run("doc", "put", "--write", "empty.store", "files", edited).code == 0)
            let arguments = ["import", "--write", "mine.store", "files", "--photos", "wb"]
            func renew() throws { _ = try place.shell("rm -rf mine.store; cp -r empty.store mine.store") }
            try renew()
            let start = ContinuousClock.now
            #expect(try place.run(arguments).code == 0)
            let duration = (ContinuousClock.now - start) / .microseconds(1)
            // Reading a file changes its access time.
            func documents() throws -> [String] {
                let found = try place.run("find", "mine.store", "files", "--sort", "SourceFile")
                #expect(found.code == 0, "seed \(seed): \(found)")
                return try found.lines.map { line in
                    guard case .object(var object) = try DocumentValue(json: line) else { return line }
                    object["System:FileAccessDate"] = nil
                    return "\(object)"
                }
            }
            let whole = try documents()
            var counts: [Int] = []
            for round in 0..<(isLong ? 200 : 12) {
                try renew()
                let child = try place.start(
                    "import", "--write", "mine.store", "files", "--photos", "wb", name: "child")
                usleep(UInt32(duration * Double.random(in: 0.05..<1, using: &generator)))
                try child.kill()
                let found = try documents()
                // Each document is either complete or the earlier one.
                let strange = Set(found).subtracting(whole).filter { $0 != edited }
                #expect(strange.isEmpty, "seed \(seed), round \(round): \(strange)")
                counts.append(found.count)
                if isLong || round % 4 == 0 {
                    let again = try place.run(arguments)
                    #expect(again.code == 0, "seed \(seed), round \(round): \(again)")
                    let ended = try documents()
                    #expect(ended == whole, "seed \(seed), round \(round)")
                    #expect(try place.run("verify", "mine.store").code == 0, "seed \(seed), round \(round)")
                }
                #expect(try !place.names().contains { $0.contains(".loading-") }, "seed \(seed), round \(round)")
            }
            #expect(counts.contains { $0 > 1 && $0 < 180 }, "seed \(seed): \(counts)")
            if isLong { print("kills during an import of 180 pictures: \(counts.sorted())") }
        }
    }
}
