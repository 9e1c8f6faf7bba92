import DocIndex
import TestSupport
import Testing

@Suite struct SchemaTests {
    // MARK: - JSON that is accepted

    static let accepted: [(String, Schema)] = [
        (#"{"collections":{}}"#, Schema(collections: [])),
        (#"{"version":7,"collections":{}}"#, Schema(version: 7, collections: [])),
        (#"{"$schema":"https://example.org/s.json","collections":{}}"#, Schema(collections: [])),
        (#"{"collections":{"a":{}}}"#, Schema(collections: [CollectionDefinition("a")])),
        (
            #"{"collections":{"b":{"id":"path"},"a":{"indexes":{}}}}"#,
            Schema(collections: [CollectionDefinition("b", id: "path"), CollectionDefinition("a")])
        ),
        (
            #"{"collections":{"a":{"indexes":{"year":{"fields":["year"]}}}}}"#,
            Schema(collections: [CollectionDefinition("a", indexes: [.value("year", on: "year")])])
        ),
        (
            #"{"collections":{"a":{"indexes":{"t":{"type":"text","fields":["title","tags[]","people[].name"]}}}}}"#,
            Schema(collections: [
                CollectionDefinition("a", indexes: [.text("t", on: "title", "tags[]", "people[].name")])
            ])
        ),
        (
            #"{"collections":{"a":{"indexes":{"z":{"type":"value","fields":["a","\"odd.name\".b","tags[]"]},"#
                + #""y":{"type":"value","fields":["a"]}}}}}"#,
            Schema(collections: [
                CollectionDefinition(
                    "a", indexes: [.value("z", on: "a", #""odd.name".b"#, "tags[]"), .value("y", on: "a")])
            ])
        ),
        (
            #"{"collections":{" ":{"id":" ","indexes":{"e\u0301":{"fields":["x"]},"\u00e9":{"fields":["x"]}}}}}"#,
            Schema(collections: [
                CollectionDefinition(
                    " ", id: " ", indexes: [.value("e\u{301}", on: "x"), .value("\u{e9}", on: "x")])
            ])
        ),
        (#"{"version":4294967295,"collections":{}}"#, Schema(version: 4_294_967_295, collections: [])),
    ]

    @Test(arguments: accepted) func `A schema is read from JSON and written back`(json: String, schema: Schema) throws {
        #expect(try Schema(json: Array(json.utf8)) == schema)
        try schema.validate()
        let written = schema.jsonValue.json
        #expect(try Schema(json: Array(written.utf8)) == schema)
        #expect(try Schema(json: Array(written.utf8)).jsonValue.json == written)
    }

    @Test func `A schema is written with all that it leaves open`() throws {
        let schema = try Schema(json: Array(#"{"collections":{"a":{"indexes":{"y":{"fields":["y"]}}}}}"#.utf8))
        #expect(
            schema.jsonValue.json
                == #"{"version":1,"collections":{"a":{"id":"id","indexes":{"y":{"type":"value","fields":["y"]}}}}}"#)
    }

    @Test func `Random schemas are the same after JSON`() throws {
        var random = TestRun.random(stream: 2)
        let names = ["a", "b", "é", "e\u{301}", "x.y", "\"", "\\", "\n", " ", "日本", "\u{0}"]
        let paths: [FieldPath] = ["a", "a.b", "tags[]", "a[][]", #""a.b""#, #""".x"#, "people[].name", #""a\"b".c"#]
        for _ in 0..<200 {
            let collections = names.shuffled(using: &random).prefix(random.number(below: 4)).map { name in
                let indexes = names.shuffled(using: &random).prefix(random.number(below: 4)).map { name in
                    let kind: IndexDefinition.Kind = random.once(in: 2) ? .text : .value
                    let fields = paths.shuffled(using: &random).filter { kind == .text || !$0.hasArrayStep }
                    return IndexDefinition(name, kind: kind, fields: Array(fields.prefix(1 + random.number(below: 3))))
                }
                return CollectionDefinition(name, id: random.pick(names), indexes: indexes)
            }
            let schema = Schema(version: 1 + random.number(below: 1000), collections: collections)
            #expect(try Schema(json: Array(schema.jsonValue.json.utf8)) == schema, "\(TestRun.repetition)")
        }
    }

    // MARK: - What is refused

    /// JSON, and parts of the message.
    static let refused: [(String, [String])] = [
        ("[]", ["the schema is no object"]), ("null", ["no object"]), ("\"x\"", ["no object"]),
        ("{}", ["collections must be an object"]),
        (#"{"collections":[]}"#, ["collections must be an object"]),
        (#"{"collections":null}"#, ["collections must be an object"]),
        (#"{"Collections":{}}"#, ["Collections", "not known", "$schema, version, collections"]),
        (#"{"collections":{},"more":1}"#, ["more", "not known"]),
        (#"{"version":"1","collections":{}}"#, ["version must be a whole number"]),
        (#"{"version":1.0,"collections":{}}"#, ["version must be a whole number"]),
        (#"{"version":null,"collections":{}}"#, ["version"]),
        (#"{"version":0,"collections":{}}"#, ["version", "0"]),
        (#"{"version":-1,"collections":{}}"#, ["version", "-1"]),
        (#"{"version":4294967296,"collections":{}}"#, ["version", "4294967296"]),
        (#"{"collections":{"":{}}}"#, ["collection", "empty name"]),
        (#"{"collections":{"a":[]}}"#, ["collection a is no object"]),
        (#"{"collections":{"a":{"ids":"x"}}}"#, ["collection a", "ids", "not known", "id, indexes"]),
        (#"{"collections":{"a":{"id":1}}}"#, ["collection a", "id must be a text"]),
        (#"{"collections":{"a":{"id":""}}}"#, ["a", "empty id field"]),
        (#"{"collections":{"a":{"indexes":[]}}}"#, ["collection a", "indexes must be an object"]),
        (#"{"collections":{"a":{"indexes":{"":{"fields":["x"]}}}}}"#, ["index", "collection a", "empty name"]),
        (#"{"collections":{"a":{"indexes":{"y":1}}}}"#, ["index y of a is no object"]),
        (#"{"collections":{"a":{"indexes":{"y":{}}}}}"#, ["index y of a", "fields must be an array of paths"]),
        (#"{"collections":{"a":{"indexes":{"y":{"fields":"x"}}}}}"#, ["index y of a", "array of paths"]),
        (#"{"collections":{"a":{"indexes":{"y":{"fields":[1]}}}}}"#, ["index y of a", "array of paths"]),
        (#"{"collections":{"a":{"indexes":{"y":{"fields":[]}}}}}"#, ["index y of a has no fields"]),
        (
            #"{"collections":{"a":{"indexes":{"y":{"fields":["a..b"]}}}}}"#,
            ["index y of a", "Invalid field path at byte 2"]
        ),
        (#"{"collections":{"a":{"indexes":{"y":{"fields":["x"],"type":"tree"}}}}}"#, ["tree", "value, text"]),
        (#"{"collections":{"a":{"indexes":{"y":{"fields":["x"],"type":1}}}}}"#, ["type must be a text"]),
        (
            #"{"collections":{"a":{"indexes":{"y":{"fields":["x"],"unique":true}}}}}"#,
            ["unique", "not known", "type, fields"]
        ),
        (
            #"{"collections":{"a":{"indexes":{"y":{"fields":["p[]","q[]"]}}}}}"#,
            ["index y of a", "more than one field with []"]
        ),
    ]

    @Test(arguments: refused) func `JSON that is no schema is refused with what to change`(
        json: String, parts: [String]
    ) {
        let error = expectFailure(.invalidSchema) { try Schema(json: Array(json.utf8)) }
        for part in parts { #expect(error?.message.contains(part) == true, "\(error?.message ?? "")") }
    }

    @Test(arguments: ["", "{", #"{"collections":{"a":{},"a":{}}}"#, #"{"collections":{}} x"#])
    func `Text that is no JSON is refused with its place`(json: String) {
        let error = #expect(throws: JSONError.self) { try Schema(json: Array(json.utf8)) }
        #expect(error?.line == 1)
    }

    @Test func `Names that occur twice are refused, and spellings of one letter are two names`() throws {
        expectFailure(.invalidSchema, containing: "the schema", "collection", "rename") {
            try Schema(collections: [CollectionDefinition("a"), CollectionDefinition("b"), CollectionDefinition("a")])
                .validate()
        }
        let error = expectFailure(.invalidSchema, containing: "collection c", " y", "rename") {
            try Schema(collections: [
                CollectionDefinition("c", indexes: [.value("y", on: "a"), .text("y", on: "b")])
            ]).validate()
        }
        #expect(error?.message.contains("indexs") == false)
        try Schema(collections: [
            CollectionDefinition("\u{e9}"), CollectionDefinition("e\u{301}"),
            CollectionDefinition("c", indexes: [.value("\u{e9}", on: "a"), .value("e\u{301}", on: "a")]),
        ]).validate()
        // The same name in two collections is no conflict.
        try Schema(collections: [
            CollectionDefinition("a", indexes: [.value("y", on: "y")]),
            CollectionDefinition("b", indexes: [.value("y", on: "y")]),
        ]).validate()
    }
}
