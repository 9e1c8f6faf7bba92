import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Dry runs` {
    @Test func `A dry run reports what would be done, needs no --write, and changes nothing`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.makeDatabase()
            #expect(try place.run("put", "--write", "app.db", "a", "1").code == 0)
            let before = (try place.run("digest", "photos.store").output, try place.run("digest", "app.db").output)
            let id = try #require(
                try place.run("find", "photos.store", "photos", "--ids", "--limit", "1", "--mode", "keys").lines.first)

            let keys = try place.run("del", "-n", "app.db", "a", "none")
            #expect(keys.code == 1 && keys.says("del: would delete 1 of 2: a\n"), "\(keys)")
            #expect(keys.says("there is no key none in app.db"), "\(keys)")
            #expect(try place.run("del", "app.db", "a").code == 77)
            let documents = try place.run("doc", "del", "-n", "photos.store", "photos", id)
            #expect(documents.code == 0 && documents.error == "doc del: would delete 1 of 1 document\n", "\(documents)")
            let patch = try place.run(
                "doc", "patch", "-n", "photos.store", "photos", id, "{\"rating\": 1, \"title\": null}")
            #expect(
                patch.code == 0 && patch.output.contains("\"rating\":1") && !patch.output.contains("\"title\""),
                "\(patch)")
            #expect(try place.run("doc", "patch", "-n", "photos.store", "photos", "none", "{}").code == 1)
            let after = (try place.run("digest", "photos.store").output, try place.run("digest", "app.db").output)
            #expect(before == after)
        }
    }

    @Test func `Deleting a missing key writes nothing`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            #expect(try place.run("del", "--write", "app.db", "none").code == 1)
            #expect(try place.run("versions", "app.db", "none").code == 1)
        }
    }

    @Test func `Usage errors have the format of all failures, with the command and a remedy`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for (arguments, code, parts) in [
                (
                    ["find", "photos.store", "photos", "--bogus"], 64,
                    ["lkrepl: find: Unknown option '--bogus'", "lkrepl find --help"]
                ),
                (["scan", "photos.store", "--limit", "-1"], 64, ["lkrepl: scan: --limit must be 0 or more"]),
                (["find", "photos.store", "photos", "--skip", "--limit"], 64, ["'--limit' is invalid for '--skip"]),
                (["get", "none.db", "a"], 66, ["no database at", "hint: check the path"]),
                (["find", "photos.store", "photos", "title *= a", "--no-scan"], 64, ["omit --no-scan"]),
                (["photos.store", "-c", "find photos --bogus"], 64, ["lkrepl: -c:1: find: Unknown option"]),
            ] as [([String], Int32, [String])] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == code && outcome.output == "", "\(arguments): \(outcome)")
                for part in parts { #expect(outcome.error.contains(part), "\(arguments): \(outcome)") }
            }
            let long = try place.run("find", "photos.store", "photos", String(repeating: "a", count: 100_000))
            #expect(long.code == 64 && long.error.utf8.count < 3_000, "\(long.error.utf8.count)")
            let cut = try place.dump("photos.store").prefix(9_000)
            let load = try place.run(["load", "--create", "new.store", "-"], input: Array(cut))
            #expect(load.code == 65 && load.error.contains("--allow-incomplete"), "\(load)")
        }
    }
}
