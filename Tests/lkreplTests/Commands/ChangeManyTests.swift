import DocIndex
import Testing

@testable import lkrepl

/// `update`, `delete` and `doc apply`.
@Suite(.waitsForPrograms) struct `Changes of many documents` {
    private func count(_ condition: String, in place: Workplace) throws -> String {
        try place.run("find", "photos.store", "photos", condition, "--count").output
    }

    @Test func `An update in words, by options, as JSON and in the shell changes the same documents`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let store = ["photos.store", "photos"]
            for (number, arguments) in [
                ["WHERE", "rating = 5", "SET", "mark = 0, keywords += river"],
                ["WHERE rating = 5 SET mark = 1, keywords -= river"],
                ["SET", "mark", "=", "2", "WHERE", "rating", "=", "5"],
                ["--where", "rating = 5", "--set", "mark = 3", "--set", "REMOVE other"],
                ["--filter-json", #"{"rating": 5}"#, "--set-json", #"{"$set": {"mark": 4}}"#],
                ["WHERE", "rating = :r", "SET", "mark = :m", "--param", "r=5", "--param", "m=5"],
                ["WHERE", "rating = 5 SET mark = 6"],
            ].enumerated() {
                let outcome = try place.run(["update", "--write", "--yes"] + store + arguments)
                #expect(outcome.code == 0 && outcome.error == "update: updated 23 documents\n", "\(outcome)")
                #expect(try count("mark = \(number)", in: place) == "23\n")
            }
            #expect(try count("rating = 5 AND keywords has river", in: place) == "0\n")
            for (number, line) in [
                "update photos WHERE rating = 5 SET mark = 7, keywords += \"a b\"",
                "update photos WHERE 'rating = 5' SET 'mark = 8, keywords \"a b\" -> \"c d\"'",
                "update photos where mark = 8 set mark = 9, keywords -= \"c d\", mark -> number, number -> mark",
                "update photos WHERE title = set OR rating = 5 SET mark = 10",
            ].enumerated() {
                let outcome = try place.run("--write", "--yes", "photos.store", "-c", line)
                #expect(outcome.code == 0 && outcome.error == "update: updated 23 documents\n", "\(line): \(outcome)")
                #expect(try count("mark = \(number + 7)", in: place) == "23\n")
            }
            #expect(try count(#"keywords has "c d""#, in: place) == "0\n")
            let again = try place.run(["update", "--write", "--yes"] + store + ["WHERE rating = 5 SET mark = 10"])
            #expect(again.error == "update: updated 0 documents; 23 need no change\n")
            let all = try place.run(
                ["update", "--write", "--yes", "--all-documents"] + store + ["SET", "seen = true"])
            #expect(all.error == "update: updated 301 documents\n", "\(all)")
            let small = try place.run(
                ["update", "--write", "--yes", "--batch-bytes", "10K"] + store + ["WHERE seen = true SET seen = false"])
            #expect(small.code == 0 && small.says("updated 301 documents, in "), "\(small)")
        }
    }

    @Test func `A condition that looks like a mistake changes nothing unless that is wanted`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let before = try place.dump("photos.store")
            let change = [
                "update", "--write", "--yes", "photos.store", "photos", "WHERE", "ratng missing", "SET", "a = 1",
            ]
            #expect(try place.run(change).code == 64 && place.dump("photos.store") == before)
            let shell = try place.run(
                "--write", "photos.store", "-c", ".confirm off", "-c", "delete photos WHERE 'ratng missing'")
            #expect(try shell.code == 64 && place.dump("photos.store") == before, "\(shell)")
            let wanted = try place.run(change + ["--despite-warnings"])
            #expect(wanted.code == 0 && wanted.says("did you mean rating?"), "\(wanted)")
            #expect(wanted.says("update: updated 301 documents"), "\(wanted)")
        }
    }

    @Test func `A dry run for people shows where long values differ`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let change = ["update", "-n", "--mode", "line", "photos.store", "photos", "WHERE", "id = scan-0001", "SET"]
            let list = try place.run(change + ["keywords += river"])
            #expect(list.code == 0 && list.output.contains("river") && list.output.contains("…"), "\(list)")
            #expect(!list.output.contains("wedding"), "\(list)")
            let text = try place.run(change + [#"caption += TEXT " (cropped)""#])
            #expect(text.output.contains("(cropped)") && !text.output.contains("squinting"), "\(text)")
            // Only the order of the members differs.
            let order = try place.run(change + ["REMOVE rating, rating = 4"])
            #expect(order.output.contains("(order)") && !order.output.contains("squinting"), "\(order)")
            #expect(order.output.contains("lang, rating") && order.output.contains("people, rating"), "\(order)")
        }
    }

    @Test func `A deletion by a condition deletes exactly the documents that satisfy it`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let show = try place.run("delete", "-n", "photos.store", "photos", "WHERE", "rating = 5", "--limit", "2")
            #expect(show.code == 0 && show.lines.count == 2 && show.output.contains(#""before":{"#), "\(show)")
            #expect(show.says("21 more documents are not shown") && show.says("would delete 23 documents"), "\(show)")
            let outcome = try place.run("delete", "--write", "--yes", "photos.store", "photos", "WHERE rating = 5")
            #expect(outcome.code == 0 && outcome.error == "delete: deleted 23 documents\n", "\(outcome)")
            #expect(try count("rating = 5", in: place) == "0\n" && count("", in: place) == "278\n")
        }
    }

    @Test func `A dry run shows documents before and after, and changes nothing`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let before = try place.run("digest", "photos.store").output
            let rows = try place.run(
                "update", "-n", "photos.store", "photos", "WHERE rating = 5 SET rating = 6", "--limit", "1")
            #expect(rows.code == 0 && rows.lines.count == 1, "\(rows)")
            #expect(rows.output.contains(#""rating":5"#) && rows.output.contains(#""rating":6"#), "\(rows)")
            #expect(rows.says("22 more documents") && rows.says("update: would update 23 documents"), "\(rows)")
            let table = try place.run(
                "update", "-n", "photos.store", "photos", "--mode", "table", "WHERE rating = 5 SET rating = 6, x = 1")
            #expect(table.code == 0 && table.output.contains("field") && table.output.contains("rating"), "\(table)")
            #expect(try place.run("digest", "photos.store").output == before)
        }
    }

    @Test func `A change that is not allowed or not confirmed is refused`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for (arguments, code, message) in [
                (["update", "WHERE rating = 5 SET x = 1"], 77, "--write"),
                (["delete", "WHERE rating = 5"], 77, "--write"),
                (["update", "--write", "WHERE rating = 5 SET x = 1"], 77, "update 23 documents of photos"),
                (["delete", "--write", "WHERE rating = 5"], 77, "--yes"),
                (["update", "--write", "--yes", "SET x = 1"], 64, "--all-documents"),
                (["delete", "--write", "--yes"], 64, "delete needs a condition"),
                (["delete", "--write", "--yes", "rating = 5"], 64, "WHERE is expected"),
                (["update", "--write", "--yes", "WHERE rating = 5"], 64, "needs assignments"),
                (["update", "--write", "--yes", "WHERE rating = SET x = 1"], 64, "a value"),
                (
                    ["update", "--write", "--yes", "WHERE rating = 5 SET x 1"], 64,
                    "the update cannot be read at character"
                ),
                (["update", "--write", "--yes", "WHERE rating = 5 SET id = 1"], 65, "id"),
                (["update", "--write", "--yes", "WHERE rating = 5 SET rating.x = 1"], 64, "no member x"),
                (["update", "--write", "--yes", "--all-documents", "WHERE rating = 5 SET x = 1"], 64, "combined"),
                (
                    ["update", "--write", "--yes", "--batch-bytes", "1K", "WHERE rating > 0 SET rating += 1"], 64,
                    "--batch-bytes"
                ),
                (["update", "--write", "--yes", "--strict", "WHERE ratng = 5 SET rating = 1"], 64, "ratng"),
                (["update", "--write", "--yes", "WHERE rating = 5 SET keywords = sea"], 64, "nothing was changed"),
            ] as [([String], Int32, String)] {
                var arguments = arguments
                let first = arguments.firstIndex { !$0.hasPrefix("-") && $0 != arguments[0] && $0 != "1K" }
                arguments.insert(contentsOf: ["photos.store", "photos"], at: first ?? arguments.endIndex)
                let outcome = try place.run(arguments)
                #expect(outcome.code == code && outcome.says(message), "\(arguments): \(outcome)")
            }
            #expect(try count("rating = 5", in: place) == "23\n" && count("x exists", in: place) == "0\n")
            let meant = try place.run(
                "update", "--write", "--yes", "--despite-warnings", "photos.store", "photos",
                "WHERE id = scan-0011 SET keywords = sea")
            #expect(meant.code == 0 && meant.says("warning: keywords holds arrays"), "\(meant)")
            // A warning about a field that no document has.
            let warned = try place.run("update", "--write", "photos.store", "photos", "WHERE ratng = 5 SET rating = 1")
            #expect(warned.code == 0 && warned.says("ratng") && warned.says("updated 0 documents"), "\(warned)")
        }
    }

    @Test func `doc apply and doc put read byte order marks and UTF-16`() throws {
        try Workplace.with { place in
            try place.makeItems()
            func encodings(_ text: String) -> [[UInt8]] {
                let marked: [UInt8] = [0xef, 0xbb, 0xbf] + Array(text.utf8)
                var wide: [UInt8] = [0xff, 0xfe]
                for unit in text.utf16 { wide += [UInt8(unit & 255), UInt8(unit >> 8)] }
                return [marked, wide]
            }
            for bytes in encodings(#"{"id":"a","t":"Grüße"}"#) {
                let put = try place.run(["doc", "put", "--write", "items.store", "items", "-"], input: bytes)
                #expect(put.code == 0, "\(put)")
            }
            for bytes in encodings(#"{"put":{"id":"c","t":"Grüße"}}"# + "\n") {
                try place.write(bytes, to: "changes.jsonl")
                let applied = try place.run("doc", "apply", "--write", "items.store", "changes.jsonl")
                #expect(applied.code == 0 && applied.says("1 put"), "\(applied)")
            }
            #expect(try place.run("count", "items.store", "items", "t = Grüße").output == "2\n")
        }
    }

    @Test func `A terminal is asked before albums, searches and several documents are lost`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.makeAlbums()
            try place.write(#"{"delete": "scan-0001"}"# + "\n", to: "changes.jsonl")
            for (arguments, question, scriptsConfirm) in [
                (["album", "drop", "photos.store", "wall"], "delete the album wall, which holds 2 documents", true),
                (["album", "drop", "photos.store", "best"], "delete the saved search best", false),
                (["album", "save", "photos.store", "best", "rating = 5"], "replace the saved search best", false),
                (
                    ["doc", "del", "photos.store", "photos", "scan-0001", "2010-07-18-0031"],
                    "delete 2 documents of photos", false
                ),
                (["doc", "apply", "photos.store", "changes.jsonl"], "apply a file that deletes 1 document", false),
            ] {
                let before = try place.dump("photos.store")
                let terminal = try TerminalSession(["--write"] + arguments, in: place)
                _ = try terminal.expect(question)
                _ = try terminal.expect("[y/N] ")
                try terminal.type("n\n")
                #expect(try terminal.end() == 1, "\(arguments)")
                #expect(try place.dump("photos.store") == before, "\(arguments)")
                // A script is not asked, and confirms what cannot be made again.
                if scriptsConfirm {
                    #expect(try place.run(arguments + ["--write"]).code == 77)
                    #expect(try place.dump("photos.store") == before, "\(arguments)")
                }
                let outcome = try place.run(arguments + ["--write"] + (scriptsConfirm ? ["--yes"] : []))
                #expect(try outcome.code == 0 && place.dump("photos.store") != before, "\(arguments): \(outcome)")
                try place.remove("photos.store")
                try place.makePhotos()
                try place.makeAlbums()
            }
        }
    }

    @Test func `A replaced or deleted search is told with the command that brings it back`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let search = "rating >= 4 and title != 'it''s'".replacing("''", with: "’")
            #expect(
                try place.run("album", "save", "--write", "photos.store", "best", search, "--sort", "-taken").code == 0)
            let before = try place.run("album", "show", "photos.store", "best").output
            let dry = try place.run("album", "save", "-n", "photos.store", "best", "rating = 5")
            #expect(dry.code == 0 && dry.says("would replace @best, with 23 documents"), "\(dry)")
            #expect(try place.run("album", "save", "-n", "photos.store", "new").says("would save @new"))
            #expect(try place.run("album", "save", "-n", "photos.store", "new", "rating =").code == 64)
            #expect(try place.run("album", "show", "photos.store", "best").output == before)
            #expect(try place.run("album", "save", "--write", "photos.store", "rating = 5").says("a name before it"))
            for change in [
                ["save", "--write", "photos.store", "best", "rating = 5"], ["drop", "--write", "photos.store", "best"],
            ] {
                let outcome = try place.run(["album"] + change)
                let parts = outcome.error.split(separator: "to bring it back: lkrepl ")
                #expect(outcome.code == 0 && parts.count == 2, "\(outcome)")
                let back = try place.shell("'\(Binary.path)' " + String(parts[1]))
                #expect(back.code == 0, "\(back)")
                #expect(try place.run("album", "show", "photos.store", "best").output == before)
            }
        }
    }

    @Test func `A dry run of a file of operations shows each document before and after`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let input = """
                {"put": {"id": "new", "rating": 1}}
                {"patch": {"rating": 2}, "id": "scan-0001"}
                {"patch": {"mark": 1}, "id": "scan-0001"}
                {"delete": "2008-03-22-0007"}
                {"delete": "none"}
                {"patch": {"rating": 1}, "id": "new"}
                {"put": {"id": "short"}}
                {"delete": "short"}
                """
            let before = try place.run("digest", "photos.store").output
            let dry = try place.run("doc", "apply", "-n", "photos.store", "-", input: input)
            let rows = try dry.lines.map { try DocumentValue(json: $0) }
            #expect(dry.code == 0 && rows.map { $0["id"] } == ["new", "scan-0001", "2008-03-22-0007"], "\(dry)")
            #expect(rows[0]["before"] == nil && rows[0]["after"]?["rating"] == 1)
            #expect(rows[1]["before"]?["rating"] == 4 && rows[1]["after"]?["rating"] == 2)
            #expect(rows[1]["before"]?["mark"] == nil && rows[1]["after"]?["mark"] == 1)
            #expect(rows[2]["before"]?["id"] == "2008-03-22-0007" && rows[2]["after"] == nil)
            let table = try place.run("doc", "apply", "-n", "photos.store", "-", "--mode", "table", input: input)
            #expect(table.output.contains("rating") && table.output.contains("mark"), "\(table)")
            let many = (0..<30).map { #"{"put":{"id":"m\#($0)"}}"# + "\n" }.joined()
            let part = try place.run("doc", "apply", "-n", "photos.store", "-", input: many)
            #expect(part.lines.count == 20 && part.says("10 more documents are not shown"), "\(part)")
            #expect(try place.run("digest", "photos.store").output == before)
            // A changed member of an object is named by its path; another order of members is one row.
            let inner = #"{"update": "exif.iso = 123", "id": "2004-12-27-0016"}"# + "\n"
            let path = try place.run("doc", "apply", "-n", "photos.store", "-", "--mode", "tsv", input: inner)
            #expect(path.code == 0, "\(path)")
            let shown = try place.run("doc", "apply", "-n", "photos.store", "-", "--mode", "table", input: inner)
            #expect(shown.output.contains("exif.iso") && shown.output.contains("123"), "\(shown)")
        }
    }

    @Test func `A terminal is asked with the number of documents`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let prompt = "photos.store rw!> "
            let terminal = try TerminalSession(["--write", "photos.store", "-q"], in: place)
            _ = try terminal.expect(prompt)
            for (answer, number) in [("n", "0\r\n"), ("y", "23\r\n")] {
                try terminal.type("update photos WHERE rating = 5 SET mark = 1\n")
                _ = try terminal.expect("update 23 documents of photos in photos.store? [y/N] ")
                try terminal.type(answer + "\n")
                _ = try terminal.expect(prompt)
                #expect(try terminal.run("find photos mark = 1 --count", prompt: prompt) == number)
            }
            try terminal.type("quit\n")
            _ = try terminal.end()
        }
    }

    // MARK: - doc apply

    @Test func `An update that would break a unique index changes nothing, and names both documents`() throws {
        try Workplace.with { place in
            let schema = #"{"collections":{"c":{"indexes":{"u":{"fields":["u"],"unique":true}}}}}"#
            try place.write(schema, to: "schema.json")
            try place.write((1...3).map { #"{"id":"d\#($0)","u":\#($0)}"# + "\n" }.joined(), to: "c.jsonl")
            #expect(try place.run("init", "s.store", "--schema", "schema.json").code == 0)
            #expect(try place.run("import", "--write", "s.store", "c", "c.jsonl", "-q").code == 0)
            let before = try place.dump("s.store")
            for options in [["-n"], ["--write", "--yes"]] {
                let outcome = try place.run(["update", "s.store", "c", "WHERE", "u >= 1", "SET", "u = 4"] + options)
                #expect(outcome.code == 65 && outcome.says("unique index u"), "\(outcome)")
                #expect(["d1", "d2", "d3"].count { outcome.says($0) } >= 2, "\(outcome)")
                #expect(try place.dump("s.store") == before)
            }
            // Each value moves to that of the next document, which is free only afterwards.
            let moved = try place.run("update", "--write", "--yes", "s.store", "c", "WHERE", "u >= 1", "SET", "u += 1")
            #expect(moved.code == 0 && moved.says("updated 3 documents"), "\(moved)")
            #expect(try place.run("count", "s.store", "c", "u in (2, 3, 4)").output == "3\n")
        }
    }

    @Test func `A file of operations is one commit, which one undo takes back`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.keepHistory()
            let before = try place.run("find", "photos.store", "photos", "--sort", "id")
            let commits = try place.run("commits", "photos.store").lines.count
            let input = """
                {"put": {"id": "new", "rating": 1}}
                {"patch": {"rating": 2}, "id": "scan-0001"}
                {"update": {"$set": {"mark": 1}}, "id": "scan-0005"}
                {"delete": "2008-03-22-0007"}
                """
            #expect(try place.run("doc", "apply", "--write", "photos.store", "-", input: input).code == 0)
            let after = try place.run("commits", "photos.store").lines
            #expect(after.count == commits + 1 && after.first?.contains(#""documents":4"#) == true, "\(after)")
            #expect(try place.run("undo", "--write", "--yes", "photos.store", "-q").code == 0)
            #expect(try place.run("find", "photos.store", "photos", "--sort", "id").output == before.output)
        }
    }

    @Test func `A file of operations is applied in one commit`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let id = "scan-0001"
            let input = """
                {"put": {"id": "new", "taken": {"$date": "2020-01-01T00:00:00Z"}, "rating": 1}, "if": "absent"}
                {"patch": {"rating": 2, "x": null}, "id": "new"}

                {"update": "keywords += river", "id": "new", "in": "photos", "if": "present"}
                {"update": {"$set": {"mark": 1}}, "id": "\(id)"}
                {"delete": "scan-0005"}
                {"delete": "none"}
                """
            let dry = try place.run("doc", "apply", "-n", "photos.store", "-", input: input)
            let what = "1 put, 1 patched, 2 updated, 1 deleted, 1 not found for deletion"
            #expect(dry.code == 0 && dry.error == "doc apply: \(what); dry run, nothing was written\n", "\(dry)")
            #expect(try place.run("doc", "get", "photos.store", "photos", "new").code == 1)
            let outcome = try place.run("doc", "apply", "--write", "photos.store", "-", input: input)
            #expect(outcome.code == 0 && outcome.error == "doc apply: \(what)\n", "\(outcome)")
            let new = try #require(try place.run("doc", "get", "photos.store", "photos", "new").lines.first)
            #expect(new.contains(#""rating":2"#) && new.contains(#""river""#) && new.contains(#"{"$date":"#), "\(new)")
            #expect(try place.run("doc", "get", "photos.store", "photos", "scan-0005").code == 1)
            // The content as printed is the condition of the next change.
            let next = #"{"delete": "new", "if": {"content": \#(new)}}"#
            #expect(try place.run("doc", "apply", "--write", "photos.store", "-", input: next).code == 0)
            #expect(try place.run("doc", "apply", "--write", "photos.store", "-", input: "").says("nothing to do"))
        }
    }

    @Test func `If one line fails, nothing is written, and the error names it`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let before = try place.run("digest", "photos.store").output
            for (line, message) in [
                (#"{"put": {"id": "scan-0001"}, "if": "absent"}"#, "already has a document scan-0001"),
                (#"{"patch": {"a": 1}, "id": "none"}"#, "no document none"),
                (#"{"delete": "none", "if": "present"}"#, "no document none"),
                (#"{"delete": "scan-0001", "if": {"sequence": 99}}"#, "not by 99"),
                (#"{"delete": "scan-0001", "if": {"content": {"id": "scan-0001"}}}"#, "different content"),
                (#"{"delete": "none", "if": {"content": {"id": "none"}}}"#, "no document none"),
                (#"{"update": "rating", "id": "scan-0001"}"#, "the update cannot be read"),
                (#"{"update": "id = 4", "id": "scan-0001"}"#, "cannot change its id"),
                (#"{"delete": "a", "in": "nope"}"#, "no collection named nope"), (#"{"put": 5}"#, "JSON object"),
                (#"{"put": {}, "delete": "a"}"#, "one of the members"), (#"{"id": "a"}"#, "one of the members"),
                (#"{"delete": "a", "id": "b"}"#, "unknown member id"), (#"{"delete": 1.5}"#, "string or an integer"),
                (#"{"delete": "a", "if": "maybe"}"#, "\"if\" must be"), (#"{"delete": "a", "in": 5}"#, "in must be"),
                ("{", "line 1"), ("5", "JSON object"),
            ] {
                let input = #"{"put": {"id": "zzz"}}"# + "\n" + line + "\n"
                let outcome = try place.run("doc", "apply", "--write", "photos.store", "-", input: input)
                #expect(
                    outcome.code == 65 || outcome.code == 64, "\(line): \(outcome)")
                #expect(outcome.says(message) && outcome.says("standard input:2"), "\(line): \(outcome)")
            }
            #expect(try place.run("digest", "photos.store").output == before)
            #expect(try place.run("doc", "apply", "photos.store", "-", input: "").code == 77)
            #expect(try place.run("doc", "apply", "--write", "photos.store", "none.jsonl").code == 66)
        }
    }

    @Test func `A doc command that finds no document says so`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for arguments in [
                ["get", "photos.store", "photos", "nope"],
                ["patch", "--write", "photos.store", "photos", "nope", "{}"],
                ["patch", "-n", "photos.store", "photos", "nope", "{}"],
                ["del", "--write", "-q", "photos.store", "photos", "nope"],
                ["del", "-n", "photos.store", "photos", "scan-0001", "nope"],
            ] {
                let outcome = try place.run(["doc"] + arguments)
                #expect(
                    outcome.code == 1 && outcome.says("there is no document nope in photos"), "\(arguments): \(outcome)"
                )
            }
            let several = try place.run("doc", "del", "--write", "photos.store", "photos", "a", "scan-0001", "b")
            #expect(several.code == 1 && several.says("no document a in photos, and 1 more is missing"), "\(several)")
        }
    }
}
