import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `IDs and counts for scripts` {
    @Test func `IDs are printed as they are, one per line or before zero bytes`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let input = #"{"id":"a b","n":1}"# + "\n" + #"{"id":"ü'\"","n":2}"# + "\n" + #"{"id":7,"n":3}"# + "\n"
            #expect(try place.run("import", "--write", "items.store", "items", "-", input: input).code == 0)
            let plain = try place.run("find", "items.store", "items", "--ids")
            #expect(plain.output == "a b\nü'\"\n7\n", "\(plain)")
            for zero in ["-0", "--null"] {
                let ended = try place.run("find", "items.store", "items", "--ids", zero)
                #expect(ended.output == "a b\0ü'\"\u{0}7\0", "\(ended)")
            }
            let words = try place.shell("lkrepl find items.store items --ids -0 | xargs -0 -n 1 echo")
            #expect(words.lines == ["a b", "ü'\"", "7"], "\(words)")
            let rows = try place.run("find", "items.store", "items", "--ids", "--mode", "jsonl")
            #expect(rows.lines.first == #"{"id":"a b"}"#, "\(rows)")
            let script = try place.run("items.store", "-c", "find items n = 3 --ids -0")
            #expect(script.output == "7\0", "\(script)")
            let negative = try place.run("find", "items.store", "items", "n", ">", "-0", "--count")
            #expect(negative.output == "3\n", "\(negative)")
            for wrong in [["-0"], ["--ids", "--fields", "n"], ["--ids", "-0", "--json"]] {
                #expect(try place.run(["find", "items.store", "items"] + wrong).code == 64, "\(wrong)")
            }
        }
    }

    @Test func `An ID that contains its separator is refused, never printed as two`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let made = try place.run("doc", "put", "--write", "items.store", "items", #"{"id":"a\nb"}"#)
            #expect(made.code == 0)
            let refused = try place.run("find", "items.store", "items", "--ids")
            #expect(refused.code == 65 && refused.output == "" && refused.says("line feed"), "\(refused)")
            #expect(refused.says("--ids -0"), "\(refused)")
            #expect(try place.run("find", "items.store", "items", "--ids", "-0").output == "a\nb\0")
            #expect(try place.run("doc", "put", "--write", "items.store", "items", #"{"id":"a\u0000b"}"#).code == 0)
            let zero = try place.run("find", "items.store", "items", "--ids", "-0")
            #expect(zero.code == 65 && zero.says("zero byte"), "\(zero)")
        }
    }

    @Test func `count counts documents in a document store, and keys elsewhere or on request`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.makeDatabase()
            #expect(try place.run("put", "--write", "app.db", "a", "1").code == 0)
            #expect(try place.run("count", "photos.store").output == "301\n")
            #expect(try place.run("photos.store", "-c", "count").output == "301\n")
            #expect(try place.run("count", "photos.store", "photos").output == "301\n")
            #expect(try place.run("count", "photos.store", "photos", "rating", "=", "5").output == "23\n")
            #expect(try place.run("photos.store", "-c", "count photos rating = 5").output == "23\n")
            let keys = try #require(Int(try place.run("count", "photos.store", "--keys", "-q").lines.first ?? ""))
            #expect(keys > 1000)
            let prefixed = try place.run("count", "photos.store", "--prefix", "0x49")
            #expect(prefixed.output == "301\n", "\(prefixed)")
            #expect(try place.run("count", "app.db").output == "1\n")
            #expect(try place.run("count", "app.db", "photos").code == 64)
            #expect(try place.run("count", "photos.store", "photos", "--keys").code == 64)
            #expect(try place.run("count", "photos.store", "nope").code == 64)
        }
    }

    @Test func `An empty result is reported on standard error, unless quiet`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for mode in ["table", "jsonl", "json", "csv", "tsv", "keys", "line", "raw0"] {
                let none = try place.run("find", "photos.store", "photos", "rating = 99", "--mode", mode)
                #expect(none.code == 0 && none.error == "find: nothing found\n", "\(mode): \(none)")
                #expect(none.output == (mode == "json" ? "[]\n" : ""), "\(mode): \(none)")
            }
            let quiet = try place.run("find", "photos.store", "photos", "rating = 99", "-q")
            #expect(quiet.output == "" && quiet.error == "", "\(quiet)")
            #expect(try place.run("find", "photos.store", "photos", "rating = 99", "--ids").says("nothing found"))
            #expect(try place.run("search", "photos.store", "photos", "zzzz").says("search: nothing found"))
        }
    }

    @Test func `The reason of an empty result is reported: a number stored as text, another case, a foreign date`()
        throws
    {
        try Workplace.with { place in
            try place.makePhotos()
            let number = try place.run("find", "photos.store", "photos", "year = 1951")
            #expect(number.says("year = \"1951\""), "\(number)")
            let text = try place.run("find", "photos.store", "photos", "year = '1954'")
            #expect(text.says("year = 1954"), "\(text)")
            let cased = try place.run("find", "photos.store", "photos", "exif.model = x100v")
            #expect(cased.says("differ only in case"), "\(cased)")
            #expect(try place.run("find", "photos.store", "photos", "exif.model = X100V", "-q").error == "")
            for (slip, meant) in [("snwo", "snow"), ("see", "sea"), ("black and wite", "black and white")] {
                let outcome = try place.run("find", "photos.store", "photos", "keywords has '\(slip)'")
                #expect(outcome.says("did you mean keywords[] = \"\(meant)\"?"), "\(outcome)")
            }
            // Another number is no slip, and neither is another word.
            for other in ["exif.model = X101V", "keywords has zzz"] {
                #expect(try !place.run("find", "photos.store", "photos", other).says("did you mean"), "\(other)")
            }
            let foreign = try place.run("find", "photos.store", "photos", "taken >= 01.05.2025", "--count")
            #expect(foreign.says("which is not a date"), "\(foreign)")
        }
    }
}
