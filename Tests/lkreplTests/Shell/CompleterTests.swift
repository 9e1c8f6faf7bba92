import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct CompletionTests {
    private func withCompleter(_ name: String, _ body: (Completer) throws -> Void) throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.makeDatabase()
            let made = try place.run(
                "--write", "app.db", "-c", "put user/1 a; put user/2 b; put \"user/\\x00\" c; put w d")
            #expect(made.code == 0, "\(made)")
            let session = try Session(path: place.path + "/" + name)
            try ArgumentOrigin.$current.withValue(.shell) {
                try body(
                    Completer(
                        session: session,
                        commandNames: [
                            "find", "count", "get", "doc", "index", "scan", "search", "ls", "update", "delete",
                        ], timeLimit: .seconds(600)))
            }
            try session.close()
        }
    }

    @Test func `Completion offers commands, options, collections, fields, indexes and values`() throws {
        try withCompleter("photos.store") { completer in
            for (text, expected) in [
                ("fi", ["find"]), ("co", ["count"]), (".mo", [".mode"]), ("do", ["doc"]), ("doc p", ["patch", "put"]),
                ("find ", ["photos"]), ("find ph", ["photos"]), ("find photos exif.mo", ["exif.model"]),
                ("find photos rating = 5 and place.ci", ["place.city"]),
                ("find photos 'rating = 5 and place.ci", ["place.city"]),
                ("find photos --lim", ["--limit"]), ("find photos --mode js", ["json", "json-pretty", "jsonl"]),
                ("find photos --fields id,rat", ["rating"]), ("find photos --sort -tak", ["taken"]),
                ("search photos x --where rat", ["rating"]), ("index drop photos rat", ["rating"]),
                ("doc get photos 2004-06-19-0008", ["2004-06-19-0008"]), (".mode cs", ["csv"]),
                (".pager ", ["auto", "off", "on"]), ("update photos ", ["SET", "WHERE"]),
                ("update photos WHERE rating = 5 SE", ["SET"]), ("update photos SET rat", ["rating"]),
                ("update photos WHERE rating = 5 SET exif.mo", ["exif.model"]), ("delete photos ", ["WHERE"]),
                ("find photos;fi", ["find"]), ("bogus ", []), ("find photos # fi", []), ("find a | b", []),
            ] {
                let found = completer.completion(of: text)
                #expect(found.candidates.map(\.text).sorted() == expected, "\(text): \(found)")
                #expect((0...text.count).contains(found.start), "\(text)")
                for candidate in found.candidates {
                    let typed = String(text.dropFirst(found.start))
                    #expect(candidate.text.hasPrefix(typed), "\(text): \(candidate)")
                }
            }
        }
    }

    @Test func `Completion offers albums where a collection may stand, and their names`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.makeAlbums()
            #expect(
                try place.run("album", "save", "--write", "photos.store", "by the sea", "keywords has sea").code == 0)
            let session = try Session(path: place.path + "/photos.store")
            let completer = Completer(
                session: session,
                commandNames: ["find", "count", "search", "facets", "update", "album", "doc", "index", "export"],
                timeLimit: .seconds(600))
            try ArgumentOrigin.$current.withValue(.shell) {
                for (text, expected) in [
                    ("find @be", ["@best"]), ("find @", ["@best", "\"@by the sea\"", "@wall", "@albums"]),
                    ("find ", ["photos", "@best", "\"@by the sea\"", "@wall", "@albums"]), ("find ph", ["photos"]),
                    ("find @by", ["\"@by the sea\""]), ("find \"@by the", ["\"@by the sea\""]),
                    ("find '@be", ["\"@best\""]), ("count @wa", ["@wall"]), ("update @be", ["@best"]),
                    ("export @be", ["@best"]), ("search @best fog --where rat", ["rating"]),
                    ("find @best rating = 5 and place.ci", ["place.city"]), ("find @best --sort -tak", ["taken"]),
                    ("facets @best rat", ["rating"]), ("find @nope rat", []), ("doc get @be", []),
                    ("index list @be", []), ("album show be", ["best"]), ("album drop by", ["\"by the sea\""]),
                    ("album remove wall ", ["2019-07-14-0031", "2021-02-13-0016"]),
                    ("album move wall 2021", ["2021-02-13-0016"]),
                    ("album add wall 2004-06-19-0008", ["2004-06-19-0008"]),
                ] {
                    let found = completer.completion(of: text)
                    #expect(found.candidates.map(\.text) == expected, "\(text): \(found)")
                }
                let notes = completer.completion(of: "find @").candidates.map(\.note)
                #expect(notes == ["saved search", "saved search", "album", ""])
                // Each completion can be run.
                for candidate in completer.completion(of: "find ").candidates {
                    let outcome = try place.run("photos.store", "-c", "count \(candidate.text)")
                    #expect(outcome.code == 0, "\(candidate): \(outcome)")
                }
            }
            try session.close()
        }
    }

    @Test func `Completion finds keys by a bounded seek, spelled as they are printed`() throws {
        try withCompleter("app.db") { completer in
            for (text, expected) in [
                ("get us", ["\"user/\\0\"", "user/1", "user/2"]), ("get user/1", ["user/1"]), ("get \"user/\\", []),
                ("get \"user/", ["\"user/\\0\"", "user/1", "user/2"]), ("get 'w", ["w"]),
                ("get 0x75", ["\"user/\\0\"", "user/1", "user/2"]),
                ("scan --prefix us", ["\"user/\\0\"", "user/1", "user/2"]), ("get zz", []),
            ] {
                #expect(completer.completion(of: text).candidates.map(\.text).sorted() == expected, "\(text)")
            }
            #expect(completer.completion(of: "get ").candidates.count == 4)
        }
    }

    @Test func `Completion hints at the expected arguments`() throws {
        try withCompleter("photos.store") { completer in
            for (text, expected) in [
                ("find ", "<collection> [<condition> ...]"), ("find photos ", "[<condition> ...]"),
                ("fin", "d <collection>"),
                ("doc ", "get|put|patch|del"), (".mode ", "[MODE]"), ("find photos x", ""), ("bogus ", ""), ("", ""),
            ] {
                let hint = completer.hint(for: text)
                #expect(expected.isEmpty ? hint.isEmpty : hint.hasPrefix(expected), "\(text): \(hint)")
            }
        }
    }

    @Test func `Completion never inserts a prefix that only the first of many keys share`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let puts = (10..<90).map { "put user/\($0) x" }.joined(separator: "; ")
            #expect(try place.run("--write", "app.db", "-c", puts).code == 0)
            let session = try Session(path: place.path + "/app.db")
            ArgumentOrigin.$current.withValue(.shell) {
                let completer = Completer(session: session, commandNames: ["get"], timeLimit: .seconds(600))
                #expect(completer.completion(of: "get us").commonPrefix == "user/")
                #expect(completer.completion(of: "get user/1").commonPrefix == "user/1")
                #expect(completer.completion(of: "get us").candidates.last?.text == "user/89")
            }
            try session.close()
        }
    }
}
