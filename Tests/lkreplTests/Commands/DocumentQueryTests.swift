import Foundation
import Testing

@testable import lkrepl

@Suite struct `Conditions of programs` {
    @Test func `come as JSON, and values by name, without being read as notation`() throws {
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
            // What looks like a condition is the text that it is.
            #expect(try count("title = :t", "--param", "t=x or rating > 0") == "0\n")
            #expect(try count("title = :t", "--param", #"t="4""#) == "0\n")
            // As the shell types it.
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

    @Test func `tell what is wrong with them`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for (arguments, message) in [
                (["rating >= :n"], ":n"), (["--param", "n"], "NAME=VALUE"), (["--param", "=4"], "NAME=VALUE"),
                (["rating = :n", "--param", "n=1", "--param", "n=2"], "given twice"),
                (["--filter-json", "{"], "JSON"), (["--filter-json", #"{"a": {"$near": 1}}"#], "$near"),
                (["--count", "--exists"], "exclude each other"),
                (["--fields", "title,-exif"], "both names fields and leaves some out"),
            ] as [([String], String)] {
                let outcome = try place.run(["find", "photos.store", "photos"] + arguments)
                #expect(outcome.code == 64 && outcome.says(message) && outcome.output == "", "\(arguments): \(outcome)")
            }
        }
    }

    @Test func `are refused where they would look at every document, if that was asked for`() throws {
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

@Suite struct `What is shown of documents` {
    @Test func `is whether there are any`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let some = try place.run("find", "photos.store", "photos", "rating = 5", "--exists")
            let none = try place.run("find", "photos.store", "photos", "rating = 50", "--exists")
            #expect(some.code == 0 && some.output == "" && some.error == "", "\(some)")
            #expect(none.code == 1 && none.output == "" && none.error == "", "\(none)")
        }
    }

    @Test func `leaves out fields`() throws {
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

    @Test func `marks the words that were found`() throws {
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

    @Test func `is told of at length where that is asked for, on standard error`() throws {
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

@Suite struct `How it comes to its answer` {
    @Test func `is told of find, search, facets and distinct`() throws {
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
