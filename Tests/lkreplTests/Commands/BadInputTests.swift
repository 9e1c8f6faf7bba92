import Foundation
import Testing

@testable import lkrepl

/// Invalid input files as users have them.
@Suite(.waitsForPrograms) struct `Invalid input` {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        /// The line after two valid ones.
        let third: [UInt8]
        /// A part of the message, besides the file and the line.
        let part: String
        var testDescription: String { name }

        init(_ name: String, _ third: String, _ part: String = "") {
            self.init(name, Array(third.utf8), part)
        }

        init(_ name: String, _ third: [UInt8], _ part: String = "") {
            self.name = name
            self.third = third
            self.part = part
        }
    }

    static let lines = [
        Case("a number", "42", "object"), Case("a text", "\"x\"", "object"), Case("an array", "[1]", "object"),
        Case("null", "null", "object"), Case("no id", #"{"n":1}"#, "id"),
        Case("an id that is null", #"{"id":null}"#, "id"),
        Case("an id that is a fraction", #"{"id":1.5}"#, "id"), Case("an id that is a truth", #"{"id":true}"#, "id"),
        Case("an id that is an array", #"{"id":[1]}"#, "id"), Case("a cut object", #"{"id":"c""#, "ends here"),
        Case("a cut text", #"{"id":"c"#, "ends here"), Case("a name without quotes", #"{id:"c"}"#, "name"),
        Case("single quotes", "{'id':'c'}", "quote"), Case("a comma too many", #"{"id":"c",}"#, "comma"),
        Case("two documents", #"{"id":"c"}{"id":"d"}"#), Case("two documents with a space", #"{"id":"c"} {"id":"d"}"#),
        Case("a comment", #"{"id":"c"} // x"#), Case("a name twice", #"{"id":"c","n":1,"n":2}"#, "second time"),
        Case("a name twice inside", #"{"id":"c","x":{"y":1,"y":2}}"#, "second time"),
        Case("NaN", #"{"id":"c","x":NaN}"#), Case("Infinity", #"{"id":"c","x":-Infinity}"#),
        Case("a zero in front", #"{"id":"c","x":01}"#, "zero"), Case("a point without digits", #"{"id":"c","x":1.}"#),
        Case("a number without bounds", #"{"id":"c","x":1e999}"#, "double"),
        Case("an integer that nothing holds", #"{"id":"c","x":123456789012345678901234567890}"#, "integer"),
        Case("half a character", #"{"id":"c","x":"\ud800"}"#, "half"), Case("an escape", #"{"id":"c","x":"\x41"}"#),
        Case("a control character", "{\"id\":\"c\",\"x\":\"\u{1}\"}", "0x01"),
        Case("a tab in a text", "{\"id\":\"c\",\"x\":\"\t\"}", "tab"), Case("a zero byte", "{\"id\":\"c\"}\0", "0x00"),
        Case("Latin-1", Array("{\"id\":\"c\",\"x\":\"caf".utf8) + [0xe9] + Array("\"}".utf8), "UTF-8"),
        Case("Latin-1 in a name", Array("{\"id\":\"c\",\"".utf8) + [0xe9] + Array("\":1}".utf8), "UTF-8"),
        Case("no depth's end", #"{"id":"c","x":"# + String(repeating: "[", count: 100_000), "deep"),
    ]

    /// Creates a store that already contains the two valid lines, so that its dump shows whether anything changed.
    private func place(_ body: (Workplace, _ before: [UInt8]) throws -> Void) throws {
        try Workplace.with { place in
            try place.makeItems()
            try place.write("{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"n\":2}\n", to: "good.jsonl")
            #expect(try place.run("import", "--write", "items.store", "items", "good.jsonl").code == 0)
            try body(place, try place.dump("items.store"))
        }
    }

    /// The valid lines are already in the store, so its dump shows whether anything changed.
    @Test func `An invalid line is rejected with the file, the line and the reason`() throws {
        try place { place, before in
            let good = try place.read("good.jsonl")
            for bad in Self.lines {
                for end in ["", "\r\n{\"id\":\"z\"}\n"] {
                    try place.write(good + bad.third + Array(end.utf8), to: "bad.jsonl")
                    let outcome = try place.run("import", "--write", "items.store", "items", "bad.jsonl")
                    #expect(outcome.code == 65 && outcome.output == "", "\(bad.name): \(outcome)")
                    #expect(outcome.error.hasPrefix("lkrepl: bad.jsonl:3:"), "\(bad.name): \(outcome)")
                    #expect(outcome.says(bad.part), "\(bad.name): \(outcome)")
                    #expect(outcome.says("2 documents were stored before it"), "\(bad.name): \(outcome)")
                }
                #expect(try place.dump("items.store") == before, "\(bad.name)")
            }
        }
    }

    @Test func `An invalid line can be skipped, and the lines after it are stored`() throws {
        try place { place, _ in
            let good = try place.read("good.jsonl")
            for (number, bad) in Self.lines.enumerated() {
                let skipped = try place.run(
                    ["import", "--write", "items.store", "items", "-", "--on-error", "skip"],
                    input: good + bad.third + Array("\n{\"id\":\"z\(number)\"}\n".utf8))
                #expect(skipped.code == 65, "\(bad.name): \(skipped)")
                #expect(skipped.error.hasPrefix("lkrepl: standard input:3:"), "\(bad.name): \(skipped)")
                #expect(skipped.says(" rejected 1 in "), "\(bad.name): \(skipped)")
                #expect(skipped.says("import: read 4 "), "\(bad.name): \(skipped)")
            }
            let found = try place.run("find", "items.store", "items", "--ids")
            let expected = ["a", "b"] + Self.lines.indices.map { "z\($0)" }
            #expect(Set(found.lines) == Set(expected))
        }
    }

    static let arrays = [
        Case("a comma at the end", ",]", "comma"), Case("no end", ""), Case("no end, and a comma", ","),
        Case("no end in an element", #",{"id":"c""#), Case("a second array", #"][{"id":"c"}]"#),
        Case("something behind it", "] x"), Case("no comma", #"{"id":"c"}]"#), Case("a broken element", #",{"id":c}]"#),
    ]

    @Test(arguments: arrays)
    func `An invalid array is rejected with file, line and reason, and earlier elements are stored`(
        bad: Case
    ) throws {
        try place { place, before in
            let text = Array("[\n{\"id\":\"a\",\"n\":1},\n{\"id\":\"b\",\"n\":2}\n".utf8) + bad.third
            for option in ["stop", "skip"] {
                try place.makeItems("fresh-\(option).store")
                try place.write(text, to: "bad.json")
                for store in ["items.store", "fresh-\(option).store"] {
                    let outcome = try place.run(
                        "import", "--write", store, "items", "bad.json", "--on-error", option)
                    #expect(outcome.code == 65 && outcome.output == "", "\(outcome)")
                    #expect(outcome.error.hasPrefix("lkrepl: bad.json:"), "\(outcome)")
                    #expect(outcome.says(bad.part), "\(outcome)")
                    // Reported once.
                    #expect(outcome.error.components(separatedBy: "lkrepl: ").count == 2, "\(outcome)")
                    #expect(try place.dump(store) == before, "\(option)")
                }
            }
        }
    }

    @Test func `An invalid element of a well-formed array can be skipped`() throws {
        try place { place, before in
            try place.write("[{\"id\":\"a\",\"n\":1},\n5,\n{\"n\":3},\n{\"id\":\"b\",\"n\":2}]", to: "bad.json")
            let stopped = try place.run("import", "--write", "items.store", "items", "bad.json")
            #expect(stopped.code == 65 && stopped.error.hasPrefix("lkrepl: bad.json:2:"), "\(stopped)")
            let skipped = try place.run("import", "--write", "items.store", "items", "bad.json", "--on-error", "skip")
            #expect(skipped.code == 65 && skipped.error.contains("lkrepl: bad.json:3:"), "\(skipped)")
            #expect(skipped.says(" rejected 2 in "), "\(skipped)")
            #expect(try place.dump("items.store") == before)
        }
    }

    static let files = [
        Case("CSV", "id,title\na,b\n", "neither JSON Lines nor a JSON array"),
        Case("lines that end with CR", "{\"id\":\"a\"}\r{\"id\":\"b\"}\r"), Case("gzip", [0x1f, 0x8b, 8, 0, 0, 0]),
        Case("XML", "<a/>"), Case("all bytes", Array(0...255)), Case("words", "hello world\n"),
        Case("an array in an array", "[[{\"id\":\"a\"}]]", "object"), Case("too many ends", "[]]\n"),
    ]

    @Test(arguments: files)
    func `A file that contains no documents changes nothing`(bad: Case) throws {
        try place { place, before in
            try place.write(bad.third, to: "bad")
            for option in ["stop", "skip"] {
                let outcome = try place.run("import", "--write", "items.store", "items", "bad", "--on-error", option)
                #expect(outcome.code == 65 && outcome.output == "", "\(outcome)")
                #expect(outcome.error.hasPrefix("lkrepl: bad"), "\(outcome)")
                #expect(outcome.says(bad.part), "\(outcome)")
                #expect(try place.dump("items.store") == before)
            }
        }
    }

    @Test(arguments: [
        "", "\n\n \t\r\n", "[]", " [ ] \n", "{\"id\":\"a\",\"n\":1}",
        "{\"id\":\"b\",\"n\":2}\r\n\r\n{\"id\":\"a\",\"n\":1}\r\n",
        "{\"id\":\"a\"}\n{\"id\":\"a\",\"n\":1}\n", "\n\n[{\"id\":\"a\",\"n\":1},{\"id\":\"b\",\"n\":2}]\n\n",
    ])
    func `Empty input, CRLF line ends and repeated IDs are valid`(text: String) throws {
        try place { place, before in
            for format in [[], text.contains("[") ? ["--format", "json"] : ["--format", "jsonl"]] {
                let outcome = try place.run(
                    ["import", "--write", "items.store", "items", "-"] + format, input: Array(text.utf8))
                #expect(outcome.code == 0 && outcome.output == "", "\(outcome)")
                #expect(outcome.error.hasPrefix("import: "), "\(outcome)")
                #expect(try place.dump("items.store") == before)
            }
        }
    }

    @Test func `A line longer than any document loses no document before it`() throws {
        try Workplace.with { place in
            let long = Array("{\"id\":\"long\",\"x\":\"".utf8) + [UInt8](repeating: 0x79, count: 65 << 20)
            let text = Array("{\"id\":\"a\"}\n".utf8) + long + Array("\"}\n{\"id\":\"z\"}\n".utf8)
            try place.write(text, to: "long.jsonl")
            for option in ["stop", "skip"] {
                try place.makeItems(option + ".store")
                let outcome = try place.run(
                    "import", "--write", option + ".store", "items", "long.jsonl", "--on-error", option)
                #expect(outcome.code == 65 && outcome.error.hasPrefix("lkrepl: long.jsonl:2:"), "\(outcome)")
                #expect(try place.run("doc", "get", option + ".store", "items", "a").code == 0, "\(option)")
            }
        }
    }

    static let schemas = [
        Case("nothing", "", "schema.json"), Case("no collections", "{}", "collections"),
        Case("an array", "[]", "object"),
        Case("a name that is empty", #"{"collections":{"":{}}}"#, "empty name"),
        Case("no fields", #"{"collections":{"a":{"indexes":{"x":{}}}}}"#, "fields"),
        Case("fields that are none", #"{"collections":{"a":{"indexes":{"x":{"fields":[]}}}}}"#, "fields"),
        Case("a path that is none", #"{"collections":{"a":{"indexes":{"x":{"fields":["a["]}}}}}"#, "bracket"),
        Case("a type that is none", #"{"collections":{"a":{"indexes":{"x":{"type":"y","fields":["a"]}}}}}"#, "type"),
        Case("a member that is not known", #"{"collections":{"a":{"key":"x"}}}"#, "key"),
        Case("a collection twice", #"{"collections":{"a":{},"a":{}}}"#, "second time"),
        Case("a cut file", #"{"collections":{"a":{}"#, "ends here"), Case("a mark", "\u{feff}{}", "byte order mark"),
    ]

    @Test(arguments: schemas)
    func `An invalid schema file creates no store`(bad: Case) throws {
        try Workplace.with { place in
            try place.write(bad.third, to: "schema.json")
            let outcome = try place.run("init", "new.store", "--schema", "schema.json")
            #expect(outcome.code == 65 && outcome.output == "", "\(outcome)")
            #expect(outcome.error.hasPrefix("lkrepl: schema.json: ") && outcome.says(bad.part), "\(outcome)")
            #expect(try place.names() == ["schema.json"])
        }
    }

    @Test(arguments: [
        Case("a cut object", #"{"id":1"#, "ends here"), Case("an array", "[]", "object"),
        Case("an id that is null", #"{"id":null}"#, "id"), Case("nothing", " ", "empty"),
        Case("two", #"{"id":1}{"id":2}"#),
    ])
    func `An invalid document is rejected`(bad: Case) throws {
        try place { place, before in
            let text = String(decoding: bad.third, as: UTF8.self)
            for (argument, input) in [(text, ""), ("-", text)] {
                let outcome = try place.run("doc", "put", "--write", "items.store", "items", argument, input: input)
                #expect(outcome.code == 65 && outcome.output == "", "\(outcome)")
                #expect(outcome.says(bad.part), "\(outcome)")
                #expect(try place.dump("items.store") == before)
            }
        }
    }

    @Test func `A document without an ID gets a new one, which is reported`() throws {
        try place { place, before in
            let outcome = try place.run("doc", "put", "--write", "items.store", "items", #"{"n":1}"#)
            #expect(outcome.code == 0 && outcome.says("doc put: inserted "), "\(outcome)")
            #expect(try place.dump("items.store") != before)
        }
    }
}
