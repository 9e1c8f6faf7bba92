import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Many documents, stored in commits of moderate size.
@Suite struct BulkWriterTests {
    private static let schema = Schema(collections: [
        CollectionDefinition("c", indexes: [.value("n", on: "n", unique: true)])
    ])

    private static func document(_ number: Int, text: String = "") -> DocumentObject {
        ["id": .int(Int64(number)), "n": .int(Int64(number)), "text": .string(text)]
    }

    @Test(arguments: [1, 7, 1000]) func `Everything is stored, in commits of so many documents`(size: Int) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            var options = BulkWriter.Options()
            options.documentCount = size
            let count = try store.load(into: "c", options: options) { writer in
                for number in 0..<100 { try writer.put(Self.document(number)) }
                #expect(writer.count == 100)
            }
            #expect(count == 100)
            #expect(try store.collection("c").count() == 100)
            // Each commit has a number.
            #expect(try store.sequence() == UInt64((100 + size - 1) / size))
            try expectSound(store)
        }
    }

    @Test func `A commit ends before its texts are more than so many bytes, but for one document`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            var options = BulkWriter.Options()
            options.byteCount = 10_000
            try store.load(into: "c", options: options) { writer in
                for number in 0..<20 {
                    try writer.put(Self.document(number, text: String(repeating: "x", count: 4000)))
                }
                try writer.put(Self.document(20, text: String(repeating: "x", count: 100_000)))
            }
            let changes = try store.changes(since: 0)
            let sizes = Dictionary(grouping: changes, by: \.sequence).values.map(\.count)
            #expect(changes.count == 21)
            #expect(sizes.allSatisfy { $0 <= 3 } && sizes.count >= 7, "\(sizes)")
        }
    }

    @Test func `What was given is there after a flush, while the rest is still to come`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try store.load(into: "c") { writer in
                for number in 0..<10 { try writer.put(Self.document(number)) }
                #expect(try store.collection("c").count() == 0)
                try writer.flush()
                #expect(try store.collection("c").count() == 10)
                try writer.put(Self.document(10))
            }
            #expect(try store.collection("c").count() == 11)
        }
    }

    /// The commits before the one that fails stay, those behind it are not made.
    @Test func `A commit that fails ends the load, and a beginning is stored`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            var options = BulkWriter.Options()
            options.documentCount = 10
            expectFailure(.duplicateValue, containing: "n") {
                try store.load(into: "c", options: options) { writer in
                    for number in 0..<10_000 {
                        var document = Self.document(number)
                        if number == 55 { document["n"] = 3 }
                        try writer.put(document)
                    }
                }
            }
            #expect(try store.collection("c").count() == 50)
            try expectSound(store)
            // The store goes on.
            try store.load(into: "c") { try $0.put(Self.document(60)) }
            #expect(try store.collection("c").count() == 51)
        }
    }

    @Test func `What the closure throws ends the load, and what was given before is stored`() throws {
        struct Stop: Error {}
        try withTemporaryStore(schema: Self.schema) { (store) throws in
            #expect(throws: Stop.self) {
                try store.load(into: "c") { writer in
                    for number in 0..<10 { try writer.put(Self.document(number)) }
                    throw Stop()
                }
            }
            let count = try store.collection("c").count()
            #expect(count == 10)
        }
    }

    @Test func `Documents replace those of the same id, unless that was forbidden`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try collection.put(Self.document(1))
            try store.load(into: "c") { try $0.put(Self.document(1, text: "new")) }
            #expect(try collection.document(1)?["text"] == "new")
            var options = BulkWriter.Options()
            options.insertsOnly = true
            expectFailure(.documentExists, containing: "1") {
                try store.load(into: "c", options: options) { try $0.put(Self.document(1, text: "newer")) }
            }
            #expect(try collection.document(1)?["text"] == "new")
        }
    }

    @Test func `JSON means itself, and the forms of a dump only where that is said`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            let texts = [#"{"id":1,"$schema":"x"}"#, #"{"id":2,"v":{"$bytes":"AAE="}}"#]
            try store.load(into: "c") { writer in for text in texts { try writer.put(json: Array(text.utf8).span) } }
            #expect(try collection.document(1)?["$schema"] == "x")
            #expect(try collection.document(2)?["v"] == ["$bytes": "AAE="])
            try store.load(into: "c") { try $0.put(json: Array(texts[1].utf8).span, isExtended: true) }
            #expect(try collection.document(2)?["v"] == .bytes([0, 1]))
            #expect(throws: JSONError.self) { try store.load(into: "c") { try $0.put(json: Array("{".utf8).span) } }
            expectFailure(.invalidDocument, containing: "document 1 is not a JSON object") {
                try store.load(into: "c") { try $0.put(json: Array("[1]".utf8).span) }
            }
        }
    }
}
