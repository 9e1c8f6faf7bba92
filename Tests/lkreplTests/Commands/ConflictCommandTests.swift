import DocIndex
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Conflict commands` {
    /// Creates `a.store` with three conflicts: `m` can be merged, `s` with a set, and `c` not at all.
    private func with(_ body: (Workplace) throws -> Void) throws {
        try Workplace.with { place in
            let replicas = try Replicas(place)
            try replicas.makeConflict(
                "m", base: ["n": 0, "title": "Fog"], ["n": 1, "title": "Fog"], ["n": 0, "title": "Rain"])
            try replicas.makeConflict(
                "s", base: ["keywords": ["a"]], ["keywords": ["a", "b"]], ["keywords": ["c"]])
            try replicas.makeConflict("c", base: ["n": 0], ["n": 1], ["n": 2])
            try replicas.collections[0].put(["id": "x", "n": 5])
            try replicas.close()
            try body(place)
        }
    }

    @Test func `conflicts lists documents with their revisions and the members in which they differ`() throws {
        try with { place in
            let all = try place.run("conflicts", "a.store", "photos")
            #expect(all.code == 0 && all.lines.count == 3 && all.says("conflicts: 3 in photos"), "\(all)")
            #expect(all.lines.first?.hasPrefix(#"{"id":"c","versions":["2-"#) == true, "\(all)")
            #expect(all.lines.last?.contains(#""differ":["keywords"],"base":"1-"#) == true, "\(all)")
            #expect(try place.run("conflicts", "a.store", "photos", "--limit", "2").lines.count == 2)
            let notes = try place.run("conflicts", "a.store", "notes")
            #expect(notes.code == 0 && notes.output == "" && notes.says("is not replicated"), "\(notes)")
        }
    }

    @Test func `conflicts with an ID shows the versions and their base`() throws {
        try with { place in
            let versions = try place.run("conflicts", "a.store", "photos", "m")
            #expect(versions.code == 0 && versions.lines.count == 3, "\(versions)")
            #expect(versions.lines.map { $0.contains(#""role":"winner""#) } == [true, false, false])
            #expect(versions.lines.last?.contains(#""role":"base","document":{"id":"m","n":0,"#) == true, "\(versions)")
            let table = try place.run("conflicts", "a.store", "photos", "m", "--mode", "table")
            #expect(table.output.contains("(winner)") && table.output.contains("(base)"), "\(table)")
            #expect(table.output.contains("title") && table.output.contains("Rain"), "\(table)")
            for (id, reason) in [("x", "has no conflict"), ("none", "there is no document")] {
                let outcome = try place.run("conflicts", "a.store", "photos", id)
                #expect(outcome.code == 1 && outcome.says(reason), "\(outcome)")
            }
        }
    }

    @Test func `resolve merges, keeps a version, stores a document, or deletes`() throws {
        try with { place in
            func get(_ id: String) throws -> String { try place.run("doc", "get", "a.store", "photos", id).output }
            func resolve(_ arguments: String...) throws -> Outcome {
                try place.run(["resolve", "a.store", "photos"] + arguments)
            }
            #expect(try resolve("m", "--merge").code == 77)
            let dryRun = try resolve("m", "--merge", "-n")
            #expect(
                dryRun.code == 0 && dryRun.output == "{\"id\":\"m\",\"n\":1,\"title\":\"Rain\"}\n", "\(dryRun)"
            )
            #expect(try place.run("conflicts", "a.store", "photos").lines.count == 3)
            #expect(try resolve("m", "--merge", "--write").code == 0)
            #expect(try get("m") == "{\"id\":\"m\",\"n\":1,\"title\":\"Rain\"}\n")

            let clash = try resolve("c", "--merge", "--write")
            #expect(clash.code == 1 && clash.says("they differ in n"), "\(clash)")
            let unknown = try resolve("c", "--keep", "7-", "--write")
            #expect(unknown.code == 65 && unknown.says("the versions are 2-"), "\(unknown)")
            #expect(try resolve("c", "--keep", "2-", "--write").says("several versions"))
            let other = try #require(
                try place.shell(
                    #"lkrepl conflicts a.store photos c | grep '"role":"other"' | cut -d'"' -f4 | cut -c1-12"#
                ).lines.first)
            let expected = try place.run("resolve", "a.store", "photos", "c", "--keep", other, "-n").output
            #expect(try resolve("c", "--keep", other, "--write").code == 0)
            #expect(try get("c") == expected)
            #expect(try resolve("c", "--keep", "winner", "--write").says("has no conflict"))

            #expect(try resolve("s", "--with", "{\"id\": \"t\"}", "--write").code == 65)
            try place.write(#"{"id":"s","keywords":["z"]}"#, to: "s.json")
            #expect(try resolve("s", "--with", "s.json", "--write").code == 0)
            #expect(try get("s") == "{\"id\":\"s\",\"keywords\":[\"z\"]}\n")
            #expect(try place.run("conflicts", "a.store", "photos").output == "")
        }
        try with { place in
            let deleted = try place.run("resolve", "a.store", "photos", "c", "--delete", "--write")
            #expect(deleted.code == 0, "\(deleted)")
            #expect(try place.run("doc", "get", "a.store", "photos", "c").code == 1)
        }
    }

    @Test func `resolve merges all documents, and says which conflicts remain`() throws {
        try with { place in
            let merge = ["resolve", "a.store", "photos", "--all-documents", "--merge", "--sets", "keywords"]
            let dryRun = try place.run(merge + ["-n"])
            #expect(dryRun.code == 1 && dryRun.lines.count == 2, "\(dryRun)")
            #expect(dryRun.says("would resolve 2 conflicts"), "\(dryRun)")
            #expect(try place.run(merge + ["--write"]).says("add --yes to confirm"))
            let merged = try place.run(merge + ["--write", "--yes"])
            #expect(
                merged.code == 1 && merged.says("resolved 2 conflicts") && merged.says("1 conflict remains"),
                "\(merged)")
            #expect(
                try place.run("doc", "get", "a.store", "photos", "s").output
                    == "{\"id\":\"s\",\"keywords\":[\"b\",\"c\"]}\n")
            #expect(try place.run("conflicts", "a.store", "photos").lines.count == 1)
            let none = try place.run("resolve", "a.store", "notes", "--all-documents", "--merge", "--write")
            #expect(none.code == 0 && none.says("is not replicated"), "\(none)")
        }
    }

    @Test func `resolve rejects options that cannot be combined`() throws {
        try with { place in
            for arguments in [
                ["c"], ["c", "--merge", "--delete"], ["--merge"], ["c", "--all-documents", "--merge"],
                ["--all-documents", "--delete"], ["c", "--delete", "--sets", "a"], ["c", "--merge", "--literal"],
            ] {
                let outcome = try place.run(["resolve", "--write", "a.store", "photos"] + arguments)
                #expect(outcome.code == 64, "\(arguments): \(outcome)")
            }
        }
    }
}
