import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Forms of imported files` {
    private func imported(
        _ place: Workplace, _ arguments: String..., input: [UInt8] = []
    ) throws -> Outcome {
        try place.run(["import", "--write", "items.store", "items"] + arguments, input: input)
    }

    private static func utf16(_ text: String, isBigEndian: Bool, mark: Bool = true) -> [UInt8] {
        ((mark ? "\u{feff}" : "") + text).utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xff)]
            return isBigEndian ? bytes : bytes.reversed()
        }
    }

    @Test func `UTF-16 and byte order marks are read, with a note`() throws {
        let text = (0..<2000).map { #"{"id":\#($0),"t":"fog 😀 é \#($0)"}"# + "\n" }.joined()
        let array = "[" + text.split(separator: "\n").joined(separator: ",\n") + "]"
        for (name, bytes, note) in [
            ("mark", [0xef, 0xbb, 0xbf] + Array(text.utf8), "byte order mark"),
            ("little", Self.utf16(text, isBigEndian: false), "UTF-16"),
            ("big", Self.utf16(text, isBigEndian: true), "UTF-16"),
            ("unmarked", Self.utf16(text, isBigEndian: false, mark: false), "UTF-16"),
            ("array", Self.utf16(array, isBigEndian: false), "UTF-16"), ("plain", Array(text.utf8), ""),
        ] as [(String, [UInt8], String)] {
            try Workplace.with { place in
                try place.makeItems()
                try place.write(bytes, to: "f.json")
                let outcome = try imported(place, "f.json")
                #expect(outcome.code == 0 && outcome.says("inserted 2,000"), "\(name): \(outcome)")
                #expect(outcome.says(note), "\(name): \(outcome)")
                #expect(note.isEmpty != outcome.says("f.json is"), "\(name): \(outcome)")
                let last = try place.run("doc", "get", "items.store", "items", "1999")
                #expect(last.output == #"{"id":1999,"t":"fog 😀 é 1999"}"# + "\n", "\(name): \(last)")
            }
        }
    }

    @Test func `Half a surrogate pair in UTF-16 is an error, not another character`() throws {
        try Workplace.with { place in
            try place.makeItems()
            var bytes = Self.utf16(#"{"id":"a","t":""#, isBigEndian: false)
            bytes += [0x00, 0xd8] + Self.utf16("x\"}\n", isBigEndian: false, mark: false)
            let outcome = try imported(place, "-", input: bytes)
            #expect(outcome.code == 65 && outcome.says("UTF-8"), "\(outcome)")
        }
    }

    @Test func `Documents without an ID are rejected with the ways out, and get one on request`() throws {
        try Workplace.with { place in
            try place.makeItems()
            try place.write("title,n\nFog,1\nRain,2\n", to: "noid.CSV")
            let refused = try imported(place, "noid.CSV")
            #expect(refused.code == 65 && refused.says("it has title, n"), "\(refused)")
            #expect(refused.says("--key NAME") && refused.says("--id generate"), "\(refused)")
            let made = try imported(place, "noid.CSV", "--id", "generate")
            #expect(made.code == 0 && made.says("inserted 2"), "\(made)")
            let lines = #"{"title":"Sun"}"# + "\n" + #"{"id":"own","title":"Wind"}"# + "\n"
            #expect(try imported(place, "-", "--id", "generate", input: Array(lines.utf8)).code == 0)
            let sorted = try place.run(
                "find", "items.store", "items", "--sort", "id", "--fields", "title", "--mode", "csv")
            #expect(sorted.lines == ["title", "Fog", "Rain", "Sun", "Wind"], "\(sorted)")
            #expect(try imported(place, "-", "--id", "uuid").code == 64)
            #expect(try imported(place, "-", "--id", "generate", "--key", "title").code == 64)
        }
    }

    @Test func `Output of exiftool that is empty is an error, and an empty list is only reported`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let nothing = try imported(place, "-", "--format", "exiftool-json")
            #expect(nothing.code == 66 && nothing.says("standard input is empty"), "\(nothing)")
            #expect(try imported(place, "-", "--format", "csv").code == 66)
            for (input, format) in [("[]", "exiftool-json"), ("", "jsonl"), ("[]\n", "json"), ("a,b\n", "csv")] {
                let empty = try imported(place, "-", "--format", format, input: Array(input.utf8))
                #expect(empty.code == 0 && empty.says("contains no documents"), "\(format): \(empty)")
            }
        }
    }

    @Test func `A table with a different separator is recognized`() throws {
        try Workplace.with { place in
            try place.makeItems()
            try place.write("id;title\na;Fog\n", to: "a.csv")
            let wrong = try imported(place, "a.csv")
            #expect(wrong.code == 65 && wrong.says("--separator ';'"), "\(wrong)")
            #expect(try imported(place, "a.csv", "--separator", ";").code == 0)
            try place.write("id\ttitle\nb\tFog\n", to: "b.tsv")
            #expect(try imported(place, "b.tsv").code == 0)
            #expect(try place.run("count", "items.store").output == "2\n")
        }
    }
}

@Suite(.waitsForPrograms) struct `Inferred stores` {
    @Test func `init --infer makes a store whose schema init accepts, and the file imports into it`() throws {
        try Workplace.with { place in
            let copied = try place.shell("cp '\(Binary.examples)/photos.jsonl' .")
            #expect(copied.code == 0)
            let dry = try place.run("init", "p.store", "--infer", "photos.jsonl", "-n")
            #expect(dry.code == 0 && !place.has("p.store"), "\(dry)")
            try place.write(dry.bytes, to: "inferred.json")
            #expect(try place.run("init", "q.store", "--schema", "inferred.json").code == 0)
            let made = try place.run("init", "p.store", "--infer", "photos.jsonl")
            #expect(made.code == 0 && made.says("the ID field is id"), "\(made)")
            #expect(made.says("lkrepl import --write p.store photos photos.jsonl"), "\(made)")
            #expect(
                try place.run("schema", "p.store").output == place.run("schema", "q.store").output)
            #expect(try place.run("import", "--write", "p.store", "photos", "photos.jsonl").code == 0)
            let indexes = try place.run("indexes", "p.store").output
            for name in ["taken", "rating", "keywords", "gps", "text"] {
                #expect(indexes.contains("\"\(name)\""), "\(indexes)")
            }
            #expect(try place.run("search", "p.store", "photos", "fog", "--count").output != "0\n")
            let again = try place.run("schema", "p.store", "photos", "--infer", "500")
            #expect(again.output == dry.output, "\(again)")
        }
    }

    @Test func `Dates and coordinates of exiftool get indexes that answer by date, order and distance`() throws {
        try Workplace.with { place in
            let documents = (0..<60).map { number in
                let day = "20\(number % 20 + 10):07:\(number % 18 + 10) 10:20:30"
                return #"{"SourceFile":"\#(number).jpg","File:FileModifyDate":"2026:01:01 10:00:00+01:00","#
                    + #""File:FileAccessDate":"2026:01:0\#(number % 9 + 1) 10:00:00+01:00","#
                    + #""ExifIFD:DateTimeOriginal":"\#(day)","ExifIFD:CreateDate":"\#(day)","#
                    + #""IFD0:ModifyDate":"2025:01:0\#(number % 9 + 1) 00:00:00","XMP:MetadataDate":"\#(day)+02:00","#
                    + #""GPS:GPSLatitude":\#(50 + Double(number) / 10),"GPS:GPSLatitudeRef":"N","#
                    + #""GPS:GPSLongitude":3.1,"GPS:GPSLongitudeRef":"W","IPTC:Caption-Abstract":"A dog runs"}"#
            }
            try place.write("[" + documents.joined(separator: ",\n") + "]", to: "mine.json")
            #expect(try place.run("init", "m.store", "--infer", "mine.json").code == 0)
            #expect(try place.run("import", "--write", "m.store", "mine", "mine.json").code == 0)
            let indexes = try place.run("indexes", "m.store").output
            #expect(indexes.contains(#""ExifIFD:DateTimeOriginal""#) && !indexes.contains("File:FileModifyDate"))
            #expect(!indexes.contains(#"text","fields":["File"#), "\(indexes)")
            let date = "ExifIFD:DateTimeOriginal"
            for arguments in [
                ["\(date) = date 2019"], ["--sort", "-\(date)", "--limit", "3"],
                ["GPS:GPSLatitude,GPS:GPSLongitude near 51.5,-3.1,12"],
            ] {
                let outcome = try place.run(["find", "m.store", "mine"] + arguments + ["--explain"])
                #expect(outcome.says("index ") && outcome.lines.count == 3, "\(arguments): \(outcome)")
            }
        }
    }

    @Test func `Coordinates of CSV, which are strings, get no index that would stay empty`() throws {
        try Workplace.with { place in
            try place.write("id,lat,lon\na,50.5,-3.1\nb,51.5,-3.2\n", to: "flat.csv")
            let made = try place.run("init", "f.store", "--infer", "flat.csv", "-n", "--json")
            #expect(made.code == 0 && !made.output.contains("geo"), "\(made)")
        }
    }

    @Test func `Dates in two notations are indexed as dates`() throws {
        try Workplace.with { place in
            let lines = (0..<20).map { number in
                let day = number % 2 == 0 ? "2019:07:1\(number % 10) 10:00:00" : "2019-07-1\(number % 10)"
                return #"{"id":"a\#(number)","taken":"\#(day)"}"# + "\n"
            }
            try place.write(lines.joined(), to: "mixed.jsonl")
            let schema = try place.run("init", "m.store", "--infer", "mixed.jsonl", "-n", "--json").output
            #expect(schema.contains("iso8601") && schema.contains("exif"), "\(schema)")
            #expect(try place.run("init", "m.store", "--infer", "mixed.jsonl").code == 0)
            #expect(try place.run("import", "--write", "m.store", "mixed", "mixed.jsonl").code == 0)
            let found = try place.run("find", "m.store", "mixed", "taken >= date 2019-07-15", "--explain", "--count")
            #expect(found.output == "10\n" && found.says("index taken"), "\(found)")
        }
    }

    @Test func `A file with another separator is inferred and imported with the same options`() throws {
        try Workplace.with { place in
            try place.write("id;title;rating\nx1;Fog;3\nx2;Rain;4\n", to: "semi.csv")
            let made = try place.run("init", "s.store", "--infer", "semi.csv", "--separator", ";")
            #expect(made.code == 0 && made.says("semi semi.csv --separator ';'"), "\(made)")
            let imported = try place.run("import", "--write", "s.store", "semi", "semi.csv", "--separator", ";")
            #expect(imported.code == 0 && imported.says("inserted 2"), "\(imported)")
            let exported = try place.run("export", "s.store", "semi", "--mode", "csv")
            #expect(exported.output == "id,title,rating\nx1,Fog,3\nx2,Rain,4\n", "\(exported)")
            let shell = try place.run("s.store", "--mode", "csv", "-c", "export semi --limit 1")
            #expect(shell.lines.first?.first == "{", "\(shell)")
        }
    }

    @Test func `The ID field is chosen by name and never by chance`() throws {
        try Workplace.with { place in
            try place.write("title,n\nFog,1\nRain,2\n", to: "weather list.csv")
            let made = try place.run("init", "w.store", "--infer", "weather list.csv")
            #expect(made.code == 0 && made.says("--id generate"), "\(made)")
            #expect(try place.run("collections", "w.store").output.contains("weather_list"))
            for (text, field) in [
                (#"[{"SourceFile":"a.jpg","n":1},{"SourceFile":"b.jpg","n":1}]"#, "SourceFile"),
                (#"[{"n":1,"user_id":5},{"n":1,"user_id":6}]"#, "user_id"),
                (#"[{"_id":"x","uuid":"y"},{"_id":"z","uuid":"y"}]"#, "_id"),
            ] {
                try place.write(text, to: "x.json")
                let outcome = try place.run("init", "x.store", "--infer", "x.json", "-n", "--collection", "c")
                #expect(outcome.output.contains("\"id\": \"\(field)\""), "\(outcome)")
            }
            try place.write("", to: "empty.json")
            #expect(try place.run("init", "e.store", "--infer", "empty.json").code == 65)
            #expect(try place.run("init", "e.store", "--infer", "none.json").code == 66)
            #expect(try place.run("init", "e.store", "--infer", "x.json", "--raw").code == 64)
        }
    }
}
