import DocIndex
import TestSupport
import Testing

@Suite struct SchemaTests {
    // MARK: - Accepted JSON

    static let accepted: [(String, Schema)] = [
        (#"{"collections":{}}"#, Schema(collections: [])),
        (#"{"version":7,"collections":{}}"#, Schema(version: 7, collections: [])),
        (#"{"$schema":"https://example.org/s.json","collections":{}}"#, Schema(collections: [])),
        (#"{"collections":{"a":{}}}"#, Schema(collections: [CollectionDefinition("a")])),
        (
            #"{"collections":{"a":{"history":{"age":"90 days"}},"b":{"history":{"versions":20}},"#
                + #""c":{"history":{"versions":1,"age":"2 weeks"}},"d":{"history":{"age":"1 hour"}}}}"#,
            Schema(collections: [
                CollectionDefinition("a", history: .init(age: .days(90))),
                CollectionDefinition("b", history: .init(versions: 20)),
                CollectionDefinition("c", history: .init(age: .days(14), versions: 1)),
                CollectionDefinition("d", history: .init(age: .minutes(60))),
            ])
        ),
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
            #"""
            {"collections":{"a":{"indexes":{"t":{"type":"text","analyzer":"english","fields":[
            {"path":"title","weight":3},"caption",{"path":"shelf","analyzer":"keyword"},{"path":"n","analyzer":
            {"tokenizer":"simple","language":"german","accents":"one-way","case":"keep","cjk":"pairs","stopWords":["a"],
            "synonyms":[["car","automobile"]]}},{"path":"m","analyzer":{"tokenizer":"ngrams","length":2}},
            {"path":"o","analyzer":{"language":"french","stopWords":true}},{"path":"p","analyzer":"simple"}]}}}}}
            """#,
            Schema(collections: [CollectionDefinition("a", indexes: [SchemaTests.analyzed])])
        ),
        (
            #"{"collections":{"a":{"indexes":{"t":{"type":"text","fields":["x"],"analyzer":"english","#
                + #""languageField":"meta.lang","languages":["german","french"]}}}}}"#,
            Schema(collections: [
                CollectionDefinition(
                    "a",
                    indexes: [
                        .text(
                            "t", on: .field("x", analyzer: .language(.english)), language: "meta.lang",
                            among: [.german, .french])
                    ])
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
        (
            #"{"collections":{"a":{"indexes":{"t":{"fields":["n",{"path":"taken","order":"desc","as":{"date":["exif"]}}],"#
                + #""where":"rating >= 4","sparse":true,"unique":true,"nullsEqual":true,"cover":["b"],"count":true}}}}}"#,
            Schema(collections: [
                CollectionDefinition(
                    "a",
                    indexes: [
                        .value(
                            "t", on: "n", .field("taken", order: .descending, dates: [.exif]), where: "rating >= 4",
                            sparse: true, unique: true, nullsEqual: true, cover: ["b"], counts: true)
                    ])
            ])
        ),
        (
            #"{"collections":{"a":{"indexes":{"e":{"type":"vector","fields":["e"],"dimensions":512},"#
                + #""f":{"type":"vector","fields":["f.g"],"dimensions":2,"similarity":"cosine","where":"a = 1"}}}}}"#,
            Schema(collections: [
                CollectionDefinition(
                    "a",
                    indexes: [
                        .vector("e", on: "e", dimensions: 512), .vector("f", on: "f.g", dimensions: 2, where: "a = 1"),
                    ])
            ])
        ),
        (
            #"{"collections":{"a":{"indexes":{"p":{"type":"geo","lat":"g.lat","lon":"g.lon"},"#
                + #""q":{"type":"geo","fields":["gps"],"where":"a = 1","sparse":true}}}}}"#,
            Schema(collections: [
                CollectionDefinition(
                    "a",
                    indexes: [
                        .geo("p", latitude: "g.lat", longitude: "g.lon"),
                        .geo("q", on: "gps", where: "a = 1", sparse: true),
                    ])
            ])
        ),
        (
            #"{"collections":{"a":{"indexes":{"k":{"fields":[{"path":"k[]","split":"|","collation":"ci-ai"}]},"#
                + #""n":{"fields":[{"path":"n","collation":"natural"},{"path":"d","part":"monthDay"}]}}}}}"#,
            Schema(collections: [
                CollectionDefinition(
                    "a",
                    indexes: [
                        .value("k", on: .field("k[]", collation: .caseAndAccentInsensitive, split: "|")),
                        .value("n", on: .field("n", collation: .natural), .field("d", part: .monthDay)),
                    ])
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

    @Test func `A schema is written with its defaults filled in`() throws {
        let schema = try Schema(json: Array(#"{"collections":{"a":{"indexes":{"y":{"fields":["y"]}}}}}"#.utf8))
        #expect(
            schema.jsonValue.json
                == #"{"version":1,"collections":{"a":{"id":"id","indexes":{"y":{"type":"value","fields":["y"]}}}}}"#)
    }

    @Test func `Random schemas round-trip through JSON`() throws {
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

    // MARK: - Rejected JSON

    private static let analyzed: IndexDefinition = {
        var own = TextAnalyzer(.simple, language: .german)
        own.accents = .oneWay
        own.foldsCase = false
        own.pairsIdeographs = true
        own.stopWords = .words(["a"])
        own.synonyms = [["car", "automobile"]]
        var pairs = TextAnalyzer(.ngrams)
        pairs.gramLength = 2
        var french = TextAnalyzer.language(.french)
        french.stopWords = .ofLanguage
        return .text(
            "t", on: .field("title", weight: 3, analyzer: .language(.english)),
            .field("caption", analyzer: .language(.english)), .field("shelf", analyzer: .keyword),
            .field("n", analyzer: own), .field("m", analyzer: pairs), .field("o", analyzer: french), "p")
    }()

    /// JSON, and parts of the error message.
    static let refused: [(String, [String])] = [
        ("[]", ["the schema must be an object"]), ("null", ["must be an object"]), ("\"x\"", ["must be an object"]),
        ("{}", ["the schema has no member collections"]),
        (#"{"collections":[]}"#, ["/collections must be an object"]),
        (#"{"collections":null}"#, ["/collections must be an object"]),
        (#"{"Collections":{}}"#, ["/Collections is unknown", "did you mean collections?"]),
        (#"{"collections":{},"more":1}"#, ["/more is unknown", "$schema, version, collections"]),
        (#"{"version":"1","collections":{}}"#, ["/version must be a whole number"]),
        (#"{"version":1.0,"collections":{}}"#, ["/version must be a whole number"]),
        (#"{"version":null,"collections":{}}"#, ["version"]),
        (#"{"version":0,"collections":{}}"#, ["/version is 0"]),
        (#"{"version":-1,"collections":{}}"#, ["/version is -1"]),
        (#"{"version":4294967296,"collections":{}}"#, ["/version is 4294967296"]),
        (#"{"collections":{"":{}}}"#, ["/collections has a collection with an empty name"]),
        (#"{"collections":{"a":[]}}"#, ["/collections/a must be an object"]),
        (#"{"collections":{"a":{"ids":"x"}}}"#, ["/collections/a/ids is unknown", "did you mean id?"]),
        (#"{"collections":{"a":{"id":1}}}"#, ["/collections/a/id must be a string"]),
        (#"{"collections":{"a":{"id":""}}}"#, ["/collections/a/id", "is empty"]),
        (#"{"collections":{"a":{"history":true}}}"#, ["/collections/a/history must be an object"]),
        (#"{"collections":{"a":{"history":{}}}}"#, ["/collections/a/history has no bounds", "90 days"]),
        (#"{"collections":{"a":{"history":{"age":90}}}}"#, ["/history/age must be a string"]),
        (#"{"collections":{"a":{"history":{"age":"90days"}}}}"#, ["/history/age is 90days", "90 days"]),
        (#"{"collections":{"a":{"history":{"age":"-1 days"}}}}"#, ["/history/age is -1 days"]),
        (#"{"collections":{"a":{"history":{"age":"3 months"}}}}"#, ["/history/age is 3 months"]),
        (#"{"collections":{"a":{"history":{"versions":0}}}}"#, ["/history/versions is 0"]),
        (#"{"collections":{"a":{"history":{"versions":1000001}}}}"#, ["/history/versions is 1000001"]),
        (#"{"collections":{"a":{"history":{"version":1}}}}"#, ["/history/version is unknown", "versions?"]),
        (#"{"collections":{"a":{"indexes":[]}}}"#, ["/collections/a/indexes must be an object"]),
        (#"{"collections":{"a":{"indexes":{"":{"fields":["x"]}}}}}"#, ["/collections/a/indexes", "empty name"]),
        (#"{"collections":{"a":{"indexes":{"y":1}}}}"#, ["/collections/a/indexes/y must be an object"]),
        (#"{"collections":{"a/~":{"indexes":{"y":1}}}}"#, ["/collections/a~1~0/indexes/y must be an object"]),
    ]

    /// Invalid index definitions, and parts of the error message. `docs/schema.json` rejects them too, unlike those of
    /// `semanticallyRefusedIndexes`.
    static let refusedIndexes: [(String, [String])] = [
        (#"{}"#, ["has no member fields"]),
        (#"{"fields":"x"}"#, ["/fields must be an array of paths"]),
        (#"{"fields":[1]}"#, ["/fields/0 must be a path or an object"]),
        (#"{"fields":[]}"#, ["/fields has no fields"]),
        (
            #"{"fields":["x"],"languageField":"l","languages":["german"]}"#,
            ["/languageField belongs to an index of type"]
        ),
        (
            #"{"type":"text","fields":["x"],"analyzer":"english","languageField":"l","languages":["klingon"]}"#,
            ["/languages/0 is klingon"]
        ),
        (#"{"fields":["x"],"type":"tree"}"#, ["/type is tree", "value, text, geo"]),
        (#"{"fields":["x"],"type":"txt"}"#, ["did you mean text?"]),
        (#"{"fields":["x"],"type":1}"#, ["/type must be one of value, text, geo"]),
        (#"{"fields":["x"],"uniqe":true}"#, ["/uniqe is unknown; did you mean unique?"]),
        (#"{"fields":["x"],"unique":1}"#, ["/unique must be true or false"]),
        (#"{"fields":["x"],"where":1}"#, ["/where must be a string"]),
        (#"{"fields":["x"],"cover":"x"}"#, ["/cover must be an array"]),
        (#"{"fields":["x"],"cover":[]}"#, ["/cover is empty"]),
        (#"{"fields":["x"],"cover":[1]}"#, ["/cover/0 must be a path"]),
        (#"{"fields":[{}]}"#, ["/fields/0 has no member path"]),
        (#"{"fields":[{"path":"x","order":"up"}]}"#, ["/fields/0/order is up", "asc, desc"]),
        (#"{"fields":[{"path":"x","collation":"CI"}]}"#, ["/fields/0/collation", "did you mean ci?"]),
        (#"{"fields":[{"path":"x","as":"date"}]}"#, ["/fields/0/as must be an object"]),
        (#"{"fields":[{"path":"x","as":{}}]}"#, ["/fields/0/as has no member date"]),
        (#"{"fields":[{"path":"x","as":{"date":[]}}]}"#, ["/fields/0/as/date is empty"]),
        (#"{"fields":[{"path":"x","as":{"date":["iso"]}}]}"#, ["/fields/0/as/date/0", "iso8601, exif"]),
        (#"{"fields":[{"path":"x","part":"century"}]}"#, ["/fields/0/part"]),
        (#"{"fields":[{"path":"x","split":""}]}"#, ["/fields/0/split is empty"]),
        (#"{"fields":["x"],"lat":"a"}"#, ["/lat belongs to an index of type geo"]),
        (#"{"type":"geo"}"#, ["has no member fields"]),
        (#"{"type":"geo","lat":"a"}"#, ["has no member lon"]),
        (#"{"type":"geo","lat":"a","lon":"b","fields":["c"]}"#, ["/fields cannot be combined with lat and lon"]),
        (#"{"type":"geo","fields":["a","b"]}"#, ["/fields must be one path"]),
        (#"{"type":"vector","fields":["a"]}"#, ["has no member dimensions"]),
        (#"{"type":"vector","fields":["a"],"dimensions":1}"#, ["/dimensions is 1; it must be from 2 to 4096"]),
        (#"{"type":"vector","fields":["a"],"dimensions":5000}"#, ["/dimensions is 5000"]),
        (#"{"type":"vector","fields":["a"],"dimensions":"3"}"#, ["/dimensions must be a whole number"]),
        (#"{"type":"vector","fields":["a","b"],"dimensions":3}"#, ["/fields must be one path without []"]),
        (#"{"type":"vector","fields":["a"],"dimensions":3,"similarity":"dot"}"#, ["/similarity is dot", "cosine"]),
        (#"{"type":"vector","fields":["a"],"dimensions":3,"sparse":true}"#, ["/sparse has no effect"]),
        (#"{"type":"vector","fields":["a"],"dimensions":3,"unique":true}"#, ["/unique is not possible"]),
        (#"{"fields":["a"],"dimensions":3}"#, ["/dimensions belongs to an index of type vector"]),
        (#"{"fields":["a"],"similarity":"cosine"}"#, ["/similarity belongs to an index of type vector"]),
        (#"{"type":"geo","fields":["a"],"unique":true}"#, ["/unique is not possible in an index of type geo"]),
        (#"{"type":"text","fields":["a"],"cover":["b"]}"#, ["/cover is not possible in an index of type text"]),
        (#"{"type":"text","fields":["a"],"where":"b = 1"}"#, ["/where is not possible in an index of type text"]),
        (#"{"type":"text","fields":[{"path":"a","order":"desc"}]}"#, ["/fields/0 must be a path, a weight and"]),
        (#"{"fields":[{"path":"a","weight":2}]}"#, ["/fields/0/weight belongs to an index of type text"]),
        (#"{"fields":[{"path":"a","analyzer":"words"}]}"#, ["/fields/0/analyzer belongs to an index of type text"]),
        (#"{"fields":["a"],"analyzer":"words"}"#, ["/analyzer belongs to an index of type text"]),
        (#"{"type":"geo","fields":[{"path":"a","weight":2}]}"#, ["/fields/0/weight belongs to"]),
    ]

    /// Invalid weights and analyzers of a text index, as members of its only field.
    static let refusedFields: [(String, [String])] = [
        (#""weight":0"#, ["/fields/0/weight is 0"]), (#""weight":101"#, ["/fields/0/weight is 101"]),
        (#""weight":"2""#, ["/fields/0/weight must be a whole number"]),
        (#""analyzer":"klingon""#, ["/fields/0/analyzer is klingon", "simple, words"]),
        (#""analyzer":"germn""#, ["did you mean german?"]), (#""analyzer":1"#, ["must be the name of an analyzer"]),
        (#""analyzer":{"stemmer":"german"}"#, ["/analyzer/stemmer is unknown"]),
        (#""analyzer":{"accents":"away"}"#, ["/analyzer/accents is away", "fold, keep, one-way"]),
        (#""analyzer":{"tokenizer":"ngrams","length":9}"#, ["/analyzer/length is 9"]),
        (#""analyzer":{"stopWords":[]}"#, ["/analyzer/stopWords is empty"]),
        (#""analyzer":{"stopWords":1}"#, ["/analyzer/stopWords must be true or an array"]),
        (#""analyzer":{"synonyms":[["car"]]}"#, ["/analyzer/synonyms has a group with fewer than two"]),
        (#""analyzer":{"synonyms":["car"]}"#, ["/analyzer/synonyms/0 must be an array"]),
    ]

    /// Definitions that violate rules JSON Schema cannot express.
    static let semanticallyRefusedIndexes: [(String, [String])] = [
        (#"{"type":"vector","fields":["a[].b"],"dimensions":3}"#, ["/fields must be one path without []"]),
        (
            #"{"type":"text","fields":["a"],"analyzer":{"tokenizer":"keyword","language":"german"}}"#,
            ["/analyzer/language requires a word tokenizer"]
        ),
        (
            #"{"type":"text","fields":["a"],"analyzer":{"length":2}}"#,
            ["/analyzer/length applies only to the tokenizer"]
        ),
        (
            #"{"type":"text","fields":["a"],"analyzer":{"stopWords":true}}"#,
            ["/analyzer/stopWords can only be true with a language"]
        ),
        (
            #"{"type":"text","fields":["a"],"analyzer":{"language":"hindi","stopWords":true}}"#,
            ["/analyzer/stopWords are not available for hindi"]
        ),
        (
            #"{"type":"text","fields":["a"],"analyzer":"english","languageField":"l"}"#,
            ["/languages must list the languages"]
        ),
        (
            #"{"type":"text","fields":["a"],"analyzer":"english","languages":["german"]}"#,
            ["/languages belong to a languageField"]
        ),
        (
            #"{"type":"text","fields":["a"],"languageField":"l","languages":["german"]}"#,
            ["/languageField has no effect"]
        ),
        (
            #"{"type":"text","fields":["a"],"analyzer":"english","languageField":"l","languages":["german","german"]}"#,
            ["/languages lists a language twice"]
        ),
        (
            #"{"type":"text","fields":["a"],"analyzer":{"tokenizer":"ngrams","accents":"one-way"}}"#,
            ["/analyzer/accents cannot be one-way"]
        ),
        (#"{"fields":["a..b"]}"#, ["/fields/0 is not a valid path", "Invalid field path at byte 2"]),
        (#"{"fields":["a"],"cover":["a["]}"#, ["/cover/0 is not a valid path"]),
        (#"{"fields":["a"],"where":"b ="}"#, ["/where is not a valid condition"]),
        (#"{"fields":["a"],"where":" "}"#, ["/where holds for every document"]),
        (#"{"fields":["a"],"nullsEqual":true}"#, ["/nullsEqual belongs to a unique index"]),
        (#"{"fields":[{"path":"a","collation":"natural","split":"|"}]}"#, ["/collation cannot be natural"]),
        (#"{"fields":[{"path":"a","collation":"ci","part":"year"}]}"#, ["/collation does not apply to dates"]),
        (#"{"fields":[{"path":"a","split":"|","part":"year"}]}"#, ["/split cannot be combined with dates"]),
        (#"{"fields":[{"path":"a","as":{"date":["exif","exif"]}}]}"#, ["/as lists a format twice"]),
    ]

    private func expectRefusal(_ json: String, _ parts: [String]) {
        let error = expectFailure(.invalidSchema) { try Schema(json: Array(json.utf8)) }
        for part in parts { #expect(error?.message.contains(part) == true, "\(error?.message ?? "")") }
        #expect(error?.schemaViolations.isEmpty == false)
    }

    @Test(arguments: refusedFields) func `An unusable weight or analyzer is rejected with its path`(
        members: String, parts: [String]
    ) {
        expectRefusal(
            #"{"collections":{"a":{"indexes":{"y":{"type":"text","fields":[{"path":"x",\#(members)}]}}}}}"#, parts)
    }

    @Test(arguments: refusedIndexes + semanticallyRefusedIndexes)
    func `An unusable index definition is rejected with its path`(index: String, parts: [String]) {
        expectRefusal(#"{"collections":{"a":{"indexes":{"y":\#(index)}}}}"#, parts)
        let error = expectFailure(.invalidSchema) {
            try Schema(json: Array(#"{"collections":{"a":{"indexes":{"y":\#(index)}}}}"#.utf8))
        }
        for violation in error?.schemaViolations ?? [] {
            #expect(violation.path.hasPrefix("/collections/a/indexes/y"), "\(violation)")
        }
    }

    @Test func `All schema violations are reported at once, each with its path`() {
        let json = """
            {"version":0,"collections":{"a":{"idd":"x","indexes":{
            "x":{"fields":["p",{"path":"q","order":"down","colation":"ci"}],"where":"("},
            "y":{"type":"geo","fields":["g"],"count":true},
            "z":{"fields":["ok"]}}},"b":[]},"extra":1}
            """
        let error = expectFailure(.invalidSchema) { try Schema(json: Array(json.utf8)) }
        #expect(
            error?.schemaViolations.map(\.path) == [
                "/extra", "/collections/a/idd", "/collections/a/indexes/x/fields/1/colation",
                "/collections/a/indexes/x/fields/1/order", "/collections/a/indexes/x/where", "/collections/b",
                "/version",
                "/collections/a/indexes/y/count",
            ])
    }

    @Test(arguments: refused) func `JSON that is not a schema is rejected with the required change`(
        json: String, parts: [String]
    ) {
        expectRefusal(json, parts)
    }

    @Test(arguments: ["", "{", #"{"collections":{"a":{},"a":{}}}"#, #"{"collections":{}} x"#])
    func `Input that is not JSON is rejected with its position`(json: String) {
        let error = #expect(throws: JSONError.self) { try Schema(json: Array(json.utf8)) }
        #expect(error?.line == 1)
    }

    @Test func `A text index has at most 32 fields`() throws {
        func schema(_ count: Int) throws -> Schema {
            let fields = (0..<count).map { "\"f\($0)\"" }.joined(separator: ",")
            let index = "{\"type\":\"text\",\"fields\":[\(fields)]}"
            return try Schema(json: Array("{\"collections\":{\"a\":{\"indexes\":{\"y\":\(index)}}}}".utf8))
        }
        _ = try schema(32)
        expectFailure(.invalidSchema, containing: "/collections/a/indexes/y/fields", "33", "32") { try schema(33) }
    }

    @Test func `Duplicate names are rejected, and Unicode forms of one letter are different names`() throws {
        expectFailure(.invalidSchema, containing: "/collections has", "collection", "rename") {
            try Schema(collections: [CollectionDefinition("a"), CollectionDefinition("b"), CollectionDefinition("a")])
                .validate()
        }
        let error = expectFailure(.invalidSchema, containing: "/collections/c/indexes", " y", "rename") {
            try Schema(collections: [
                CollectionDefinition("c", indexes: [.value("y", on: "a"), .text("y", on: "b")])
            ]).validate()
        }
        #expect(error?.message.contains("indexs") == false)
        try Schema(collections: [
            CollectionDefinition("\u{e9}"), CollectionDefinition("e\u{301}"),
            CollectionDefinition("c", indexes: [.value("\u{e9}", on: "a"), .value("e\u{301}", on: "a")]),
        ]).validate()
        // The same name in two collections is not a conflict.
        try Schema(collections: [
            CollectionDefinition("a", indexes: [.value("y", on: "y")]),
            CollectionDefinition("b", indexes: [.value("y", on: "y")]),
        ]).validate()
    }
}
