import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// A unique index: what it rejects, what it accepts, and what it reports about existing duplicates.
@Suite struct UniqueIndexTests {
    private static func schema(_ index: IndexDefinition) -> Schema {
        Schema(collections: [CollectionDefinition("c", indexes: [index])])
    }

    private static let checksum = schema(.value("checksum", on: "sum", unique: true))

    @Test func `A second document with the same value is rejected, and its batch writes nothing`() throws {
        try withTemporaryStore(schema: Self.checksum) { store in
            let collection = try store.collection("c")
            try collection.put(["id": "a", "sum": 7])
            let error = expectFailure(.duplicateValue, containing: "checksum", " a ", " b ", "of c") {
                try store.write { transaction in
                    try transaction.put(["id": "z", "sum": 8], in: "c")
                    try transaction.put(["id": "b", "sum": 7.0], in: "c")
                }
            }
            #expect(error?.uniqueViolation?.ids == ["b", "a"])
            #expect(error?.uniqueViolation?.values == [7.0])
            #expect(error?.uniqueViolation?.description == "c.checksum: 7.0 in the documents b, a")
            #expect(error?.message.contains("7") == false)
            #expect(try collection.count() == 1)
            // Also within one batch.
            expectFailure(.duplicateValue, containing: "x", "y") {
                try store.write { transaction in
                    try transaction.put(["id": "x", "sum": 9], in: "c")
                    try transaction.put(["id": "y", "sum": 9], in: "c")
                }
            }
            #expect(try collection.count() == 1)
        }
    }

    @Test func `Two documents can swap values in one batch, and a deletion frees its value`() throws {
        try withTemporaryStore(schema: Self.checksum) { store in
            let collection = try store.collection("c")
            try collection.put(["id": 1, "sum": "a"])
            try collection.put(["id": 2, "sum": "b"])
            try store.write { transaction in
                try transaction.put(["id": 1, "sum": "b"], in: "c")
                try transaction.put(["id": 2, "sum": "a"], in: "c")
            }
            #expect(try collection.find("sum = a").map(\.id) == [2])
            try store.write { transaction in
                try transaction.put(["id": 3, "sum": "a"], in: "c")
                try transaction.delete(2, in: "c")
            }
            // A document keeps its own value.
            try collection.put(["id": 3, "sum": "a", "more": 1])
            #expect(try collection.find("sum = a").map(\.id) == [3])
        }
    }

    @Test func `Missing values and null are exempt from uniqueness unless declared equal`() throws {
        try withTemporaryStore(schema: Self.schema(.value("u", on: "a", "b", unique: true))) { store in
            let collection = try store.collection("c")
            let exempt: [DocumentObject] = [["a": 1], ["a": 1], ["a": 1, "b": nil], ["a": 1, "b": nil], [:]]
            for (id, document) in exempt.enumerated() {
                var document = document
                document["id"] = .int(Int64(id))
                try collection.put(document)
            }
            try collection.put(["id": 10, "a": 1, "b": 2])
            expectFailure(.duplicateValue) { try collection.put(["id": 11, "a": 1, "b": 2]) }
        }
        try withTemporaryStore(schema: Self.schema(.value("u", on: "a", unique: true, nullsEqual: true))) { store in
            let collection = try store.collection("c")
            try collection.put(["id": 1])
            try collection.put(["id": 2, "a": nil])
            expectFailure(.duplicateValue) { try collection.put(["id": 3]) }
            expectFailure(.duplicateValue) { try collection.put(["id": 3, "a": nil]) }
        }
    }

    @Test func `Uniqueness follows the collation and the documents of a partial index`() throws {
        let index = IndexDefinition.value(
            "name", on: .field("name", order: .descending, collation: .caseInsensitive), where: "old missing",
            unique: true)
        try withTemporaryStore(schema: Self.schema(index)) { store in
            let collection = try store.collection("c")
            try collection.put(["id": 1, "name": "Sea.jpg"])
            expectFailure(.duplicateValue) { try collection.put(["id": 2, "name": "SEA.JPG"]) }
            try collection.put(["id": 2, "name": "SEA.JPG", "old": true])
            expectFailure(.duplicateValue) { try collection.put(["id": 2, "name": "SEA.JPG"]) }
            // A longer string that continues with a zero byte is a different value.
            try collection.put(["id": 3, "name": "sea.jpg\0"])
        }
    }

    @Test func `A unique index over duplicates lists them, rejects more, and lets them be corrected`()
        throws
    {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            var store = try DocumentStore.open(
                at: path, schema: Schema(collections: [CollectionDefinition("c", indexes: [])]))
            for id in 1...5 {
                try store.collection("c").put(["id": .int(Int64(id)), "sum": .int(Int64(id % 2)), "n": 0])
            }
            try store.close()
            for schema in [Self.checksum, nil] {
                store = try DocumentStore.open(at: path, schema: schema)
                let collection = try store.collection("c")
                let violations = try collection.uniqueViolations(of: "checksum")
                #expect(violations.map(\.ids) == [[2, 4], [1, 3, 5]])
                #expect(violations.map(\.values) == [[0], [1]])
                #expect(try collection.uniqueViolations(of: "checksum", limit: 1).count == 1)
                #expect(try collection.find("sum = 1").map(\.id) == [1, 3, 5])
                expectFailure(.duplicateValue) { try collection.put(["id": 6, "sum": 1]) }
                #expect(try store.verify().uniqueViolations == violations)
                // Existing documents may be changed in other ways.
                try collection.put(["id": 1, "sum": 1, "n": 1])
                try expectSound(store)
                try store.close()
            }
            store = try DocumentStore.open(at: path)
            let collection = try store.collection("c")
            for id in [3, 4, 5] { try collection.put(["id": .int(Int64(id)), "sum": .int(Int64(id))]) }
            #expect(try collection.uniqueViolations(of: "checksum").isEmpty)
            #expect(try store.verify().uniqueViolations.isEmpty)
            expectFailure(.unknownIndex) { try collection.uniqueViolations(of: "none") }
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `A dangling index entry does not let duplicates in a batch pass`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            try DocumentStore.open(at: path, schema: Self.checksum).close()
            let database = try Database.open(at: path)
            try database.put([], forKey: StoreKey.values.prefix(1) + OrderedValue.encoded(false) + [0x15, 9])
            let store = try DocumentStore.open(on: database)
            let collection = try store.collection("c")
            try collection.put(["id": 1, "sum": 2])
            expectFailure(.corruption, containing: "verify and rebuild") {
                try store.write { transaction in
                    try transaction.put(["id": "x", "sum": false], in: "c")
                    try transaction.put(["id": "y", "sum": 2], in: "c")
                }
            }
            #expect(try collection.count() == 1)
            try store.close()
        }
    }

    @Test func `Random batches are accepted if and only if no two documents end up with the same value`() throws {
        var random = TestRun.random(stream: 44)
        var documents = RandomDocuments(TestRun.random(stream: 45))
        var refusals = 0
        try withTemporaryStore(schema: Self.schema(.value("u", on: "t[]", "b", unique: true))) { store in
            var model: [Int64: DocumentObject] = [:]
            for _ in 0..<TestRun.rounds(400, long: 20_000) {
                var next = model
                for _ in 0...random.number(below: 4) {
                    let id = Int64(random.number(below: 6))
                    if random.once(in: 4) {
                        next[id] = nil
                    } else {
                        let tags = (0..<random.number(below: 3)).map { _ in
                            random.once(in: 2)
                                ? documents.container() : DocumentValue.int(Int64(random.number(below: 6)))
                        }
                        next[id] = ["id": .int(id), "t": .array(tags), "b": random.pick([nil, 1, 1, 2])]
                    }
                }
                var owned: [(id: Int64, tag: DocumentValue, b: DocumentValue)] = []
                for (id, document) in next {
                    for tag in document["t"]?.arrayValue ?? [] {
                        guard let b = document["b"], !b.isNull else { continue }
                        owned.append((id, tag, b))
                    }
                }
                let isAllowed = owned.allSatisfy { one in
                    owned.allSatisfy {
                        $0.id == one.id || $0.b != one.b || ReferenceOrder.compare($0.tag, one.tag) != 0
                    }
                }
                do {
                    try store.write { transaction in
                        for id in Int64(0)..<6 where next[id] != model[id] {
                            if let document = next[id] {
                                try transaction.put(document, in: "c")
                            } else {
                                _ = try transaction.delete(.int(id), in: "c")
                            }
                        }
                    }
                    #expect(isAllowed, "\(next), \(TestRun.repetition)")
                    model = next
                } catch let error as DocIndexError where error.code == .duplicateValue {
                    #expect(!isAllowed, "\(next), \(TestRun.repetition)")
                    refusals += 1
                }
            }
        }
        #expect(refusals > 5)
    }
}
