import DocIndex
import Foundation
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Sample catalog` {
    @Test func `init and import report what they created`() throws {
        try Workplace.with { place in
            let made = try place.run("init", "photos.store", "--schema", Binary.examples + "/schema.json")
            #expect(made.code == 0 && made.output == "", "\(made)")
            #expect(made.error.contains("photos (10 indexes)"))
            let imported = try place.run(
                "import", "--write", "photos.store", "photos", Binary.examples + "/photos.jsonl", "--batch", "100",
                "--acknowledge")
            #expect(imported.code == 0, "\(imported)")
            #expect(imported.output == "100\n200\n300\n301\n")
            #expect(imported.error.hasPrefix("import: read 301 inserted 301 "))
            let checked = try place.run("verify", "photos.store")
            #expect(checked.code == 0 && checked.output == "", "\(checked)")
            #expect(checked.error == "verify: 301 documents and 3,647 index entries agree\n")

            // Repeating the import changes nothing: an existing ID is replaced.
            let before = try place.dump("photos.store")
            try place.run(
                "import", "--write", "-q", "photos.store", "photos", "-",
                input: try String(contentsOfFile: Binary.examples + "/photos.jsonl", encoding: .utf8))
            #expect(try place.dump("photos.store") == before)
        }
    }

    @Test(
        arguments: [
            (
                ["exif.model = X100V and rating >= 4", "--sort", "-taken", "--limit", "3", "--fields", "taken,title"],
                """
                {"taken":"2025-05-24T19:30:39","title":"Göran, 80"}
                {"taken":"2025-02-22T10:30:00","title":"Reynisfjara"}
                {"taken":"2025-02-20T11:10:11","title":"The lagoon"}

                """
            ),
            (
                ["gps.lon", "<", "-73", "--sort", "gps.lon", "--limit", "2", "--fields", "id,gps.lon,keywords[]"],
                """
                {"id":"2023-11-03-0019","gps.lon":-96.76762,"keywords[]":["Mexico","ruin"]}
                {"id":"2023-11-03-0004","gps.lon":-96.72615,"keywords[]":["Mexico","market","food"]}

                """
            ),
            (
                ["gps.lon < -73", "--ids"],
                """
                2023-11-01-0016
                2023-11-01-0032
                2023-11-03-0004
                2023-11-03-0019
                2023-11-03-0028
                2023-11-04-0006

                """
            ),
            (["rating = 5", "--count"], "23\n"), (["--count"], "301\n"),
            (["keywords", "has", "sea", "--count"], "18\n"),
            (["rating", "missing", "--count"], "20\n"), (["rating = 99", "--count"], "0\n"), (["rating = 99"], ""),
            (["rating = 5", "--limit", "0"], ""),
            (
                ["id = scan-0001", "--fields", "id,year,place.city", "--mode", "csv"],
                "id,year,place.city\nscan-0001,1951,Halifax\n"
            ),
            (["id = scan-0001", "--fields", "id,year", "--mode", "tsv"], "id\tyear\nscan-0001\t1951\n"),
            (["id = scan-0001", "--fields", "id,year", "--json"], "[\n{\"id\":\"scan-0001\",\"year\":\"1951\"}\n]\n"),
            (["id = scan-0001", "--fields", "id,year", "--mode", "line"], "  id = scan-0001\nyear = 1951\n"),
            (
                ["id = scan-0001", "--fields", "id,rating", "--mode", "table"],
                """
                ┌───────────┬────────┐
                │ id        │ rating │
                │ text      │ number │
                ├───────────┼────────┤
                │ scan-0001 │      4 │
                └───────────┴────────┘

                """
            ),
        ] as [([String], String)])
    func `find prints the exact expected output`(arguments: [String], expected: String) throws {
        try Workplace.with(isVerified: false) { place in
            try place.makePhotos()
            let outcome = try place.run(["find", "photos.store", "photos"] + arguments)
            #expect(outcome.code == 0, "\(outcome)")
            #expect(outcome.error == (expected.isEmpty ? "find: nothing found\n" : ""), "\(outcome)")
            #expect(outcome.output == expected)
        }
    }

    /// Documents are returned as imported: members in order, numbers with their type.
    @Test func `find and doc get print documents exactly as in the imported file`() throws {
        let file = try String(contentsOfFile: Binary.examples + "/photos.jsonl", encoding: .utf8)
        let expected = try file.split(separator: "\n").map { try DocumentValue(json: String($0)).json }
        try Workplace.with(isVerified: false) { place in
            try place.makePhotos()
            let found = try place.run("find", "photos.store", "photos")
            #expect(found.lines.sorted() == expected.sorted())
            let one = try place.run("doc", "get", "photos.store", "photos", "scan-0001")
            #expect(one.code == 0 && one.lines == [expected[0]], "\(one)")
            let none = try place.run("doc", "get", "photos.store", "photos", "scan-9999")
            #expect(none.code == 1 && none.output == "" && none.says("there is no document scan-9999"), "\(none)")
        }
    }

    @Test func `search prints the best match first, with its score`() throws {
        try Workplace.with(isVerified: false) { place in
            try place.makePhotos()
            let query = [
                "search", "photos.store", "photos", "\"old bridge\" OR snow -ice", "--where", "rating >= 3", "--fields",
                "id,title",
            ]
            let outcome = try place.run(query + ["--limit", "2"])
            #expect(
                outcome.output == """
                    {"id":"2004-12-27-0016","title":"The old bridge under snow"}
                    {"id":"scan-0016","title":"Old bridge at Hebden"}

                    """)
            #expect(outcome.code == 0 && outcome.error == "", "\(outcome)")
            let scored = try place.run(query + ["--score"])
            let scores = try scored.lines.map { try #require(try DocumentValue(json: $0).objectValue?["score"]) }
            #expect(scores.count > 2)
            #expect(try place.run(query + ["--count"]).output == "\(scores.count)\n")
            let numbers = scores.compactMap { if case .double(let number) = $0 { number } else { nil } }
            #expect(numbers.count == scores.count && numbers == numbers.sorted(by: >))
            // A phrase that needs no quotes in sh, and words that no document contains.
            #expect(try place.run("search", "photos.store", "photos", "old", "bridge", "--count").output != "0\n")
            #expect(try place.run("search", "photos.store", "photos", "zyzzyva", "--count").output == "0\n")
            #expect(try place.run("search", "photos.store", "photos", "zyzzyva").code == 0)
        }
    }

    @Test func `collections, stats and explain describe the store`() throws {
        try Workplace.with(isVerified: false) { place in
            try place.makePhotos()
            let collections = try place.run("collections", "photos.store")
            #expect(
                collections.output.hasPrefix(
                    #"{"collection":"photos","documents":301,"id":"id","indexes":["taken (taken)","year (year)""#))
            #expect(collections.lines.count == 1)
            let stats = try place.run("stats", "photos.store")
            #expect(stats.lines.contains(#"{"what":"documents in photos","value":301}"#), "\(stats)")
            let explained = try place.run("find", "photos.store", "photos", "rating = 5", "--count", "--explain")
            #expect(explained.output == "23\n")
            #expect(explained.error.contains("index rating"), "\(explained)")
            let quiet = try place.run("find", "photos.store", "photos", "rating = 5", "--count", "--explain", "-q")
            #expect(quiet.output == "23\n" && quiet.error == "")
        }
    }

    @Test func `doc put and doc del change one document and its index entries`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let document = #"{"id":"new","rating":5,"caption":"zyzzyva","keywords":["sea"]}"#
            let stored = try place.run("doc", "put", "--write", "photos.store", "photos", document)
            #expect(stored.code == 0 && stored.output == "" && stored.error == "doc put: inserted new\n", "\(stored)")
            #expect(try place.run("doc", "get", "photos.store", "photos", "new").output == document + "\n")
            #expect(try place.run("find", "photos.store", "photos", "rating = 5", "--count").output == "24\n")
            #expect(
                try place.run("search", "photos.store", "photos", "zyzzyva", "--ids").output == "new\n")
            let replaced = try place.run(
                "doc", "put", "--write", "photos.store", "photos", "-", input: "{\"id\": \"new\",\n\"rating\": 1}")
            #expect(replaced.code == 0, "\(replaced)")
            #expect(try place.run("find", "photos.store", "photos", "rating = 5", "--count").output == "23\n")
            #expect(try place.run("search", "photos.store", "photos", "zyzzyva", "--count").output == "0\n")
            let deleted = try place.run("doc", "del", "--write", "photos.store", "photos", "new", "nope")
            #expect(
                deleted.code == 1 && deleted.says("doc del: deleted 1 of 2 documents")
                    && deleted.says("no document nope"), "\(deleted)")
            #expect(try place.run("find", "photos.store", "photos", "--count").output == "301\n")
        }
    }

    @Test func `Options are accepted before and after the command and its arguments`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for arguments in [
                ["--json", "find", "photos.store", "photos", "id = scan-0001", "--ids"],
                ["find", "--json", "photos.store", "photos", "id = scan-0001", "--ids"],
                ["find", "photos.store", "--ids", "photos", "--json", "id = scan-0001"],
                ["--mode", "json", "find", "photos.store", "photos", "id = scan-0001", "--ids"],
                ["--mode=json", "find", "photos.store", "photos", "id = scan-0001", "--ids"],
                ["find", "photos.store", "photos", "--ids", "--mode=json", "--", "id = scan-0001"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.output == "[\n{\"id\":\"scan-0001\"}\n]\n", "\(arguments): \(outcome)")
            }
            for arguments in [
                ["--write", "-q", "doc", "put", "photos.store", "photos", "{\"id\":\"x\"}"],
                ["doc", "put", "photos.store", "photos", "{\"id\":\"x\"}", "-q", "--write"],
                ["--write", "doc", "del", "-q", "photos.store", "photos", "x"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 0 && outcome.error == "", "\(arguments): \(outcome)")
            }
        }
    }
}
