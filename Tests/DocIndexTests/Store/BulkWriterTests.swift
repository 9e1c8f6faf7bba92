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

    @Test(arguments: [1, 7, 1000]) func `Every document is stored, in commits of the configured size`(size: Int) throws
    {
        try withTemporaryStore(schema: Self.schema) { store in
            var options = BulkWriter.Options()
            options.documentCount = size
            let count = try store.load(into: "c", options: options) { writer in
                for number in 0..<100 { try writer.put(Self.document(number)) }
                #expect(writer.count == 100)
            }
            #expect(count == 100)
            #expect(try store.collection("c").count() == 100)
            // Each commit has a sequence number.
            #expect(try store.sequence() == UInt64((100 + size - 1) / size))
            try expectSound(store)
        }
    }

    @Test func `A bulk commit ends before its JSON exceeds the byte limit, except for a single document`() throws {
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

    @Test func `Documents are stored after a flush while the load continues`() throws {
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

    /// Commits before the failing one are kept; those after it are not made.
    @Test func `A failed commit ends the load, and the commits before it are kept`() throws {
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
            // The store remains usable.
            try store.load(into: "c") { try $0.put(Self.document(60)) }
            #expect(try store.collection("c").count() == 51)
        }
    }

    @Test func `An error thrown by the closure ends the load, and earlier documents are stored`() throws {
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

    @Test func `Loaded documents replace those with the same ID unless that is disallowed`() throws {
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

    @Test func `Loaded JSON is taken literally unless the forms of a dump are requested`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            let texts = [#"{"id":1,"$schema":"x"}"#, #"{"id":2,"v":{"$bytes":"AAE="}}"#]
            try store.load(into: "c") { writer in for text in texts { try writer.put(json: Array(text.utf8).span) } }
            #expect(try collection.document(1)?["$schema"] == "x")
            #expect(try collection.document(2)?["v"] == ["$bytes": "AAE="])
            try store.load(into: "c") { try $0.put(json: Array(texts[1].utf8).span, notation: .dump) }
            #expect(try collection.document(2)?["v"] == .bytes([0, 1]))
            #expect(throws: JSONError.self) { try store.load(into: "c") { try $0.put(json: Array("{".utf8).span) } }
            expectFailure(.invalidDocument, containing: "document 1 is not a JSON object") {
                try store.load(into: "c") { try $0.put(json: Array("[1]".utf8).span) }
            }
        }
    }
}
