import DocIndex
import Foundation
import TestSupport
import Testing

/// `docs/schema.json`, which editors use, agrees with the parser.
@Suite struct PublishedSchemaTests {
    private static func checker() throws -> JSONSchemaChecker {
        // Root/Tests/DocIndexTests/Schema/PublishedSchemaTests.swift
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        let file = try Data(contentsOf: url.appendingPathComponent("docs/schema.json"))
        return JSONSchemaChecker(root: try JSONParser().parse(Array(file)))
    }

    private static func document(index: String) -> String { #"{"collections":{"a":{"indexes":{"y":\#(index)}}}}"# }

    @Test func `The published schema accepts what the parser accepts`() throws {
        let checker = try Self.checker()
        for (json, schema) in SchemaTests.accepted {
            #expect(checker.accepts(try JSONParser().parse(Array(json.utf8))), "\(json)")
            #expect(checker.accepts(schema.jsonValue), "\(json)")
        }
    }

    @Test func `The published schema rejects what the parser rejects for its form`() throws {
        let checker = try Self.checker()
        let all = SchemaTests.refused.map(\.0) + SchemaTests.refusedIndexes.map { Self.document(index: $0.0) }
        let fields = SchemaTests.refusedFields.map {
            Self.document(index: #"{"type":"text","fields":[{"path":"x",\#($0.0)}]}"#)
        }
        for json in all + fields { #expect(!checker.accepts(try JSONParser().parse(Array(json.utf8))), "\(json)") }
        // What only the parser detects is valid in form.
        for (index, _) in SchemaTests.semanticallyRefusedIndexes {
            let json = Self.document(index: index)
            #expect(checker.accepts(try JSONParser().parse(Array(json.utf8))), "\(json)")
        }
    }

    @Test func `The parser and the published schema agree on random definitions`() throws {
        let checker = try Self.checker()
        var random = TestRun.random(stream: 50)
        let members: [(String, [DocumentValue])] = [
            ("type", ["value", "text", "geo", "vector", "tree", 1]),
            (
                "fields",
                [
                    ["a"], ["a", "b"], [], ["x": 1], [["path": "a", "order": "desc"]], [["path": "a"]],
                    [["order": "asc"]],
                ]
            ),
            ("fields", [["a"]]), ("lat", ["a", 1]), ("lon", ["b"]), ("where", ["a = 1", 3]),
            ("sparse", [true, false, nil]),
            ("unique", [true, false]), ("cover", [["a"], [], "a"]), ("count", [true, false, 0]), ("kind", ["value"]),
            ("nullsEqual", [false]), ("dimensions", [2, 4096, 1, 4097, "2"]), ("similarity", ["cosine", "dot"]),
        ]
        var accepted = 0
        for _ in 0..<3000 {
            var index = DocumentObject()
            for (name, values) in members where random.once(in: name == "fields" || name == "type" ? 2 : 6) {
                index[name] = random.pick(values)
            }
            let json = DocumentValue.object(["collections": ["c": ["indexes": ["i": .object(index)]]]])
            let isSchema = (try? Schema(json: Array(json.json.utf8))) != nil
            #expect(checker.accepts(json) == isSchema, "\(json.json)")
            if isSchema { accepted += 1 }
        }
        #expect(accepted > 100)
    }
}
