import DocIndex
import Foundation
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Questions about pictures` {
    private func objects(_ outcome: Outcome) throws -> [DocumentObject] {
        try outcome.lines.map { try #require(JSONParser().parse(Array($0.utf8)).objectValue) }
    }

    @Test func `near lists the nearest documents first, with their distances`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let near = try place.run("near", "photos.store", "photos", "38.72,-9.14", "--within", "5", "--fields", "id")
            let rows = try objects(near)
            let distances = rows.compactMap { $0["km"]?.numberValue }
            #expect(near.code == 0 && distances.count == rows.count && distances == distances.sorted(), "\(near)")
            let within = try place.run(
                "find", "photos.store", "photos", "gps near 38.72,-9.14,5", "--ids", "--limit", "20")
            #expect(rows.count > 3 && rows.count == within.lines.count)
            // South and west are negative, including at the beginning of the argument.
            let south = try place.run("near", "photos.store", "photos", "-33.9,151.2", "--limit", "1", "--ids")
            #expect(south.code == 0 && south.lines.count == 1, "\(south)")
            let named = try place.run(
                "near", "photos.store", "photos", "38.72,-9.14", "rating >= 4", "--location", "gps.lat,gps.lon",
                "--within",
                "5000m", "--fields", "id,rating")
            #expect(named.code == 0 && !named.lines.isEmpty, "\(named)")
            #expect(try objects(named).allSatisfy { ($0["rating"]?.intValue ?? 0) >= 4 })
            for (arguments, message) in [
                (["38.72"], "LATITUDE,LONGITUDE"), (["91,0"], "not a point"), (["a,b"], "not a point"),
                (["1,2", "--within", "far"], "not a distance"), (["1,2", "--location", "a,b,c"], "not 3 (a,b,c)"),
            ] {
                let outcome = try place.run(["near", "photos.store", "photos"] + arguments)
                #expect(outcome.code == 64 && outcome.says(message), "\(arguments): \(outcome)")
            }
            try place.makeItems()
            let nowhere = try place.run("near", "items.store", "items", "1,2")
            #expect(nowhere.code == 64 && nowhere.says("--location"), "\(nowhere)")
        }
    }

    @Test func `near names a second field that holds the locations of other documents`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let lines = """
                {"id":"a1","Composite:GPSLatitude":38.7,"Composite:GPSLongitude":-9.1}
                {"id":"a2","GPSLatitude":38.7,"GPSLongitude":-9.1}

                """
            #expect(try place.run("import", "--write", "items.store", "items", "-", input: lines).code == 0)
            let near = try place.run("near", "items.store", "items", "38.7,-9.1", "--ids")
            #expect(near.output == "a1\n" && near.says("add --location GPSLatitude,GPSLongitude"), "\(near)")
            let named = try place.run(
                "near", "items.store", "items", "38.7,-9.1", "--ids", "--location", "GPSLatitude,GPSLongitude")
            #expect(named.output == "a2\n" && !named.says("--location"), "\(named)")
            let only = try place.run("near", "items.store", "items", "38.7,-9.1", "id = a1", "--ids", "-q")
            #expect(only.output == "a1\n" && only.error == "", "\(only)")
            // The name of a place is not a location.
            #expect(try place.run("doc", "del", "--write", "-y", "items.store", "items", "a2").code == 0)
            let text = #"{"id":"a3","location":"Lisbon"}"#
            #expect(try place.run("import", "--write", "items.store", "items", "-", input: text + "\n").code == 0)
            let silent = try place.run("near", "items.store", "items", "38.7,-9.1", "--ids")
            #expect(silent.output == "a1\n" && !silent.says("--location"), "\(silent)")
        }
    }

    @Test func `facets counts parts of dates, and on request documents without a value`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let plain = try place.run("facets", "photos.store", "photos", "year(taken)", "rating", "--top", "100")
            let more = try place.run(
                "facets", "photos.store", "photos", "year(taken)", "rating", "--top", "100", "--missing")
            // Without the option, the rows are those of older versions.
            #expect(!plain.output.contains("missing") && more.lines.filter { !$0.contains("missing") } == plain.lines)
            let missing = try objects(more).filter { $0["missing"] == true }
            #expect(missing.map { $0["field"] } == ["year(taken)", "rating"])
            #expect(missing.allSatisfy { $0["value"] == .null })
            let unrated = try place.run("count", "photos.store", "photos", "rating missing")
            #expect("\(missing[1]["count"]?.intValue ?? -1)\n" == unrated.output)
            let table = try place.run("facets", "photos.store", "photos", "rating", "--missing", "--mode", "table")
            #expect(table.output.contains("not set"))
            let bad = try place.run("facets", "photos.store", "photos", "year(a..b)")
            #expect(bad.code == 64, "\(bad)")
            let condition = try place.run("facets", "photos.store", "photos", "rating", "rating = 5")
            #expect(condition.code == 64 && condition.says("--where 'rating = 5'"), "\(condition)")
            let undated = try place.run("facets", "photos.store", "photos", "month(rating)")
            #expect(undated.says("rating has no dates"), "\(undated)")
            let spaced = try place.run("near", "photos.store", "photos", "53.7,", "-1.8")
            #expect(spaced.code == 64 && spaced.says("leave out the space"), "\(spaced)")
        }
    }

    @Test func `timeline is chronological, and ends with the documents without a date`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for unit in ["year", "month", "day"] {
                let outcome = try place.run("timeline", "photos.store", "photos", "taken", "--by", unit)
                let rows = try objects(outcome)
                let periods = rows.compactMap { $0["period"]?.stringValue }
                #expect(periods == periods.sorted(), "\(unit)")
                #expect(periods.count == rows.count - 1, "\(unit)")
                #expect(rows.last?["period"] == .null)
                #expect(rows.reduce(0) { $0 + ($1["count"]?.intValue ?? 0) } == 301)
            }
            let gaps = try place.run(
                "timeline", "photos.store", "photos", "taken", "year(taken) = 2024", "--gaps", "--mode", "csv")
            #expect(gaps.lines.first == "period,count" && gaps.lines.contains { $0.hasSuffix(",0") }, "\(gaps)")
            #expect(gaps.lines.count <= 13)
            let bad = try place.run("timeline", "photos.store", "photos", "taken", "--by", "week")
            #expect(bad.code == 64 && bad.says("month"))
        }
    }

    @Test func `duplicates lists documents with equal values, and exits with 1 if there are none`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let documents = """
                {"id":"a","hash":"x","n":1,"k":["p"]}
                {"id":"b","hash":"x","n":2,"k":["p","q"]}
                {"id":3,"hash":"x","n":1}
                {"id":"d","n":1}
                {"id":"e","hash":null,"n":1}
                """
            #expect(
                try place.run(["import", "--write", "items.store", "items", "-"], input: Array(documents.utf8)).code
                    == 0)
            let hashes = try place.run("duplicates", "items.store", "items", "hash")
            #expect(
                hashes.code == 0 && hashes.output == #"{"hash":"x","count":3,"ids":["a","b",3]}"# + "\n", "\(hashes)")
            let both = try place.run("duplicates", "items.store", "items", "hash", "n")
            #expect(both.output == #"{"hash":"x","n":1,"count":2,"ids":["a",3]}"# + "\n", "\(both)")
            let words = try place.run("duplicates", "items.store", "items", "k[]")
            #expect(words.output == #"{"k[]":"p","count":2,"ids":["a","b"]}"# + "\n", "\(words)")
            let first = try place.run("duplicates", "items.store", "items", "n", "--limit", "0")
            #expect(first.code == 0 && first.output == "", "\(first)")
            let values = try place.run("distinct", "items.store", "items", "id", "--limit", "2")
            #expect(values.code == 0 && values.output.split(separator: "\n").count == 2, "\(values)")
            #expect(try place.run("distinct", "items.store", "items", "id", "--limit", "-1").code == 64)
            let none = try place.run("duplicates", "items.store", "items", "id")
            #expect(none.code == 1 && none.output == "", "\(none)")
        }
    }

    @Test func `Only documents of an album are changed, deleted, packed and compared`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            func run(_ arguments: String...) throws -> Outcome {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 0, "\(arguments): \(outcome)")
                return outcome
            }
            _ = try run("album", "save", "--write", "photos.store", "best", "rating = 5")
            _ = try run("album", "add", "--write", "photos.store", "wall", "scan-0001", "2019-07-14-0031")
            let best = try run("find", "photos.store", "@best", "--ids").lines
            #expect(
                try run("duplicates", "photos.store", "@best", "exif.model").output
                    == run("duplicates", "photos.store", "photos", "exif.model", "--where", "rating = 5").output)
            #expect(try run("explain", "photos.store", "@best").output.contains("rating = 5"))
            _ = try run("pack", "photos.store", "@wall", "-o", "wall.lkpack.zip", "-q")
            #expect(try run("count", "wall.lkpack.zip", "photos").output == "2\n")
            let changed = try run(
                "update", "--write", "--yes", "photos.store", "@best", "--all-documents", "SET", "m = 1")
            #expect(changed.says("updated \(best.count) documents"), "\(changed)")
            #expect(try run("find", "photos.store", "photos", "m = 1", "--ids").lines == best)
            let year = try run("find", "photos.store", "photos", "rating = 5 and year(taken) = 2019", "--ids").lines
            try #require(!year.isEmpty && year.count < best.count)
            _ = try run("delete", "--write", "--yes", "photos.store", "@best", "WHERE", "year(taken) = 2019")
            #expect(try run("find", "photos.store", "@best", "--ids").lines == best.filter { !year.contains($0) })
            let left = try run("find", "photos.store", "photos", "--count").output
            let wall = try run("delete", "--write", "--yes", "photos.store", "@wall", "--all-documents")
            let wasDeleted = year.contains("2019-07-14-0031")
            #expect(wall.says(wasDeleted ? "deleted 1 document" : "deleted 2 documents"), "\(wall)")
            let count = try #require(Int(left.dropLast()))
            #expect(
                try run("find", "photos.store", "photos", "--count").output == "\(count - (wasDeleted ? 1 : 2))\n")
        }
    }

    @Test func `An album stands for a collection in commands`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            func run(_ arguments: String...) throws -> Outcome {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 0, "\(arguments): \(outcome)")
                return outcome
            }
            _ = try run("album", "save", "--write", "photos.store", "best", "rating >= 4", "--sort", "-taken")
            let pairs = [
                (["find", "@best", "--ids"], ["find", "photos", "rating >= 4", "--sort", "-taken", "--ids"]),
                (
                    ["find", "@best", "year = 2019", "--count"],
                    ["find", "photos", "rating >= 4 and year = 2019", "--count"]
                ),
                (
                    ["find", "@best", "--sort", "file", "--ids"],
                    ["find", "photos", "rating >= 4", "--sort", "file", "--ids"]
                ),
                (["count", "@best"], ["count", "photos", "rating >= 4"]),
                (
                    ["search", "@best", "snow", "--ids"],
                    ["search", "photos", "snow", "--where", "rating >= 4", "--ids"]
                ),
                (["facets", "@best", "rating"], ["facets", "photos", "rating", "--where", "rating >= 4"]),
                (["distinct", "@best", "rating"], ["distinct", "photos", "rating", "--where", "rating >= 4"]),
                (["export", "@best", "-q"], ["export", "photos", "rating >= 4", "--sort", "-taken", "-q"]),
                (["timeline", "@best", "taken"], ["timeline", "photos", "taken", "rating >= 4"]),
                (
                    ["near", "@best", "38.7,-9.1", "--ids"], ["near", "photos", "38.7,-9.1", "rating >= 4", "--ids"]
                ),
            ]
            for (album, plain) in pairs {
                let (left, right) = try (
                    place.run([album[0], "photos.store"] + album.dropFirst()),
                    place.run([plain[0], "photos.store"] + plain.dropFirst())
                )
                #expect(left.code == 0 && left.output == right.output && !left.output.isEmpty, "\(album): \(left)")
            }
            let typed = try run("photos.store", "-c", "find @best --count")
            #expect(try typed.output == run("count", "photos.store", "@best").output)

            _ = try run("album", "add", "--write", "photos.store", "wall", "scan-0001", "2019-07-14-0031")
            let more = try place.shell(
                "lkrepl find photos.store photos 'rating = 5' --limit 2 --ids --mode keys > ids && "
                    + "lkrepl album add --write photos.store @wall - < ids")
            #expect(more.code == 0 && more.says("2 of 2"), "\(more)")
            let ids = try run("find", "photos.store", "@wall", "--ids").lines
            #expect(ids.count == 4 && ids.first == "scan-0001")
            _ = try run("album", "move", "--write", "photos.store", "wall", "scan-0001")
            #expect(try run("find", "photos.store", "@wall", "--ids").lines == Array(ids.dropFirst()) + [ids[0]])
            _ = try run(
                "album", "move", "--write", "photos.store", "wall", "scan-0001", "--before", "2019-07-14-0031")
            #expect(try run("find", "photos.store", "@wall", "--ids").lines == ids)
            _ = try run("album", "remove", "--write", "photos.store", "wall", "scan-0001")
            #expect(try place.run("album", "remove", "--write", "photos.store", "wall", "scan-0001").code == 1)
            let list = try run("album", "list", "photos.store")
            #expect(
                list.lines.count == 2 && list.lines[0].hasPrefix(#"{"name":"best","collection":"photos","count":101,"#)
                    && list.lines[1].contains(#""count":3"#), "\(list)")
            #expect(
                try run("album", "show", "photos.store", "wall").output.contains(#""documents":["2019-07-14-0031""#))

            // Albums are documents like all others.
            let dump = try place.dump("photos.store")
            #expect(try place.run(["load", "--create", "copy.store", "-"], input: dump).code == 0)
            #expect(
                try run("find", "copy.store", "@wall", "--ids").output
                    == run("find", "photos.store", "@wall", "--ids").output)
            // Also into a store that has no albums yet.
            try place.makePhotos("other.store")
            #expect(try place.run(["load", "--write", "other.store", "-"], input: dump).code == 0)
            #expect(try place.run("find", "other.store", "@wall", "--ids").lines.count == 3)
            // The only collection that is not the library's need not be named.
            #expect(try run("album", "save", "--write", "copy.store", "all").code == 0)

            _ = try run("album", "drop", "--write", "photos.store", "best")
            for (arguments, code, message) in [
                (["album", "drop", "--write", "photos.store", "best"], 1, "no album named best"),
                (["find", "photos.store", "@best"], 64, "no album named best"),
                (["find", "photos.store", "@wal"], 64, "did you mean @wall?"),
                (["album", "save", "--write", "photos.store", "x", "rating >"], 64, "value is expected"),
                (["album", "save", "--write", "photos.store", "albums", "rating = 5"], 64, "choose another name"),
                (["album", "add", "--write", "photos.store", "wall", "nothing"], 65, "no document nothing"),
                (["album", "save", "photos.store", "x"], 77, "--write"),
                (["similar", "photos.store", "@wall", "scan-0001"], 64, "in the collection photos"),
                (["doc", "get", "photos.store", "@wall", "scan-0001"], 64, "@wall is an album"),
                (["find", "photos.store", "wall"], 64, "did you mean the album @wall?"),
                (["album", "save", "--write", "photos.store", "wall", "rating = 5", "--no-input"], 77, "by hand"),
            ] as [([String], Int32, String)] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == code && outcome.says(message), "\(arguments): \(outcome)")
            }
            let stale = try place.run(
                [
                    "doc", "put", "--write", "photos.store", "@albums",
                    #"{"id":"s","collection":"photos","condition":"a >>"}"#,
                ])
            #expect(stale.code == 0)
            let broken = try place.run("find", "photos.store", "@s")
            #expect(broken.code == 64 && broken.says("the condition of the album s is invalid"), "\(broken)")
            #expect(try run("album", "list", "photos.store").says("album s"))
        }
    }

    @Test func `Pictures without GPS are found by plain conditions`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let missing = try place.run("count", "photos.store", "photos", "gps missing")
            for condition in ["not gps exists", "not (gps exists)"] {
                #expect(try place.run("count", "photos.store", "photos", condition).output == missing.output)
            }
            #expect(missing.output != "0\n" && missing.output != "301\n")
        }
    }
}
