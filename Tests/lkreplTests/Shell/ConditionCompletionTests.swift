import DocIndex
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Completion of conditions` {
    @Test(
        arguments: [
            ("", .field, ""), ("ra", .field, "ra"), ("rating ", .comparison, ""), ("rating i", .comparison, "i"),
            ("rating = ", .value("rating", isElement: false), ""), ("rating =", .value("rating", isElement: false), ""),
            ("rating=5", .value("rating", isElement: false), "5"), ("rating = 5 ", .connective, ""),
            ("rating = 5 and ", .field, ""), ("(title != \"Th", .value("title", isElement: false), "Th"),
            ("title = \"a b\" ", .connective, ""), ("k has s", .value("k", isElement: true), "s"),
            ("a in (", .value("a", isElement: false), ""), ("a in (1, ", .value("a", isElement: false), ""),
            ("a not in (1,2", .value("a", isElement: false), "2"), ("a in (1) ", .connective, ""),
            ("a in (1) or (b", .field, "b"), ("not ", .field, ""), ("a exists ", .connective, ""),
            ("\"odd name\" = x", .value(FieldPath(names: "odd name"), isElement: false), "x"),
        ] as [(String, ConditionContext.Expectation, String)])
    func `Completion at the end of a condition offers what can follow`(
        text: String, expectation: ConditionContext.Expectation, typed: String
    ) {
        let context = ConditionContext(endOf: text)
        #expect(context.expectation == expectation && context.typed == typed, "\(text): \(context)")
        #expect(context.typedCount <= text.count)
    }

    @Test func `Values come from an index, quoted as needed, and can be run as completed`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let odd = #"{"id":"odd","title":"It's \"odd\"","keywords":["sea; or #1"],"creator":"or","rating":5}"#
            #expect(try place.run("doc", "put", "--write", "photos.store", "photos", odd).code == 0)
            let session = try Session(path: place.path + "/photos.store", access: DatabaseAccess(isExclusive: false))
            let completer = Completer(
                session: session, commandNames: ["find", "search", "count"], timeLimit: .seconds(600))
            try ArgumentOrigin.$current.withValue(.shell) {
                for (text, expected) in [
                    ("find photos exif.model = X1", ["X100V"]), ("find photos exif.model = NIK", ["\"NIKON D90\""]),
                    ("find photos exif.model = \"NIK", ["\"NIKON D90\""]),
                    ("find photos 'exif.model = NIK", ["\"NIKON D90\""]),
                    ("count photos keywords has se", ["sea", "\"sea; or #1\""]),
                    ("find photos creator = or", ["\"or\""]),
                    ("find photos rating = ", ["0", "1", "2", "3", "4", "5"]),
                    ("find photos rating in (3, ", ["0", "1", "2", "3", "4", "5"]),
                    ("find photos rating != 4", ["4"]),
                    ("search photos fog --where 'rating = 5", ["5"]), ("find photos exif.model = zzz", []),
                    // Without an index, from the first documents.
                    ("find photos title = It", []), ("find photos source = sc", ["scan"]),
                ] {
                    let found = completer.completion(of: text)
                    let texts = found.candidates.map(\.text)
                    #expect(expected.allSatisfy(texts.contains), "\(text): \(found)")
                    #expect(expected.isEmpty == texts.isEmpty || text.contains("title"), "\(text): \(found)")
                    #expect(texts.count <= Completer.readLimit && (0...text.count).contains(found.start))
                    for candidate in found.candidates {
                        var line = String(text.prefix(found.start)) + candidate.text
                        if line.contains("(3, ") { line += ")" }
                        if text.contains("'") { line += "'" }
                        let outcome = try place.run(
                            "photos.store", "-c", line + (line.hasPrefix("count") ? "" : " --count"))
                        #expect(outcome.code == 0, "\(line): \(outcome)")
                    }
                }
                let fields = completer.completion(of: "find photos ra").candidates
                #expect(fields.map(\.note) == ["int"], "\(fields)")
                #expect(completer.completion(of: "find photos rating ").candidates.contains { $0.text == "between" })
            }
            try session.close()
        }
    }

    @Test func `Completion reads at most its limit of values of a large index`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let schema = #"{"collections":{"items":{"indexes":{"t":{"type":"value","fields":["t"]}}}}}"#
            try place.write(schema, to: "s.json")
            #expect(try place.run("init", "t.store", "--schema", "s.json").code == 0)
            let lines = (0..<3000).map { #"{"id":\#($0),"t":"word\#($0)"}"# + "\n" }.joined()
            #expect(try place.run("import", "--write", "t.store", "items", "-", input: lines).code == 0)
            let session = try Session(path: place.path + "/t.store", access: DatabaseAccess(isExclusive: false))
            var count = 0
            let isIndexed = try session.collection("items").forEachIndexedValue(at: "t", from: "word2") { value in
                count += 1
                return value.stringValue?.hasPrefix("word2") ?? false
            }
            #expect(isIndexed && count == 1112)
            let completer = Completer(session: session, commandNames: ["find"], timeLimit: .seconds(600))
            let found = ArgumentOrigin.$current.withValue(.shell) { completer.completion(of: "find items t = word29") }
            #expect(!found.candidates.isEmpty && found.candidates.count <= Completer.readLimit)
            #expect(found.candidates.allSatisfy { $0.text.hasPrefix("word29") })
            try session.close()
        }
    }
}
