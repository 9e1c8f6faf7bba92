import Foundation
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Searches as people type them` {
    private func withNotes(_ body: (Workplace) throws -> Void) throws {
        try Workplace.with { place in
            let schema = #"{"collections":{"notes":{"indexes":{"t":{"type":"text","fields":["text"]}}}}}"#
            try place.write(schema, to: "schema.json")
            var lines = (0..<30).map { #"{"id":"r\#($0)","text":"A restaurant in München"}"# }
            lines += [
                #"{"id":"a","text":"A red car in the snow"}"#, #"{"id":"b","text":"Red roses"}"#,
                #"{"id":"c","text":"snow on a car"}"#, #"{"id":"d","text":"a restaraunt"}"#,
                #"{"id":"e","text":"golden retriever in the snow"}"#, #"{"id":"f","text":"retail, retail"}"#,
                #"{"id":"g","text":"retail park"}"#,
            ]
            try place.write(lines.joined(separator: "\n") + "\n", to: "notes.jsonl")
            #expect(try place.run("init", "n.store", "--schema", "schema.json").code == 0)
            #expect(try place.run("import", "--write", "n.store", "notes", "notes.jsonl", "--quiet").code == 0)
            try body(place)
        }
    }

    @Test func `search --box ranks documents with all words first, and names operators it cannot apply`() throws {
        try withNotes { place in
            let strict = try place.run("search", "n.store", "notes", "red car in the snow", "--ids")
            let box = try place.run("search", "n.store", "notes", "red car in the snow", "--ids", "--box")
            #expect(strict.code == 0 && strict.output == "a\n", "\(strict)")
            #expect(box.code == 0 && box.output.hasPrefix("a\nc\n"), "\(box)")
            #expect(box.output.split(separator: "\n").count == 4)
            let noted = try place.run("search", "n.store", "notes", "re?ail site:x.org roses", "--ids", "--box")
            #expect(noted.says("note: ") && noted.says("re?ail") && noted.says("site:"), "\(noted)")
            #expect(noted.output == "b\n")
            #expect(
                try !place.run("search", "n.store", "notes", "re?ail roses", "--box", "--quiet").says("note"))
            let scored = try place.run(
                "search", "n.store", "notes", "red snow", "--box", "--score", "--highlight", "--mode", "jsonl")
            #expect(scored.output.contains("**red** car in the **snow**"), "\(scored)")
            #expect(try place.run("search", "n.store", "notes", "red car snow", "--box", "--count").output == "4\n")
            let filtered = try place.run(
                "search", "n.store", "notes", "red car snow", "--box", "--where", "text *= roses", "--ids")
            #expect(filtered.output == "b\n", "\(filtered)")
            let listed = try place.run("find", "n.store", "notes", "SEARCH BOX 'red car snow'", "--count")
            #expect(listed.output == "4\n", "\(listed)")
            let explained = try place.run("explain", "n.store", "search", "notes", "red car snow", "--box")
            #expect(explained.code == 0 && explained.output.contains("\"matches\":4"), "\(explained)")
        }
    }

    @Test func `A search that finds nothing is followed by a suggestion`() throws {
        try withNotes { place in
            for (words, arguments, advice) in [
                ("red zzzz", [], "--box"), ("resteurant", [], "restaurant (30 documents)"),
                ("roses", ["--where", "id = a"], "without the condition"), ("qqqq", [], "search: nothing found"),
                ("resteurant", ["--count"], "restaurant"), ("qqqq", ["--box"], "search: nothing found"),
            ] as [(String, [String], String)] {
                let outcome = try place.run(["search", "n.store", "notes", words] + arguments)
                #expect(outcome.code == 0 && outcome.says(advice), "\(words): \(outcome)")
                #expect(["", "0\n"].contains(outcome.output))
                let quiet = try place.run(["search", "n.store", "notes", words, "--quiet"] + arguments)
                #expect(quiet.code == 0 && !quiet.says(advice), "\(quiet)")
            }
        }
    }

    @Test(
        arguments: [
            ("!fog", ["!fog"]), ("fog || mist && sea", ["||", "&&"]),
            ("har?or *arbor ha*or", ["har?or", "*arbor", "ha*or"]),
            ("title:* *:* *", ["title:*", "*:*", "*"]), ("fog~3 fog~0.8", ["fog~3", "fog~0.8"]),
            ("NEAR(a b)", ["NEAR(a"]), ("NEAR/2(a b)", ["NEAR/2(a"]), ("^fog", ["^fog"]),
            ("golden NEAR gate AROUND(4) park", ["NEAR", "AROUND(4)"]), ("fog||mist&&sea a&b", ["fog||mist&&sea"]),
            ("/fo[gx]/ rain and/or 1/2 /", ["/fo[gx]/"]),
            ("year:[1900 TO 1910] fog", ["year:[1900 TO 1910]"]), ("{title caption}: fog", ["{title caption}:"]),
            ("[a] TO [b]", []), ("fog~ fog~2 bridg* who? \"who!\" -fog a-b title:fog wow!", []),
            ("\"!fog\" a AND b OR c NOT d (e f) what?!", []), ("\"a b\"~5 x^2 12:30 e-mail AT&T ! ~ ?", []), ("", []),
        ] as [(String, [String])])
    func `A strict search names operators that it does not know`(text: String, expected: [String]) {
        #expect(SearchAdvice.foreignOperators(in: text) == expected)
    }

    @Test func `An operator of another search engine is never read as something else in silence`() throws {
        try withNotes { place in
            let strict = try place.run("search", "n.store", "notes", "!roses", "--ids")
            #expect(strict.code == 0 && strict.output == "b\n", "\(strict)")
            #expect(strict.says("note: !roses: read as an ordinary word") && strict.says("--box"), "\(strict)")
            #expect(try !place.run("search", "n.store", "notes", "!roses", "--quiet").says("note"))
            #expect(try !place.run("search", "n.store", "notes", "roses -rain", "--ids").says("note"))
            // Both the spelling and the option.
            let nothing = try place.run("search", "n.store", "notes", "resteurant roses")
            #expect(nothing.says("did you mean restaurant") && nothing.says("--box finds"), "\(nothing)")
        }
    }

    @Test func `A command that finds nothing says so on standard error, unless it is quiet`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for (command, rest, code) in [
                ("suggest", ["snow"], 1), ("complete", ["qqq"], 1), ("duplicates", ["id"], 1),
                ("near", ["0,0", "--within", "1m"], 0), ("timeline", ["taken", "rating = 99"], 0),
                ("find", ["rating = 99"], 0), ("facets", ["rating", "--where", "rating = 99"], 0),
                ("distinct", ["rating", "--where", "rating = 99"], 0), ("search", ["qqqqqq"], 0),
            ] {
                let outcome = try place.run([command, "photos.store", "photos"] + rest)
                #expect(outcome.code == code && outcome.output == "", "\(command): \(outcome)")
                #expect(outcome.says("\(command): nothing found"), "\(command): \(outcome)")
                let quiet = try place.run([command, "photos.store", "photos", "-q"] + rest)
                #expect(quiet.code == code && quiet.error == "", "\(command): \(quiet)")
            }
            for command in ["similar", "history"] {
                let missing = try place.run(command, "photos.store", "photos", "none")
                #expect(missing.code == 1 && missing.says("no document none in photos"), "\(missing)")
            }
        }
    }

    @Test func `A search in a condition names operators that it does not apply`() throws {
        try withNotes { place in
            let box = "SEARCH BOX 're?ail site:x.org roses'"
            for (command, rest) in [
                ("find", ["--ids"]), ("count", []), ("update", ["-n", "--set", "seen = 1"]), ("delete", ["-n"]),
            ] {
                let condition = ["update", "delete"].contains(command) ? ["--where", box] : [box]
                let outcome = try place.run([command, "n.store", "notes"] + condition + rest)
                #expect(outcome.code == 0 && outcome.says("note: re?ail: a wildcard"), "\(command): \(outcome)")
                #expect(outcome.says("note: site: is not supported"), "\(command): \(outcome)")
                let quiet = try place.run([command, "n.store", "notes", "-q"] + condition + rest)
                #expect(quiet.code == 0 && quiet.error == "", "\(quiet)")
            }
            let strict = try place.run("find", "n.store", "notes", "id exists and not SEARCH '!roses'", "--count")
            #expect(strict.says("note: !roses: read as an ordinary word; SEARCH BOX reads"), "\(strict)")
            let refused = try place.run("find", "n.store", "notes", "SEARCH '!roses'", "--strict")
            #expect(refused.code == 64 && refused.says("!roses"), "\(refused)")
            let plain = try place.run("find", "n.store", "notes", "SEARCH BOX 'red roses -rain'", "--count")
            #expect(plain.code == 0 && plain.error == "", "\(plain)")
            let quotes = try place.run("search", "n.store", "notes", "“red car”", "--ids")
            #expect(quotes.says("note: “red car”: read as words; a phrase has plain quotation marks"), "\(quotes)")
            #expect(try place.run("search", "n.store", "notes", "“red car”", "--box", "--ids").error == "")
            #expect(try place.run("search", "n.store", "notes", "the “red", "--count").error == "")
        }
    }

    @Test func `Other forms of a word are highlighted where the language of the field finds them`() throws {
        try Workplace.with { place in
            let field = #"{"path":"text","analyzer":"english"}"#
            let schema = #"{"collections":{"notes":{"indexes":{"t":{"type":"text","fields":[\#(field)]}}}}}"#
            try place.write(schema, to: "schema.json")
            try place.write(#"{"id":"a","text":"Bridges in the fog"}"# + "\n", to: "notes.jsonl")
            let made = try place.run("init", "n.store", "--schema", "schema.json")
            #expect(made.code == 0, "\(made)")
            #expect(try place.run("import", "--write", "n.store", "notes", "notes.jsonl", "--quiet").code == 0)
            let found = try place.run(
                "search", "n.store", "notes", "bridge", "--highlight", "--fields", "id", "--mode", "jsonl")
            #expect(found.lines == [#"{"id":"a","highlights":["**Bridges** in the fog"]}"#], "\(found)")
        }
    }

    @Test func `search --box finds compounds in languages that have them`() throws {
        try Workplace.with { place in
            let schema =
                #"{"collections":{"n":{"indexes":{"t":{"type":"text","fields":[{"path":"text","analyzer":"german"}]}}}}}"#
            try place.write(schema, to: "schema.json")
            let lines = ["Ein Fahrrad", "Der Weg", "Auf dem Fahrradweg"].enumerated()
            let text = lines.map { #"{"id":\#($0),"text":"\#($1)"}"# }.joined(separator: "\n") + "\n"
            try place.write(text, to: "n.jsonl")
            #expect(try place.run("init", "n.store", "--schema", "schema.json").code == 0)
            #expect(try place.run("import", "--write", "n.store", "n", "n.jsonl", "--quiet").code == 0)
            #expect(try place.run("search", "n.store", "n", "fahrrad", "--ids").output == "0\n")
            let box = try place.run("search", "n.store", "n", "fahrrad", "--box", "--ids")
            #expect(box.output == "0\n2\n", "\(box)")
            let marked = try place.run("search", "n.store", "n", "fahrrad", "--box", "--highlight", "--mode", "jsonl")
            #expect(marked.output.contains("**Fahrradweg**"), "\(marked)")
            let explained = try place.run("explain", "n.store", "search", "n", "fahrrad", "--box")
            #expect(explained.output.contains("\"matches\":2"), "\(explained)")
        }
    }

    @Test func `suggest, complete and similar print rows, and exit with 1 if there are none`() throws {
        try withNotes { place in
            let suggested = try place.run("suggest", "n.store", "notes", "golden restaraunt", "--mode", "jsonl")
            #expect(
                suggested.output
                    == #"{"word":"restaraunt","docs":1,"suggestion":"restaurant","suggestionDocs":30}"# + "\n",
                "\(suggested)")
            #expect(try place.run("suggest", "n.store", "notes", "estaurant").output.contains("restaurant"))
            let nothing = try place.run("suggest", "n.store", "notes", "golden")
            #expect(nothing.code == 1 && nothing.output == "", "\(nothing)")
            let completed = try place.run("complete", "n.store", "notes", "golden ret", "--mode", "jsonl")
            #expect(completed.output.hasPrefix(#"{"word":"retriever","docs":1}"#), "\(completed)")
            #expect(completed.output.contains(#"{"word":"retail","docs":2}"#))
            #expect(try place.run("complete", "n.store", "notes", "munc").output.contains("München"))
            #expect(try place.run("complete", "n.store", "notes", "qqq").code == 1)
            let similar = try place.run("similar", "n.store", "notes", "c", "--ids", "--limit", "1")
            #expect(similar.output == "a\n", "\(similar)")
            #expect(try place.run("similar", "n.store", "notes", "none").code == 1)
            // In the shell, where the database is implied.
            let shell = try place.run("n.store", "-c", "complete notes 'golden ret' --limit 1")
            #expect(shell.code == 0 && shell.output.contains("retriever"), "\(shell)")
        }
    }
}
