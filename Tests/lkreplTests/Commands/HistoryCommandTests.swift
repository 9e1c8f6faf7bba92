import Foundation
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `History commands` {
    private static let schema = """
        {"collections":{"photos":{"history":{"versions":20},"indexes":{"key":{"fields":["key"],"unique":true}}},
        "notes":{}}}
        """

    /// Creates a store in which commit 1 stored three documents, 2 changed one, 3 deleted one, and 4 stored a note.
    private func prepare(_ place: Workplace) throws {
        try place.write(Self.schema, to: "schema.json")
        try place.write(
            """
            {"id":"a","v":1}
            {"id":"b","v":1}
            {"id":"7","v":1}

            """, to: "photos.jsonl")
        for arguments in [
            ["init", "s.store", "--schema", "schema.json"], ["import", "--write", "s.store", "photos", "photos.jsonl"],
            ["doc", "patch", "--write", "s.store", "photos", "a", #"{"v":2}"#],
            ["doc", "del", "--write", "s.store", "photos", "b"],
            ["doc", "put", "--write", "s.store", "notes", #"{"id":"n"}"#],
        ] {
            let outcome = try place.run(arguments)
            try #require(outcome.code == 0, "\(arguments): \(outcome)")
        }
    }

    @Test func `history lists the versions of a document, and doc get prints one of them`() throws {
        try Workplace.with { place in
            try prepare(place)
            let versions = try place.run("history", "s.store", "photos", "a")
            #expect(versions.code == 0 && versions.lines.count == 2, "\(versions)")
            #expect(versions.lines.first?.hasPrefix(#"{"commit":2,"time":"20"#) == true, "\(versions)")
            #expect(versions.lines.last?.hasSuffix(#""document":{"id":"a","v":1}}"#) == true, "\(versions)")
            let deleted = try place.run("history", "s.store", "photos", "b", "--limit", "1")
            #expect(deleted.lines.count == 1 && deleted.output.contains(#""deleted":true"#), "\(deleted)")
            #expect(try place.run("history", "s.store", "photos", "7").lines.count == 1)
            #expect(try place.run("history", "s.store", "photos", "none").code == 1)
            #expect(
                try place.run("doc", "get", "s.store", "photos", "a", "--at", "1").output == "{\"id\":\"a\",\"v\":1}\n")
            #expect(
                try place.run("doc", "get", "s.store", "photos", "a", "--at", "3").output == "{\"id\":\"a\",\"v\":2}\n")
            #expect(try place.run("doc", "get", "s.store", "photos", "b", "--at", "2").code == 0)
            #expect(try place.run("doc", "get", "s.store", "photos", "b", "--at", "3").code == 1)
            #expect(try place.run("doc", "get", "s.store", "photos", "b", "--at", "0").code == 64)
            let future = try place.run("doc", "get", "s.store", "photos", "a", "--at", "99")
            #expect(future.code == 65 && future.says("no commit 99"), "\(future)")
        }
    }

    @Test func `A table of versions shows what each commit changed`() throws {
        try Workplace.with { place in
            try prepare(place)
            let patch = try place.run("doc", "patch", "--write", "s.store", "photos", "a", #"{"v":3,"w":"new"}"#)
            #expect(patch.code == 0)
            func rows(_ id: String, _ options: String...) throws -> [[String]] {
                let outcome = try place.run(["history", "s.store", "photos", id, "--mode", "table"] + options)
                return outcome.lines.filter { $0.contains("Z │") }.map { line in
                    line.split(separator: "│").map { $0.trimmingCharacters(in: .whitespaces) }
                }.map { [$0[0]] + $0.dropFirst(2) }
            }
            #expect(
                try rows("a") == [
                    ["5", "v", "2", "3"], ["5", "w", "", "new"], ["2", "v", "1", "2"],
                    ["1", "", "", #"{"id":"a","v":1}"#],
                ])
            // The last version of a limited list is compared with the one before it.
            #expect(try rows("a", "--limit", "1") == [["5", "v", "2", "3"], ["5", "w", "", "new"]])
            #expect(try rows("b") == [["3", "", #"{"id":"b","v":1}"#, ""], ["1", "", "", #"{"id":"b","v":1}"#]])
        }
    }

    @Test func `A migration that removes a history says how many versions it deletes`() throws {
        try Workplace.with { place in
            try prepare(place)
            try place.write(Self.schema.replacing(#""history":{"versions":20},"#, with: ""), to: "without.json")
            let dry = try place.run("migrate", "-n", "s.store", "without.json")
            #expect(dry.code == 0 && dry.output.contains("there are 5 versions of documents"), "\(dry)")
            let refused = try place.run("migrate", "--write", "s.store", "without.json")
            #expect(refused.code == 77 && refused.says("5 versions"), "\(refused)")
            try place.write(Self.schema.replacing("20", with: "1"), to: "shorter.json")
            let shortened = try place.run("migrate", "--write", "s.store", "shorter.json")
            #expect(shortened.code == 77 && shortened.says("5 versions"), "\(shortened)")
            try place.write(Self.schema.replacing("20", with: "30"), to: "longer.json")
            #expect(try place.run("migrate", "--write", "s.store", "longer.json").code == 0)
            #expect(try place.run("history", "s.store", "photos", "a").lines.count == 2)
        }
    }

    @Test func `import names its commits, and undoing them together takes the import back`() throws {
        try Workplace.with { place in
            try prepare(place)
            let lines = (0..<2500).map { "{\"id\":\"n\($0)\"}\n" }.joined()
            try place.write(lines, to: "many.jsonl")
            let outcome = try place.run("import", "--write", "s.store", "photos", "many.jsonl", "--mode", "insert")
            let numbers = try #require(
                outcome.error.firstMatch(of: /made commits (\d+) to (\d+), which undo/), "\(outcome)")
            let (first, last) = try (#require(Int(numbers.1)), #require(Int(numbers.2)))
            #expect(first == 5 && last > first, "\(outcome)")
            #expect(outcome.says("which undo \(first)-\(last) takes back"), "\(outcome)")
            let earlier = try place.run("undo", "s.store", "\(first)-\(last - 1)", "--dry-run")
            #expect(
                earlier.code == 0 && earlier.says("would undo commits \(first) to \(last - 1): delete"),
                "\(earlier)")
            let undo = try place.run("undo", "--write", "--yes", "s.store", "\(first)-\(last)")
            #expect(undo.code == 0 && undo.says("undid commits \(first) to \(last): delete 2,500"), "\(undo)")
            let again = try place.run("undo", "--write", "--yes", "s.store", "\(first)")
            #expect(again.code == 65 && again.says("undo all together with \(first)-\(last + 1)"), "\(again)")
            #expect(try place.run("undo", "--write", "--yes", "s.store", "\(first)-\(last + 1)").code == 0)
            for wrong in ["5-4", "a", "5-", "-5", "1-2-3", ""] {
                let refused = try place.run("undo", "s.store", "--dry-run", "--", wrong)
                #expect(refused.code == 64 && refused.says("such as 10-12"), "\(refused)")
            }
            let ids = try place.run("find", "s.store", "photos", "--ids")
            #expect(ids.output == "a\n7\n", "\(ids)")
            let one = try place.run("import", "--write", "s.store", "photos", "photos.jsonl", "--mode", "upsert")
            #expect(one.code == 0 && !one.says("made commits"), "\(one)")
        }
    }

    @Test func `A large update names its commits, and undoing them together takes it back`() throws {
        try Workplace.with { place in
            try prepare(place)
            try place.write((0..<200).map { "{\"id\":\"n\($0)\"}\n" }.joined(), to: "many.jsonl")
            try #require(try place.run("import", "--write", "s.store", "photos", "many.jsonl").code == 0)
            let before = try place.run("digest", "s.store").output
            let update = try place.run(
                "update", "--write", "--yes", "s.store", "photos", "--all-documents", "SET", "size = 1000",
                "--batch-bytes", "4k")
            let numbers = try #require(
                update.error.firstMatch(of: /in \d+ commits, which undo (\d+-\d+) takes back/), "\(update)")
            let undo = try place.run("undo", "--write", "--yes", "s.store", String(numbers.1))
            #expect(undo.code == 0, "\(undo)")
            #expect(try place.run("digest", "s.store").output == before)
        }
    }

    @Test func `A collection without a history shows the stored document and says so`() throws {
        try Workplace.with { place in
            try prepare(place)
            let note = try place.run("history", "s.store", "notes", "n")
            #expect(note.code == 0 && note.lines.count == 1 && note.says("notes keeps no history"), "\(note)")
            #expect(try place.run("history", "s.store", "notes", "none").code == 1)
            let former = try place.run("doc", "get", "s.store", "notes", "n", "--at", "4")
            #expect(former.code == 65 && former.says("keeps no history"), "\(former)")
            try place.makePhotos()
            let commits = try place.run("commits", "photos.store")
            #expect(commits.code == 0 && commits.output == "" && commits.says("no collection keeps a history"))
        }
    }

    @Test func `commits lists commits with their counts, newest first`() throws {
        try Workplace.with { place in
            try prepare(place)
            let commits = try place.run("commits", "s.store")
            #expect(commits.code == 0 && commits.lines.count == 3, "\(commits)")
            #expect(
                commits.lines.map { $0.suffix(14) } == Array(repeating: #""documents":1}"#, count: 2) + [
                    #""documents":3}"#
                ])
            #expect(commits.lines.map { $0.prefix(12) } == [#"{"commit":3,"#, #"{"commit":2,"#, #"{"commit":1,"#])
            #expect(try place.run("commits", "s.store", "--limit", "1").lines.count == 1)
            #expect(try place.run("commits", "s.store", "--before", "2").lines.count == 1)
            #expect(try place.run("commits", "s.store", "--limit", "0").code == 64)
        }
    }

    @Test func `undo shows what it does, asks, and can be undone`() throws {
        try Workplace.with { place in
            try prepare(place)
            let preview = try place.run("undo", "s.store", "3", "--dry-run")
            #expect(preview.code == 0 && preview.says("would undo commit 3: restore 1"), "\(preview)")
            #expect(preview.output == #"{"undo":"restore","collection":"photos","id":"b"}"# + "\n", "\(preview)")
            #expect(try place.run("undo", "s.store", "3").code == 77)
            let unconfirmed = try place.run("undo", "--write", "s.store", "3")
            #expect(unconfirmed.code == 77 && unconfirmed.says("add --yes"), "\(unconfirmed)")
            #expect(try place.run("doc", "get", "s.store", "photos", "b").code == 1)
            let done = try place.run("undo", "--write", "--yes", "s.store", "3")
            #expect(done.code == 0 && done.says("commit 5 undid commit 3: restore 1"), "\(done)")
            #expect(try place.run("doc", "get", "s.store", "photos", "b").output == "{\"id\":\"b\",\"v\":1}\n")
            #expect(try place.run("undo", "--write", "--yes", "s.store").code == 0)
            #expect(try place.run("doc", "get", "s.store", "photos", "b").code == 1)
        }
    }

    @Test func `undo names the last commit that can be undone`() throws {
        try Workplace.with { place in
            try prepare(place)
            let refused = try place.run("undo", "--write", "--yes", "s.store")
            #expect(refused.code == 65 && refused.says("commit 4 cannot be undone"), "\(refused)")
            #expect(refused.says("lkrepl undo --write s.store 3"), "\(refused)")
            #expect(try place.run("undo", "--write", "--yes", "s.store", "3").code == 0)
        }
    }

    @Test func `undo refuses to lose later changes without --overwrite`() throws {
        try Workplace.with { place in
            try prepare(place)
            let refused = try place.run("undo", "s.store", "1", "-n")
            #expect(
                refused.code == 65 && refused.says("document a of photos was changed again by commit 2"), "\(refused)")
            #expect(refused.says("like 1 other") && refused.says("--overwrite"), "\(refused)")
            // Only the rows that prevent it.
            #expect(refused.lines.count == 2 && refused.lines.allSatisfy { $0.contains(#""later":"#) }, "\(refused)")
            let done = try place.run("undo", "--write", "--yes", "--overwrite", "s.store", "1")
            #expect(done.code == 0, "\(done)")
            #expect(try place.run("find", "s.store", "photos", "--count").output == "0\n")
            let plain = try place.run("undo", "s.store", "4", "-n")
            #expect(plain.code == 65 && plain.says("notes"), "\(plain)")
            #expect(try place.run("undo", "s.store", "99", "-n").code == 65)
            #expect(try place.run("undo", "s.store", "x", "-n").code == 64)
        }
    }

    @Test func `undo names documents that would share a unique value`() throws {
        try Workplace.with { place in
            try prepare(place)
            for document in [#"{"id":"c","key":1}"#, #"{"id":"c","key":2}"#, #"{"id":"d","key":1}"#] {
                #expect(try place.run("doc", "put", "--write", "s.store", "photos", document).code == 0)
            }
            let refused = try place.run("undo", "--write", "--yes", "s.store", "6")
            #expect(refused.code == 65 && refused.says("unique index key"), "\(refused)")
        }
    }

    @Test func `A dump leaves the history out, but a checkpoint and a comparison include it`() throws {
        try Workplace.with { place in
            try prepare(place)
            #expect(try place.run("dump", "s.store", "-o", "s.jsonl").code == 0)
            #expect(try place.run("load", "--create", "new.store", "s.jsonl").code == 0)
            #expect(try place.run("history", "new.store", "photos", "a").lines.count == 1)
            #expect(try place.run("diff", "s.store", "new.store").code == 0)
            #expect(try place.run("snapshot", "s.store", "copy.store").code == 0)
            #expect(try place.run("history", "copy.store", "photos", "a").lines.count == 2)
            #expect(try place.run("stats", "s.store").output.contains("bytes of history, in tables"))
            let replaced = try place.run("load", "--write", "--yes", "--mode", "replace", "s.store", "s.jsonl")
            #expect(replaced.code == 0, "\(replaced)")
            #expect(try place.run("history", "s.store", "photos", "a").lines.count == 4)
        }
    }

    @Test func `migrate switches a history on, and asks before it deletes one`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let schema = try place.run("schema", "photos.store").output
            let kept = schema.replacing(#""id": "id","#, with: #""id": "id", "history": {"age": "90 days"},"#)
            try #require(kept != schema)
            try place.write(kept, to: "kept.json")
            try place.write(schema, to: "plain.json")
            let on = try place.run("migrate", "--write", "photos.store", "kept.json")
            #expect(on.code == 0 && on.output.contains("added history of photos"), "\(on)")
            #expect(try place.run("doc", "del", "--write", "photos.store", "photos", "2019-07-14-0031").code == 0)
            #expect(try place.run("undo", "--write", "--yes", "photos.store").code == 0)
            #expect(try place.run("history", "photos.store", "photos", "2019-07-14-0031").lines.count == 3)
            #expect(try place.run("schema", "photos.store").output.contains("90 days"))
            #expect(try place.run("compact", "--write", "--yes", "photos.store").code == 0)
            let off = try place.run("migrate", "--write", "photos.store", "plain.json")
            #expect(off.code == 77 && off.says("history of photos"), "\(off)")
            #expect(try place.run("migrate", "--write", "--yes", "photos.store", "plain.json").code == 0)
            #expect(try place.run("schema", "photos.store").output == schema)
        }
    }
}
