import Foundation
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Conditions from programs` {
    @Test func `JSON conditions and named values are never parsed as notation`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            func count(_ arguments: String...) throws -> String {
                let outcome = try place.run(["find", "photos.store", "photos", "--count"] + arguments)
                #expect(outcome.code == 0, "\(arguments): \(outcome)")
                return outcome.output
            }
            let rated = try count("rating >= 4")
            #expect(try count("--filter-json", #"{"rating": {"$gte": 4}}"#) == rated && rated != "0\n")
            #expect(try count("rating >= :least", "--param", "least=4") == rated)
            let both = try count("rating >= 4 and keywords has sea")
            #expect(try count("keywords has sea", "--filter-json", #"{"rating": {"$gte": 4}}"#) == both)
            #expect(try count("keywords has :word and rating >= :n", "--param", "word=sea", "--param", "n=4") == both)
            // Input that looks like a condition is taken literally.
            #expect(try count("title = :t", "--param", "t=x or rating > 0") == "0\n")
            #expect(try count("title = :t", "--param", #"t="4""#) == "0\n")
            // As typed in the shell.
            let typed = try place.run(
                "photos.store", "-c",
                #"find photos rating >= :n --param n=4 --count --filter-json {"rating": {"$lte": 4}}"#)
            let same = try count("rating = 4")
            #expect(typed.code == 0 && typed.output == same, "\(typed)")
            for command in ["search photos.store photos snow --where", "facets photos.store photos rating --where"] {
                let named = try place.run(
                    command.split(separator: " ").map(String.init) + ["rating >= :n", "--param", "n=4"])
                let plain = try place.run(command.split(separator: " ").map(String.init) + ["rating >= 4"])
                #expect(
                    named.code == 0 && named.output == plain.output && !plain.output.isEmpty, "\(command): \(named)")
            }
        }
    }

    @Test func `Invalid conditions from programs are rejected with the reason`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for (arguments, message) in [
                (["rating >= :n"], ":n"), (["--param", "n"], "NAME=VALUE"), (["--param", "=4"], "NAME=VALUE"),
                (["rating = :n", "--param", "n=1", "--param", "n=2"], "given twice"),
                (["--filter-json", "{"], "JSON"), (["--filter-json", #"{"a": {"$near": 1}}"#], "$near"),
                (["--count", "--exists"], "cannot be combined"),
                (["--fields", "title,-exif"], "both selects and omits fields"),
            ] as [([String], String)] {
                let outcome = try place.run(["find", "photos.store", "photos"] + arguments)
                #expect(outcome.code == 64 && outcome.says(message) && outcome.output == "", "\(arguments): \(outcome)")
            }
        }
    }

    @Test func `A query that would scan every document is rejected if --no-scan is given`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for arguments in [
                ["find", "photos.store", "photos", "title = x"],
                ["find", "photos.store", "photos", "title = x", "--count"],
                ["facets", "photos.store", "photos", "title"], ["export", "photos.store", "photos", "title = x"],
                ["explain", "photos.store", "photos", "title = x"],
            ] {
                let outcome = try place.run(arguments + ["--no-scan"])
                #expect(outcome.code == 64 && outcome.says("every document"), "\(arguments): \(outcome)")
                #expect(try place.run(arguments).code == 0, "\(arguments)")
            }
            let indexed = try place.run("find", "photos.store", "photos", "rating = 5", "--count", "--no-scan")
            #expect(indexed.output == "23\n", "\(indexed)")
        }
    }
}

@Suite(.waitsForPrograms) struct `Query output` {
    @Test func `find --exists reports only whether there are matching documents`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let some = try place.run("find", "photos.store", "photos", "rating = 5", "--exists")
            let none = try place.run("find", "photos.store", "photos", "rating = 50", "--exists")
            #expect(some.code == 0 && some.output == "" && some.error == "", "\(some)")
            #expect(none.code == 1 && none.output == "" && none.says("no document of photos matches"), "\(none)")
            let quiet = try place.run("find", "photos.store", "photos", "rating = 50", "--exists", "-q")
            #expect(quiet.code == 1 && quiet.error == "", "\(quiet)")
        }
    }

    @Test func `Fields can be excluded from the output`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let document = #"{"id":"a","n":1,"m":{"p":1,"q":2},"k":[{"x":1,"y":2},{"x":3}],"e":null}"#
            #expect(try place.run("doc", "put", "--write", "items.store", "items", document).code == 0)
            for (fields, expected) in [
                ("-m", #"{"id":"a","n":1,"k":[{"x":1,"y":2},{"x":3}],"e":null}"#),
                ("-m.p,-k[].x", #"{"id":"a","n":1,"m":{"q":2},"k":[{"y":2},{}],"e":null}"#),
                ("-k[],-absent.x,-n.x", #"{"id":"a","n":1,"m":{"p":1,"q":2},"k":[],"e":null}"#),
                ("n,m.q", #"{"n":1,"m.q":2}"#),
            ] {
                let found = try place.run("find", "items.store", "items", "--fields", fields)
                #expect(found.output == expected + "\n", "\(fields): \(found)")
            }
        }
    }

    @Test func `Matching words are highlighted on request`() throws {
        try Workplace.with { place in
            try place.makeItems()
            for (id, text) in [("a", "Fog over the **old** bridge"), ("b", "a bridge"), ("c", "no more")] {
                let put = try place.run(
                    "doc", "put", "--write", "items.store", "items", #"{"id":"\#(id)","t":"\#(text)"}"#)
                #expect(put.code == 0, "\(put)")
            }
            let found = try place.run(
                "search", "items.store", "items", "bridge OR more", "--highlight", "--fields", "id", "--mode", "jsonl")
            #expect(
                Set(found.lines) == [
                    #"{"id":"a","highlights":["Fog over the **old** **bridge**"]}"#,
                    #"{"id":"b","highlights":["a **bridge**"]}"#, #"{"id":"c","highlights":["no **more**"]}"#,
                ], "\(found)")
        }
    }

    @Test func `Verbose output describes the query on standard error`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let quiet = try place.run("find", "photos.store", "photos", "rating = 5", "--count")
            let verbose = try place.run("find", "-v", "photos.store", "photos", "rating = 5", "--count")
            #expect(verbose.output == quiet.output && quiet.error == "")
            for part in ["a document store with photos (301)", "index rating", "took "] {
                #expect(verbose.says(part), "\(verbose)")
            }
        }
    }
}

@Suite(.waitsForPrograms) struct `Query explanation` {
    @Test func `find, search, facets and distinct explain how they are answered`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let rows = (0..<200).map { #"{"id":"i\#($0)","n":\#($0 % 7),"t":"word \#($0)","k":["a"]}"# }
            #expect(
                try place.run(
                    ["import", "--write", "items.store", "items", "-"], input: Array(rows.joined(separator: "\n").utf8)
                ).code == 0)
            for (words, parts) in [
                (["items", "n = 3"], ["index n", "\"docsExamined\":29", "\"returned\":29"]),
                (["find", "items", "n = 3"], ["index n", "\"returned\":29"]),
                (["search", "items", "word"], ["index t", "\"matches\":200", "\"returned\":20"]),
                (["search", "items", "word", "--where", "n = 3", "--limit", "5"], ["n = 3", "\"returned\":5"]),
                (["facets", "items", "n"], ["values of the keys of n", "\"docsExamined\":0", "\"returned\":7"]),
                (["distinct", "items", "n"], ["values of the keys of n", "\"returned\":7"]),
                (["facets", "items", "n", "--where", "n = 3"], ["index n", "\"docsExamined\":29"]),
                (["distinct", "items", "t"], ["scan", "\"docsExamined\":200"]),
            ] as [([String], [String])] {
                let outcome = try place.run(["explain", "items.store"] + words)
                #expect(outcome.code == 0 && parts.allSatisfy { outcome.output.contains($0) }, "\(words): \(outcome)")
                let plan = try place.run(["explain", "items.store"] + words + ["--plan"])
                #expect(plan.code == 0 && !plan.output.contains("\"ms\""), "\(words): \(plan)")
            }
            #expect(try place.run("explain", "items.store", "facets").says("needs a collection"))
            #expect(try place.run("explain", "items.store", "facets", "items").says("needs a field"))
        }
    }
}

@Suite(.waitsForPrograms) struct `Queries that look like mistakes` {
    @Test(
        arguments: [
            (["find", "ratng = 5"], "ratng; did you mean rating?"), (["find", "ratng = 5", "--count"], "rating?"),
            (["find", "ratng = 5", "--exists"], "rating?"), (["find", "rating = 5", "--sort", "takn"], "taken?"),
            (["find", "rating = 5", "--fields", "id,titel"], "title?"), (["find", "rating = '4'"], "rating = 4?"),
            (["find", "keywords = sea"], "keywords HAS"), (["find", "rating >= four"], "holds numbers"),
            (["find", "taken > yesterday"], "holds dates"),
            (["find", "year(date) = 2012"], "describe lists the fields"),
            (["find", "--filter-json", #"{"ratng": 5}"#], "rating?"),
            (["facets", "camera"], "no document has a field camera"),
            (["facets", "rating", "--where", "ratng = 5"], "rating?"), (["distinct", "ratin"], "rating?"),
            (["search", "snow", "--where", "ratng = 5"], "rating?"),
            (["search", "snow", "--fields", "titel"], "title?"),
            (["export", "ratng = 5"], "rating?"), (["export", "--sort", "takn"], "taken?"),
        ] as [([String], String)])
    func `A query that looks like a mistake is answered with a warning, and fails with --strict`(
        arguments: [String], message: String
    ) throws {
        try Workplace.with { place in
            try place.makePhotos()
            let command = [arguments[0], "photos.store", "photos"] + arguments.dropFirst()
            let outcome = try place.run(command)
            #expect([0, 1].contains(outcome.code) && outcome.says("warning: ") && outcome.says(message), "\(outcome)")
            #expect(!outcome.output.contains("warning"))
            let quiet = try place.run(command + ["--quiet"])
            #expect(quiet.code == outcome.code && !quiet.says("warning") && quiet.output == outcome.output, "\(quiet)")
            let strict = try place.run(command + ["--strict"])
            #expect(strict.code == 64 && strict.says(message) && strict.output == "", "\(strict)")
        }
    }

    @Test(arguments: [
        ["find", "rating = 99"], ["find", "people[] = nobody"], ["find", "caption missing"], ["facets", "exif.model"],
        ["find", "rating = 5", "--sort", "-taken", "--fields", "id,title,year"], ["search", "zzzz"],
        ["find", "taken >= 2050-01-01"], ["distinct", "lang"],
    ])
    func `A correct query with few or no results causes no warning`(arguments: [String]) throws {
        try Workplace.with { place in
            try place.makePhotos()
            let command = [arguments[0], "photos.store", "photos"] + arguments.dropFirst()
            let outcome = try place.run(command + ["--strict"])
            #expect(outcome.code == 0 && !outcome.says("warning"), "\(outcome)")
            #expect(try !place.run(command).says("warning"))
        }
    }
}

@Suite(.waitsForPrograms) struct `exiftool dates` {
    @Test func `exiftool dates are compared with dates as people write them`() throws {
        try Workplace.with { place in
            let schema = #"{"collections":{"files":{"id":"SourceFile"}}}"#
            try place.write(schema, to: "mine.json")
            #expect(try place.run("init", "mine.store", "--schema", "mine.json").code == 0)
            let pictures = (1...9).map {
                #"{"SourceFile":"\#($0).jpg","ExifIFD:DateTimeOriginal":"200\#($0):01:01 10:00:00"}"#
            }
            let imported = try place.run(
                "import", "--write", "mine.store", "files", "-", "--format", "exiftool-json",
                input: "[" + pictures.joined(separator: ",") + "]")
            #expect(imported.code == 0, "\(imported)")
            for (condition, count) in [
                ("ExifIFD:DateTimeOriginal >= 2003-01-01", 7), ("ExifIFD:DateTimeOriginal > '2003-01-01'", 6),
                ("ExifIFD:DateTimeOriginal = 2003-01-01", 1), ("ExifIFD:DateTimeOriginal < 2003-01-01T10:00:00", 2),
                ("ExifIFD:DateTimeOriginal between 2003-01-01 and 2005-01-01", 3),
                ("ExifIFD:DateTimeOriginal != 2003-01-01", 8),
                ("ExifIFD:DateTimeOriginal in (2003-01-01, 2004-01-01)", 2),
            ] {
                let outcome = try place.run("find", "mine.store", "files", condition, "--count", "--strict")
                #expect(outcome.output == "\(count)\n", "\(condition): \(outcome)")
            }
            for (selector, count) in [
                (#"{"ExifIFD:DateTimeOriginal":{"$gte":{"$date":"2003-01-01T10:00:00"}}}"#, 7),
                (#"{"ExifIFD:DateTimeOriginal":{"$lt":{"$date":"2003-01-01T10:00:00"}}}"#, 2),
                (#"{"ExifIFD:DateTimeOriginal":{"$eq":{"$date":"2003-01-01T10:00:00"}}}"#, 1),
            ] {
                let outcome = try place.run("find", "mine.store", "files", "--filter-json", selector, "--count")
                #expect(outcome.output == "\(count)\n", "\(selector): \(outcome)")
            }
            let named = try place.run(
                "find", "mine.store", "files", "ExifIFD:DateTimeOriginal >= :day", "--param", "day=2003-01-01",
                "--count")
            #expect(named.output == "7\n", "\(named)")
        }
    }
}
