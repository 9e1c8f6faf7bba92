import Foundation
import TestSupport
import Testing

@testable import lkrepl

/// Imports of real pictures with `--attach original`.
@Suite(
    .enabled(if: Installed.has("exiftool"), Installed.absence(of: "exiftool")),
    .enabled(if: SharedTestData.has("photos"), "the pictures in ../shared/data/photos are not there"))
struct `Attached pictures` {
    static let schema = #"{"collections": {"files": {"id": "SourceFile"}}}"#

    /// Copies the pictures to `wb` and creates `mine.store`.
    static func prepare(_ place: Workplace) throws {
        try place.write(schema, to: "schema.json")
        let made = try place.shell(
            "cp -r '\(SharedTestData.path(of: "photos"))' wb && lkrepl init mine.store --schema schema.json")
        try #require(made.code == 0, "\(made)")
    }

    static func importing(_ place: Workplace, _ options: String...) throws -> Outcome {
        try place.run(["import", "--write", "mine.store", "files", "--photos", "wb", "--attach", "original"] + options)
    }

    /// The digests of the files in a directory, sorted.
    static func digests(_ place: Workplace, _ directory: String) throws -> [String] {
        let outcome = try place.shell("cat \(directory)/* > /dev/null && sha256sum \(directory)/* | cut -c1-64 | sort")
        try #require(outcome.code == 0, "\(outcome)")
        return outcome.lines
    }

    @Test func `Pictures come back byte for byte after import, dump, load and export`() throws {
        try Workplace.with { place in
            try Self.prepare(place)
            let first = try Self.importing(place)
            #expect(first.code == 0 && first.says("read 36 inserted 36"), "\(first)")
            let digests = try Self.digests(place, "wb")
            #expect(digests.count == 36)
            let dump = try place.dump("mine.store")
            let loaded = try place.run(["load", "--create", "copy.store", "-"], input: dump)
            #expect(loaded.code == 0, "\(loaded)")
            #expect(try place.dump("copy.store") == dump)
            #expect(try place.run("diff", "mine.store", "copy.store").code == 0)
            let exported = try place.run("export", "copy.store", "files", "--attachments", "out", "-o", "docs.jsonl")
            #expect(exported.code == 0 && exported.says("36 attached files"), "\(exported)")
            #expect(try Self.digests(place, "out") == digests)
            #expect(try place.names(in: "out") == place.names(in: "wb"))
            #expect(try place.run("verify", "mine.store", "--full").says("36 files attached"))
        }
    }

    @Test func `The same pictures again change nothing, and a changed one replaces the reference`() throws {
        try Workplace.with { place in
            try Self.prepare(place)
            // An import of metadata alone, to which the pictures are added later.
            #expect(try place.run("import", "--write", "mine.store", "files", "--photos", "wb").code == 0)
            #expect(try place.run("attach", "list", "mine.store").lines.isEmpty)
            let added = try Self.importing(place)
            #expect(added.code == 0 && added.says("inserted 0 replaced 0 merged 36"), "\(added)")
            let dump = try place.dump("mine.store")
            #expect(try Self.importing(place).says("read 36 inserted 0 replaced 0 skipped 36"))
            #expect(try Self.importing(place, "--mode", "upsert").says("replaced 36"))
            #expect(try place.dump("mine.store") == dump)
            #expect(try place.run("attach", "list", "mine.store").lines.count == 36)
            // A longer picture, and one with the same content under another name.
            let changed = try place.shell("printf x >> 'wb/Issue 80.jpg'; cp 'wb/Issue 125.jpg' wb/copy.jpg")
            #expect(changed.code == 0, "\(changed)")
            let again = try Self.importing(place)
            #expect(again.code == 0 && again.says("inserted 1 replaced 0 merged 1 skipped 35"), "\(again)")
            let list = try place.run("attach", "list", "mine.store")
            #expect(list.lines.count == 37 && list.lines.count { $0.contains(#""references":0"#) } == 1, "\(list)")
            #expect(list.lines.count { $0.contains(#""references":2"#) } == 1, "\(list)")
            #expect(try place.run("import", "--write", "mine.store", "files", "--photos", "wb").says("skipped 37"))
        }
    }

    @Test func `The same pictures again restore a lost file, and keep what people added to the documents`() throws {
        try Workplace.with { place in
            try Self.prepare(place)
            #expect(try Self.importing(place).code == 0)
            let marked = [
                "update", "--write", "--yes", "mine.store", "files", "--all-documents", "--set", "client = Ann",
            ]
            #expect(try place.run(marked).code == 0)
            let removed = try place.shell("rm $(find mine.store/attachments -type f -size +20k | head -n 1)")
            try #require(removed.code == 0, "\(removed)")
            #expect(try place.run("attach", "verify", "mine.store").code == 65)
            let again = try Self.importing(place)
            #expect(again.code == 0 && again.says("read 36 inserted 0 replaced 0"), "\(again)")
            #expect(try place.run("verify", "mine.store", "--full").says("36 files attached"))
            #expect(try place.run("count", "mine.store", "files", "client = Ann").output == "36\n")
        }
    }

    @Test func `Pruning keeps what people added to a renamed picture, and deletes documents without additions`() throws
    {
        try Workplace.with { place in
            try Self.prepare(place)
            #expect(try Self.importing(place).code == 0)
            let first = try #require(try place.run("find", "mine.store", "files", "--ids", "--limit", "1").lines.first)
            let rated = try place.run(
                "doc", "patch", "--write", "mine.store", "files", first, #"{"rating": 5}"#)
            #expect(rated.code == 0, "\(rated)")
            let moved = try place.shell(
                "mv '\(first)' wb/renamed.jpg && set -- wb/I*.jpg && rm \"$1\" && cp \"$2\" wb/copy.jpg")
            try #require(moved.code == 0, "\(moved)")
            let pruned = try Self.importing(place, "--prune", "-v")
            #expect(pruned.code == 0 && pruned.says("deleted 1"), "\(pruned)")
            #expect(pruned.says("kept 1 document of renamed pictures") && pruned.says("wb/renamed.jpg"), "\(pruned)")
            // A copy without additions is deleted, and what was kept is kept again.
            try place.remove("wb/copy.jpg")
            let again = try Self.importing(place, "--prune")
            #expect(again.code == 0 && again.says("deleted 1") && again.says("kept 1"), "\(again)")
            #expect(try place.run("count", "mine.store", "files", "rating = 5").output == "1\n")
        }
    }

    #if os(Linux)
        @Test func `Pictures whose names differ in their Unicode form alone are both imported`() throws {
            try Workplace.with { place in
                try place.write(Self.schema, to: "schema.json")
                let made = try place.shell(
                    """
                    mkdir wb && set -- '\(SharedTestData.path(of: "photos"))'/*.jpg &&
                    cp "$1" wb/$(printf 'caf\\303\\251.jpg') && cp "$2" wb/$(printf 'cafe\\314\\201.jpg') &&
                    lkrepl init mine.store --schema schema.json
                    """)
                try #require(made.code == 0, "\(made)")
                let imported = try Self.importing(place)
                #expect(imported.code == 0 && imported.says("read 2 inserted 2"), "\(imported)")
                #expect(try Self.importing(place).says("skipped 2"))
            }
        }
    #endif

    @Test func `Pictures can be attached under another member, and a dry run attaches none`() throws {
        try Workplace.with { place in
            try Self.prepare(place)
            #expect(try Self.importing(place, "--dry-run").says("would have read 36 inserted 36"))
            #expect(!place.has("mine.store/attachments"))
            #expect(try Self.importing(place, "--attach-as", "picture", "-q").code == 0)
            let found = try place.run("count", "mine.store", "files", "picture.type = \"image/jpeg\"")
            #expect(found.output == "36\n", "\(found)")
            #expect(try Self.importing(place, "--attach-as", "SourceFile").code == 64)
        }
    }
}

/// Kills during imports and loads of attached files.
@Suite(
    .enabled(if: Installed.has("exiftool"), Installed.absence(of: "exiftool")),
    .enabled(if: SharedTestData.has("photos"), "the pictures in ../shared/data/photos are not there"))
struct `Killed work with attached files` {
    private static let isLong = ProcessInfo.processInfo.environment["LEVELKIT_TEST_LONG"] == "1"
    private static let seed =
        ProcessInfo.processInfo.environment["LEVELKIT_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 32)

    /// Runs a command on new copies of a store, kills it at random moments, and runs it again.
    ///
    /// - Parameter whole: returns what must be the same as after an undisturbed run.
    private static func kill(
        _ place: Workplace, _ arguments: (_ store: String) -> [String], again: [String], _ duration: Duration,
        whole: (_ store: String) throws -> [UInt8]
    ) throws {
        let expected = try whole("mine.store")
        var generator = SplitMix64(seed: seed)
        for round in 0..<(isLong ? 200 : 5) {
            let store = "killed-\(round).store"
            try #require(try place.run("init", store, "--schema", "schema.json").code == 0)
            let child = try ChildProcess(
                Binary.path, arguments(store).map { Array($0.utf8) }, in: place.path, input: .file("/dev/null"),
                output: .file("\(place.path)/killed-out"), error: .file("\(place.path)/killed-err"))
            usleep(UInt32(duration / .microseconds(1) * Double.random(in: 0..<1, using: &generator)))
            try child.kill()
            // Every reference that was stored has its content, and what was added without one is no problem.
            let check = try place.run("verify", store, "--full")
            #expect(check.code == 0, "seed \(seed), round \(round): \(check)")
            // The kill may have come after the last commit, when nothing is left to resume.
            if try whole(store) != expected {
                let restarted = try place.run(arguments(store) + again)
                #expect(restarted.code == 0, "seed \(seed), round \(round): \(restarted)")
                #expect(try whole(store) == expected, "seed \(seed), round \(round)")
            }
            let swept = try place.run("attach", "gc", "--write", "--yes", store, "--older", "0")
            #expect(swept.code == 0, "seed \(seed), round \(round): \(swept)")
            #expect(try place.names(in: "\(store)/attachments/new").isEmpty, "seed \(seed), round \(round)")
            #expect(try place.run("verify", store, "--full").code == 0, "seed \(seed), round \(round)")
            try place.remove(store)
        }
    }

    @Test func `A killed import of pictures keeps whole references, and ends when it is run again`() throws {
        try Workplace.with(isVerified: false) { place in
            try `Attached pictures`.prepare(place)
            let start = ContinuousClock.now
            try #require(try `Attached pictures`.importing(place).code == 0)
            let duration = ContinuousClock.now - start
            try Self.kill(
                place, { ["import", "--write", $0, "files", "--photos", "wb", "--attach", "original"] }, again: [],
                duration
            ) { store in
                // exiftool's metadata contains the time of its access to the picture.
                try place.run("attach", "list", store, "files").bytes
            }
        }
    }

    @Test func `A load of attached files that is killed leaves no broken reference, and can be resumed`() throws {
        try Workplace.with(isVerified: false) { place in
            try `Attached pictures`.prepare(place)
            try #require(try `Attached pictures`.importing(place).code == 0)
            let whole = try place.dump("mine.store")
            try place.write(whole, to: "whole.lkd")
            try #require(try place.run("init", "first.store", "--schema", "schema.json").code == 0)
            let arguments = ["whole.lkd", "--batch", "3", "--mode", "insert"]
            let start = ContinuousClock.now
            try #require(try place.run(["load", "--write", "first.store"] + arguments).code == 0)
            let duration = ContinuousClock.now - start
            try Self.kill(place, { ["load", "--write", $0] + arguments }, again: ["--resume"], duration) { store in
                try place.dump(store)
            }
        }
    }
}
