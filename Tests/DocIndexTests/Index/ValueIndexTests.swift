import TestSupport
import Testing

@testable import DocIndex

/// The entries of a document in a value index.
@Suite struct ValueIndexTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let fields: [FieldPath]
        let document: DocumentObject
        /// The values of each entry, in document order.
        let entries: [[DocumentValue?]]

        init(_ fields: FieldPath..., in document: DocumentObject, _ entries: [[DocumentValue?]]) {
            self.fields = fields
            self.document = document
            self.entries = entries
        }

        var testDescription: String { "\(fields.map(\.description).joined(separator: ", ")) of \(document)" }
    }

    static let examples: [Example] = [
        // A single value of any kind, and none.
        Example("a", in: ["a": 1], [[1]]), Example("a", in: ["a": "x"], [["x"]]),
        Example("a", in: ["a": nil], [[.null]]),
        Example("a", in: [:], [[nil]]), Example("a", in: ["b": 1], [[nil]]), Example("a", in: ["a": true], [[true]]),
        Example("a", in: ["a": .bytes([0])], [[.bytes([0])]]),
        Example("a", in: ["a": .double(.nan)], [[.double(.nan)]]),
        // An array or an object at a path without [] is one value.
        Example("a", in: ["a": []], [[.array([])]]), Example("a", in: ["a": [1, 2]], [[.array([1, 2])]]),
        Example("a", in: ["a": ["x": 1]], [[.object(["x": 1])]]),
        // Nested members.
        Example("a.b", in: ["a": ["b": 1]], [[1]]), Example("a.b", in: ["a": ["b": nil]], [[.null]]),
        Example("a.b", in: ["a": ["c": 1]], [[nil]]), Example("a.b", in: ["a": 1], [[nil]]),
        Example("a.b", in: ["a": nil], [[nil]]), Example("a.b", in: ["a": [["b": 1]]], [[nil]]),
        Example("a.b", in: ["a.b": 1], [[nil]]), Example(#""a.b""#, in: ["a.b": 1], [[1]]),
        // Each distinct element once; no elements count as "missing".
        Example("a[]", in: ["a": [1, 2]], [[1], [2]]), Example("a[]", in: ["a": [2, 1, 2]], [[2], [1]]),
        Example("a[]", in: ["a": [1, 1.0, "1", true]], [[1], ["1"], [true]]),
        Example("a[]", in: ["a": [0.0, -0.0, 0]], [[0]]),
        Example("a[]", in: ["a": ["\u{e9}", "e\u{301}"]], [["\u{e9}"], ["e\u{301}"]]),
        Example("a[]", in: ["a": []], [[nil]]), Example("a[]", in: [:], [[nil]]),
        Example("a[]", in: ["a": nil], [[nil]]),
        Example("a[]", in: ["a": [nil]], [[.null]]), Example("a[]", in: ["a": [nil, 1, nil]], [[.null], [1]]),
        // A value that is not an array counts as an array of one.
        Example("a[]", in: ["a": 7], [[7]]), Example("a[]", in: ["a": ["x": 1]], [[.object(["x": 1])]]),
        // Arrays and objects as elements are distinguished by content.
        Example("a[]", in: ["a": [[1], [1.0], []]], [[.array([1])], [.array([])]]),
        Example("a[]", in: ["a": [["x": 1], ["y": 1]]], [[.object(["x": 1])], [.object(["y": 1])]]),
        Example("a[]", in: ["a": [["x": 1, "y": 2], ["y": 2, "x": 1.0]]], [[.object(["x": 1, "y": 2])]]),
        Example("a[][]", in: ["a": [[1, 2], [2, 3], []]], [[1], [2], [3]]),
        Example("a[][]", in: ["a": [1, [2]]], [[1], [2]]),
        Example("a[][]", in: ["a": [[], []]], [[nil]]),
        // Members of elements.
        Example("p[].name", in: ["p": [["name": "x"], ["name": "y"], ["name": "x"]]], [["x"], ["y"]]),
        Example("p[].name", in: ["p": [["name": "x"], ["age": 1], 5, nil, ["name": nil]]], [["x"], [.null]]),
        Example("p[].name", in: ["p": ["name": "x"]], [["x"]]), Example("p[].name", in: ["p": [[:], 5]], [[nil]]),
        Example("p[].name", in: ["p": []], [[nil]]),
        Example("p[].tags[]", in: ["p": [["tags": [1, 2]], ["tags": 2]]], [[1], [2]]),
        Example("p.tags[]", in: ["p": ["tags": [1, 2]]], [[1], [2]]),
        Example("p.tags[]", in: ["p": [["tags": [1]]]], [[nil]]),
        // Several fields: each element combined with the same rest.
        Example("a", "b", in: ["b": 1], [[nil, 1]]), Example("b", "a", in: ["b": 1], [[1, nil]]),
        Example("a", "t[]", "b", in: ["a": 1, "b": 2, "t": ["x", "y", "x"]], [[1, "x", 2], [1, "y", 2]]),
        Example("t[]", "a", in: ["a": 1], [[nil, 1]]),
        Example("a", "t[]", in: ["a": [], "t": []], [[.array([]), nil]]),
        Example("a", "a", in: ["a": 1], [[1, 1]]),
        Example("t", "t[]", in: ["t": [1, 2]], [[.array([1, 2]), 1], [.array([1, 2]), 2]]),
    ]

    @Test(arguments: examples) func `A document has one entry for each distinct element, and at least one`(
        example: Example
    ) throws {
        let index = ValueIndex(number: 300, definition: IndexDefinition("i", kind: .value, fields: example.fields))
        var keys: [[UInt8]] = []
        try index.forEachEntry(of: example.document, row: 777) { key, value in
            keys.append(key)
            #expect(value.isEmpty)
        }
        let expected = example.entries.map { values in
            var key: [UInt8] = [0x56, 0x16, 0x01, 0x2c]
            for value in values { OrderedValue.append(value, to: &key) }
            return key + [0x16, 0x03, 0x09]
        }
        #expect(keys == expected)
        for key in keys {
            #expect(row(of: key, in: index) == 777)
            #expect(row(of: Array(key.dropLast()), in: index) == nil)
            #expect(row(of: key + [0], in: index) == nil)
        }
        #expect(Set(keys).count == keys.count)
    }

    private func row(of key: [UInt8], in index: ValueIndex) -> UInt64? { index.row(of: key.span) }

    @Test func `An update writes only the difference of the index entries`() throws {
        let schema = Schema(collections: [
            CollectionDefinition(
                "c", indexes: [.value("a", on: "a"), .value("t", on: "t[]", "a"), .text("x", on: "x")])
        ])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            /// Returns the number of bytes that a put adds to the log.
            func cost(_ document: DocumentObject) throws -> Int {
                let before = try TestFiles.byteCount(in: store.path, extension: "log")
                try collection.put(document)
                return try TestFiles.byteCount(in: store.path, extension: "log") - before
            }
            let tags = DocumentValue.array((0..<100).map { .string("tag number \($0)") })
            let words = DocumentValue.string((0..<100).map { "word\($0)" }.joined(separator: " "))
            let whole = try cost(["id": 1, "a": 1, "t": tags, "x": words, "n": 1])
            // A member without an index.
            var names = FieldNames()
            let body = try BodyEncoder.encode(["id": 1, "a": 1, "t": tags, "x": words, "n": 2], names: &names).count
            #expect(try cost(["id": 1, "a": 1, "t": tags, "x": words, "n": 2]) < body + 100)
            // One more tag: one more entry.
            let more = DocumentValue.array((tags.arrayValue ?? []) + ["one more"])
            #expect(try cost(["id": 1, "a": 1, "t": more, "x": words, "n": 2]) < body + 200)
            // A field that is part of each entry: all entries.
            #expect(try cost(["id": 1, "a": 2, "t": more, "x": words, "n": 2]) > body + 2 * 100 * 20)
            #expect(whole > body + 200 * 10)
        }
    }
}
