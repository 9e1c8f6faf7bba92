import DocIndex
import TestSupport
import Testing

/// What each assignment does to a document in memory.
@Suite struct DocumentUpdateTests {
    /// A document as JSON, an update, and the resulting document as JSON.
    typealias Case = (before: String, update: String, after: String)

    private static func object(_ json: String) throws -> DocumentObject {
        try #require(try DocumentValue(json: json, notation: .tagged).objectValue)
    }

    private static func check(_ cases: [Case], sourceLocation: SourceLocation = #_sourceLocation) throws {
        for (before, text, after) in cases {
            let update = try DocumentUpdate(parsing: text)
            let result = try update.applied(to: try object(before))
            #expect(
                DocumentValue.object(result).json == DocumentValue.object(try object(after)).json, "\(text)",
                sourceLocation: sourceLocation)
            #expect(try DocumentUpdate(parsing: update.description) == update, "\(update)")
            #expect(try DocumentUpdate(json: update.json) == update, "\(update.json.json)")
            #expect(try DocumentUpdate(json: update.json.json(JSONWriter(notation: .tagged))) == update)
            if update.isRepeatable {
                #expect(try update.applied(to: result) == result, "\(text) is not repeatable")
            }
        }
    }

    @Test func `A value is set in place, and missing objects are created`() throws {
        try Self.check([
            (#"{"a":1,"b":2}"#, "a = 5", #"{"a":5,"b":2}"#),
            (#"{"a":1}"#, #"b = "x y", c = z"#, #"{"a":1,"b":"x y","c":"z"}"#),
            (#"{}"#, "a.b.c = true", #"{"a":{"b":{"c":true}}}"#),
            (#"{"a":null}"#, "a.b = 1", #"{"a":{"b":1}}"#),
            (#"{"a":1}"#, "a = null", #"{"a":null}"#),
            (#"{"a":1}"#, "a = (1, two)", #"{"a":[1,"two"]}"#),
            (#"{}"#, "a = ()", #"{"a":[]}"#),
            (#"{}"#, #"a = json '{"b":[1,2.5]}'"#, #"{"a":{"b":[1,2.5]}}"#),
            (#"{}"#, #"a = "2019-06-08", "b.c" = 1"#, #"{"a":"2019-06-08","b.c":1}"#),
            (#"{}"#, "a=1,b=-2", #"{"a":1,"b":-2}"#),
            (#"{"p":[{"n":1},{"n":2}]}"#, "p[].n = 3", #"{"p":[{"n":3},{"n":3}]}"#),
            (#"{"p":{"n":1}}"#, "p[].n = 3", #"{"p":{"n":3}}"#),
            (#"{}"#, "p[].n = 3", #"{}"#),
            (#"{"t":[1,2]}"#, "t[] = 0", #"{"t":[0,0]}"#),
        ])
        let dated = try DocumentUpdate(parsing: "taken = date 2019-06-08T18:02:11").applied(to: [:])
        #expect(dated["taken"]?.dateValue == DocumentDate(iso8601: "2019-06-08T18:02:11"))
        try Self.check([(#"{}"#, "taken = date 2019-06-08T18:02:11Z", #"{"taken":{"$date":"2019-06-08T18:02:11Z"}}"#)])
    }

    @Test func `A value is set only where there is none`() throws {
        try Self.check([
            (#"{"a":1}"#, "a ?= 5", #"{"a":1}"#), (#"{"a":null}"#, "a ?= 5", #"{"a":null}"#),
            (#"{}"#, "a?=5", #"{"a":5}"#), (#"{}"#, "a.b ?= 5", #"{"a":{"b":5}}"#),
            (#"{"p":[{},{"n":1}]}"#, "p[].n ?= 2", #"{"p":[{"n":2},{"n":1}]}"#),
        ])
    }

    @Test func `A member is removed wherever its path leads`() throws {
        try Self.check([
            (#"{"a":1,"b":2}"#, "REMOVE a", #"{"b":2}"#), (#"{"a":{"b":1,"c":2}}"#, "remove a.b", #"{"a":{"c":2}}"#),
            (#"{"a":1}"#, "REMOVE b, REMOVE a.c", #"{"a":1}"#),
            (#"{"p":[{"n":1,"m":2},3]}"#, "REMOVE p[].n", #"{"p":[{"m":2},3]}"#),
            (#"{"remove":1,"x":2}"#, #"remove = 3, REMOVE x"#, #"{"remove":3}"#),
            (#"{"remove":1}"#, #"REMOVE remove"#, #"{}"#),
            (#"{"remove":[1]}"#, #""remove" 1 -> 2"#, #"{"remove":[2]}"#),
        ])
    }

    @Test func `A member is renamed in its place, or moved`() throws {
        try Self.check([
            (#"{"a":1,"caption":"x","b":2}"#, "caption -> title", #"{"a":1,"title":"x","b":2}"#),
            (#"{"a":1}"#, "caption -> title", #"{"a":1}"#),
            (#"{"a":{"x":1,"y":2},"b":1}"#, "a.x -> a.z", #"{"a":{"z":1,"y":2},"b":1}"#),
            (#"{"a":{"x":1,"y":2}}"#, "a.x -> x", #"{"a":{"y":2},"x":1}"#),
            (#"{"x":1}"#, "x -> a.x", #"{"a":{"x":1}}"#), (#"{"a":1}"#, "a -> a.b", #"{"a":{"b":1}}"#),
            (#"{"a":1}"#, "a -> a", #"{"a":1}"#),
            (#"{"p":[{"n":1},{"m":2},3]}"#, "p[].n -> p[].name", #"{"p":[{"name":1},{"m":2},3]}"#),
            (#"{"p":[{"n":1}]}"#, "p[].n->p[].x.y", #"{"p":[{"x":{"y":1}}]}"#),
            (#"{"a":1,"b":2}"#, "a -> t, b -> a, t -> b", #"{"b":1,"a":2}"#),
            (#"{"a":1,"b":2}"#, "REMOVE b, a -> b", #"{"b":1}"#),
        ])
        let wide = DocumentObject(
            uniqueKeysWithValues: (0..<50).map { ("m\($0)", DocumentValue.int(Int64($0))) })
        let renamed = try DocumentUpdate(parsing: "m20 -> x").applied(to: wide)
        #expect(renamed.map(\.name).firstIndex(of: "x") == 20)
        #expect(renamed["m49"] == 49 && renamed["m20"] == nil && renamed.count == 50)
    }

    @Test func `An element is added to an array unless it is in it, and a single value becomes an element`() throws {
        try Self.check([
            (#"{"k":["a"]}"#, "k += river", #"{"k":["a","river"]}"#), (#"{"k":["a"]}"#, "k += a", #"{"k":["a"]}"#),
            (#"{}"#, "k += river", #"{"k":["river"]}"#), (#"{"k":null}"#, "k += river", #"{"k":["river"]}"#),
            (#"{"k":"sea"}"#, "k += river", #"{"k":["sea","river"]}"#), (#"{"k":"sea"}"#, "k += sea", #"{"k":"sea"}"#),
            (#"{"k":["a"]}"#, "k += (a, b, b)", #"{"k":["a","b"]}"#), (#"{}"#, "k += ()", #"{}"#),
            (#"{"k":[1.0]}"#, "k += 1", #"{"k":[1.0]}"#), (#"{"k":[]}"#, "k += null", #"{"k":[null]}"#),
            (#"{"k":{"x":1}}"#, #"k += json '{"x":2}'"#, #"{"k":[{"x":1},{"x":2}]}"#),
            (#"{"k":[{"x":1,"y":2}]}"#, #"k += json '{"y":2,"x":1}'"#, #"{"k":[{"x":1,"y":2}]}"#),
            (#"{"p":[{"t":["a"]},{}]}"#, "p[].t += b", #"{"p":[{"t":["a","b"]},{"t":["b"]}]}"#),
            (#"{"k":["a"]}"#, #"k += (json "[\"x\"]")"#, #"{"k":["a",["x"]]}"#),
        ])
    }

    @Test func `Numbers are added and subtracted exactly`() throws {
        try Self.check([
            (#"{"n":5}"#, "n += 2, n -= 10", #"{"n":-3}"#), (#"{"n":5}"#, "n += 0.5", #"{"n":5.5}"#),
            (#"{}"#, "n += 3", #"{"n":3}"#), (#"{}"#, "n -= 3", #"{}"#),
            (#"{"n":9007199254740993}"#, "n += 2", #"{"n":9007199254740995}"#),
            (#"{"n":[5]}"#, "n += 6, n -= 5", #"{"n":[6]}"#), (#"{"n":[5,6]}"#, "n[] += 1", #"{"n":[6,7]}"#),
            (#"{"n":5}"#, "n += (6)", #"{"n":[5,6]}"#), (#"{"n":5}"#, "n -= (5)", #"{}"#),
            (#"{"n":"x"}"#, "n += (1)", #"{"n":["x",1]}"#), (#"{"n":4}"#, "n += (five)", #"{"n":[4,"five"]}"#),
            (#"{"n":null}"#, "n += five", #"{"n":["five"]}"#), (#"{"n":[4]}"#, "n += five", #"{"n":[4,"five"]}"#),
            (#"{"n":"x"}"#, "n -= 1", #"{"n":"x"}"#),
        ])
        for text in ["n += 1", "n -= json '-1'"] {
            expectFailure(.invalidUpdate, containing: "64 bits", "n ") {
                try DocumentUpdate(parsing: text).applied(to: ["n": .int(.max)])
            }
        }
    }

    @Test func `Every equal element is removed, but no part of a string`() throws {
        try Self.check([
            (#"{"k":["a","b","a"]}"#, "k -= a", #"{"k":["b"]}"#), (#"{"k":["a"]}"#, "k -= (a, b)", #"{"k":[]}"#),
            (#"{"k":"sea","x":1}"#, "k -= sea", #"{"x":1}"#), (#"{"k":"seashore"}"#, "k -= sea", #"{"k":"seashore"}"#),
            (#"{}"#, "k -= a, x.k -= a", #"{}"#), (#"{"k":[1.0,"1"]}"#, "k -= 1", #"{"k":["1"]}"#),
            (#"{"p":[{"t":["a"]},{"t":"a"},1]}"#, "p[].t -= a", #"{"p":[{"t":[]},{},1]}"#),
        ])
    }

    @Test func `A renamed element keeps its place, and renaming creates no duplicate`() throws {
        try Self.check([
            (#"{"k":["a","river","b"]}"#, #"k "river" -> "stream""#, #"{"k":["a","stream","b"]}"#),
            (#"{"k":["stream","river"]}"#, "k river -> stream", #"{"k":["stream"]}"#),
            (#"{"k":["river","x","stream"]}"#, "k river -> stream", #"{"k":["stream","x"]}"#),
            (#"{"k":["stream","stream"]}"#, "k river -> stream", #"{"k":["stream","stream"]}"#),
            (#"{"k":"river"}"#, "k river->stream", #"{"k":"stream"}"#), (#"{}"#, "k river -> x", #"{}"#),
            (#"{"k":[1,2]}"#, "k 1 -> one", #"{"k":["one",2]}"#),
            (
                #"{"s":["Places|Italy","Places|Italy|Venice","Places|Italyx"]}"#,
                #"s BELOW "Places|Italy" -> "Places|Italia""#,
                #"{"s":["Places|Italia","Places|Italia|Venice","Places|Italyx"]}"#
            ),
            (#"{"s":["a/b","c/b"]}"#, #"s below a -> c by "/""#, #"{"s":["c/b"]}"#),
            (#"{"s":"a|b"}"#, #"s BELOW a -> "a|x""#, #"{"s":"a|x|b"}"#),
        ])
    }

    @Test func `Parts of strings change only where TEXT says so`() throws {
        try Self.check([
            (#"{"c":"Fog"}"#, #"c += TEXT " (cropped)""#, #"{"c":"Fog (cropped)"}"#),
            (#"{}"#, "c += text x", #"{"c":"x"}"#),
            (#"{"c":"teh teh fog"}"#, "c TEXT teh -> the", #"{"c":"the the fog"}"#),
            (#"{"c":"draft: Fog"}"#, #"c -= TEXT "draft: ""#, #"{"c":"Fog"}"#),
            (
                #"{"c":["teh","x"],"d":5}"#, "c[] TEXT teh -> the, c TEXT x -> y, d TEXT 5 -> 6",
                #"{"c":["the","x"],"d":5}"#
            ),
            (#"{"k":["a"]}"#, "k += text, k a -> text", #"{"k":["text"]}"#),
        ])
        #expect(
            try DocumentUpdate(parsing: #"c TEXT "é" -> "e""#).applied(to: ["c": "café e\u{301}"])["c"]
                == "cafe e\u{301}")
    }

    @Test func `An assignment that cannot be applied names itself and the reason, and changes nothing`() throws {
        let cases: [(DocumentObject, String, String)] = [
            (["a": 1], "a.b = 2", "an integer has no member b"), (["a": [1]], "a.b += 2", "an array has no member b"),
            (["a": 1, "b": 2], "a -> b", "member b already"), (["p": [1]], "p[].x = 2", "no member x"),
            (["a": 4], "a += five", "a string cannot be added to an integer; use += (\"five\") for an array"),
            (["a": "x"], "a += 1", "an integer cannot be added to a string; use += (1) for an array"),
            (["a": true], "a += 1.5", "cannot be added"), (["a": 4], "a += null", "cannot be added"),
            (["a": 1], "a += TEXT x", "not a string"), (["x": ["b": 1], "a": 1], "a -> x.b", "member b already"),
        ]
        for (document, text, reason) in cases {
            var changed = document
            let update = try DocumentUpdate(parsing: "z = 1, \(text)")
            expectFailure(.invalidUpdate, containing: reason, update.assignments[1].description) {
                try update.apply(to: &changed)
            }
            #expect(changed == document)
        }
    }

    private static let photo: DocumentObject = ["original": .attachment(Attachments.image), "title": "x"]

    @Test(arguments: [
        "original.type = 'image/png'", "original.bytes += 1", "REMOVE original.name", "original.name -> original.title",
        "original.name -> name", "title -> original.title", "original.other = 1",
        "original.name += TEXT a", "original[].type = a",
        "original.type 'image/jpeg' -> 'image/png'",
    ])
    func `An attachment cannot be changed in place`(text: String) throws {
        var changed = Self.photo
        let update = try DocumentUpdate(parsing: text)
        expectFailure(.invalidUpdate, containing: "an attachment cannot be changed in place", "change the") {
            try update.apply(to: &changed)
        }
        #expect(changed == Self.photo)
    }

    @Test func `An attachment is set, replaced, moved, collected and removed as a whole`() throws {
        let form = "json '\(Attachments.imageJSON)'"
        let other = DocumentValue.attachment(Attachments.distinct[1])
        let image = DocumentValue.attachment(Attachments.image)
        for (before, text, after) in [
            ([:], "original = \(form)", ["original": image]),
            (["original": other], "original = \(form)", ["original": image]),
            (["original": image], "REMOVE original", [:]), (["original": image], "original -> photo", ["photo": image]),
            (["all": [other]], "all += \(form)", ["all": [other, image]]),
            (["all": [other, image]], "all -= \(form)", ["all": [other]]),
            (["original": image], "original ?= 1", ["original": image]),
            // Assignments that change nothing.
            (["original": image], "original.type ?= 'x'", ["original": image]),
            (["original": image], "REMOVE original.other", ["original": image]),
            (["original": image], "original.type -= 'image/png'", ["original": image]),
        ] as [(DocumentObject, String, DocumentObject)] {
            let update = try DocumentUpdate(parsing: text)
            #expect(try update.applied(to: before) == after, "\(text)")
            #expect(try DocumentUpdate(parsing: update.description) == update, "\(text)")
            #expect(try DocumentUpdate(json: update.json.json(JSONWriter(notation: .tagged))) == update, "\(text)")
        }
    }

    @Test(arguments: [
        ("", 0, "an assignment"), ("rating", 6, "->"), ("rating = ", 9, "a value"), ("rating = 5 6", 11, "a comma"),
        ("rating = 5,", 11, "an assignment"), ("a = 1, b ^= 2", 9, "unknown operator ^="), ("= 5", 0, "path"),
        ("a == 5", 2, "unknown operator =="), ("tags[] = 1, REMOVE tags[]", 12, "remove the member itself"),
        ("a[].x -> b", 0, "within an element"), ("a[] -> a[]", 0, "no name"), ("a = (1, 2", 9, ", or )"),
        ("a = :x", 4, "bound to :x"), ("a = date 2019-06", 9, "complete date"), (#"a = "x"#, 4, "not closed"),
        (#"a TEXT "" -> x"#, 0, "empty"), (#"a BELOW x -> y BY """#, 0, "separator"), ("a x y", 4, "->"),
        ("a b = 3", 4, "->"), ("@ = 1", 0, "name of a member"), ("a..b = 1", 0, "not a valid path"),
        ("a = json '{'", 9, "not valid JSON"),
    ])
    func `A mistake in the notation is reported with its place`(text: String, position: Int, reason: String) throws {
        let error = expectFailure(.invalidUpdate, containing: reason, "the update cannot be read at character") {
            try DocumentUpdate(parsing: text)
        }
        #expect(error?.position == position, "\(text): \(error?.message ?? "")")
    }

    @Test(arguments: [
        (#"{"$inc":{"a":1}}"#, "$inc"), (#"{"$set":5}"#, "$set"), (#"{"$set":{"a..b":5}}"#, "a..b"), ("5", "object"),
        (#"{"$unset":[1]}"#, "$unset"), (#"{"$replace":{"a":{"from":1}}}"#, "from and to"), ("{", "JSON"),
        (#"{"$replace":{"a":{"from":1,"to":2,"by":3}}}"#, "from and to"), (#"{"$rename":{"a":1}}"#, "string"),
        (#"{"$unset":"a[]"}"#, "remove the member itself"),
        (#"{"$replaceBelow":{"a":{"from":"x","to":"y","by":""}}}"#, "separator"),
    ])
    func `A mistake in the JSON form names the operator`(json: String, reason: String) {
        expectFailure(.invalidUpdate, containing: reason) { try DocumentUpdate(json: json) }
    }

    @Test func `Bound values and parameters are never read as notation`() throws {
        let word = #"x", REMOVE id, "y"#
        let expected: DocumentUpdate = DocumentUpdate([.set("rating", 4), .add("keywords", .string(word))])
        #expect(try DocumentUpdate("rating = \(4), keywords += \(word)") == expected)
        #expect(
            try DocumentUpdate(
                parsing: "rating = :r, keywords += :w", parameters: ["r": 4, "w": .string(word)]) == expected)
        #expect(
            try DocumentUpdate("\(field: "a.b") \(1) -> \(2), \(field: "c") TEXT \("x") -> \("y")")
                == DocumentUpdate([.replace("a.b", 1, with: 2), .replaceText("c", "x", with: "y")]))
        let error = expectFailure(.invalidUpdate, containing: "the update is: rating = 4 5") {
            try DocumentUpdate("rating = \(4) 5")
        }
        #expect(error?.position == 11)
    }

    @Test func `An update that a second run could change again is not repeatable`() throws {
        for (text, isRepeatable) in [
            ("a = 1, b += x", true), ("a += 1", false), ("a -= 1", false), ("a += (1)", true), ("a += TEXT x", false),
            ("a TEXT x -> y", false), ("a -> t, b -> a", false), ("a = 1, a.b = 2", false), ("p[].a = 1, p = 2", false),
            ("s BELOW a -> b", true), (#"s BELOW a -> "a|b""#, false), ("REMOVE a, b ?= 1, c x -> y", true),
        ] { #expect(try DocumentUpdate(parsing: text).isRepeatable == isRepeatable, "\(text)") }
    }

    @Test func `Deep paths fit on a small stack`() throws {
        let path = Array(repeating: "a", count: 127).joined(separator: ".")
        let nested = Array(repeating: "a[]", count: 60).joined(separator: ".")
        let result = withSmallStack { () -> Bool in
            var document = DocumentObject()
            do {
                try DocumentUpdate(parsing: "\(path).b = 1, \(nested).x ?= 2, \(path).b += 4").apply(to: &document)
                return FieldPath.Step.name("b") != .eachElement && !document.isEmpty
            } catch { return "\(error)".contains("no member") }
        }
        #expect(result == true)
    }

    @Test func `Updates are encoded as their notation`() throws {
        let update = try DocumentUpdate(parsing: #"a = 1, k "x" -> "y", REMOVE "b.c""#)
        let encoded = try DocumentEncoder().encode(update)
        #expect(encoded == .string(update.description))
        #expect(try DocumentDecoder().decode(DocumentUpdate.self, from: encoded) == update)
    }
}

extension DocumentObject {
    fileprivate init(uniqueKeysWithValues members: [(String, DocumentValue)]) {
        self.init()
        for (name, value) in members { self[name] = value }
    }
}
