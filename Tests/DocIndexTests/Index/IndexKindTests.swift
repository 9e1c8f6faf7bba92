import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Counters, covered values, sparse and partial indexes, and the entry limit.
@Suite struct IndexKindTests {
    private static func store<R>(_ indexes: IndexDefinition..., body: (DocumentStore, DocumentCollection) throws -> R)
        throws
        -> R
    {
        try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("c", indexes: indexes)])) { store in
            try body(store, try store.collection("c"))
        }
    }

    private static func keys(of index: Int, in store: DocumentStore) throws -> [(key: [UInt8], value: [UInt8])] {
        try allPairs(in: store.database).filter { $0.key.starts(with: StoreKey.values.prefix(UInt32(index))) }
    }

    @Test func `Counters match a recount after any changes`() throws {
        var documents = RandomDocuments(TestRun.random(stream: 45))
        try Self.store(
            .value("tags", on: "tags[]", counts: true),
            .value("ab", on: "a", .field("b", order: .descending), counts: true)
        ) { store, collection in
            var model: [DocumentID: DocumentObject] = [:]
            for round in 0..<TestRun.rounds(30, long: 1000) {
                try store.write { transaction in
                    for _ in 0..<20 {
                        let id = documents.id()
                        if documents.random.once(in: 3) {
                            _ = try transaction.delete(id, in: "c")
                            model[id] = nil
                        } else {
                            let document = documents.document(id: id)
                            try transaction.put(document, in: "c")
                            model[id] = document
                        }
                    }
                }
                var counts: [[UInt8]: Int] = [:]
                var values: [[UInt8]: DocumentValue?] = [:]
                for document in model.values {
                    var tags: [DocumentValue?] = []
                    FieldPath("tags[]").forEachElement(in: document) { tags.append($0) }
                    let distinct = Dictionary((tags.isEmpty ? [nil] : tags).map { (OrderedValue.encoded($0), $0) }) {
                        a, _ in a
                    }
                    for (key, value) in distinct {
                        counts[key, default: 0] += 1
                        values[key] = value
                    }
                }
                for (key, value) in values {
                    #expect(try collection.entryCount(of: [value], in: "tags") == counts[key], "\(TestRun.repetition)")
                }
                let stored = try allPairs(in: store.database).filter { $0.key.starts(with: [0x47, 0x15, 1]) }
                #expect(stored.count == counts.count)
                if round % 10 == 0 { try expectSound(store) }
            }
            #expect(try collection.entryCount(of: ["no such tag"], in: "tags") == 0)
            expectFailure(.invalidQuery) { try collection.entryCount(of: [1], in: "ab") }
            expectFailure(.unknownIndex) { try collection.entryCount(of: [1], in: "none") }
        }
    }

    @Test func `Counters are built over existing documents, and are removed with their index`() throws {
        try withTemporaryDirectory { directory in
            func open(_ indexes: [IndexDefinition]) throws -> DocumentStore {
                try DocumentStore.open(
                    at: directory + "/s", schema: Schema(collections: [CollectionDefinition("c", indexes: indexes)]))
            }
            var store = try open([])
            for id in 0..<50 { try store.collection("c").put(["id": .int(Int64(id)), "n": .int(Int64(id % 3))]) }
            try store.close()
            store = try open([.value("n", on: "n", counts: true)])
            #expect(try store.collection("c").entryCount(of: [0], in: "n") == 17)
            try expectSound(store)
            try store.close()
            store = try open([.value("n", on: "n")])
            #expect(try allPairs(in: store.database).allSatisfy { $0.key[0] != 0x47 })
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `Wrong, extra and missing counters are found by verify`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let schema = Schema(collections: [
                CollectionDefinition("c", indexes: [.value("n", on: "n", cover: ["m"], counts: true)])
            ])
            let store = try DocumentStore.open(on: database, schema: schema)
            try store.collection("c").put(["id": 1, "n": 5, "m": 6])
            let key = [0x47, 0x15, 1] + OrderedValue.encoded(5)
            #expect(try database.value(forKey: key) == [1])
            try database.put([2], forKey: key)
            #expect(try store.verify().problems.contains { $0.contains("a counter of a value is wrong") })
            try database.put([1], forKey: key)
            try database.put([1], forKey: [0x47, 0x15, 1] + OrderedValue.encoded(6))
            #expect(try store.verify().problems.contains { $0.contains("for a value without entries") })
            try database.delete([0x47, 0x15, 1] + OrderedValue.encoded(6))
            try expectSound(store)
            // A covered value that differs from the document's.
            let entry = [0x56, 0x15, 1] + OrderedValue.encoded(5) + [0x15, 1]
            let value = try #require(try database.value(forKey: entry))
            try database.put(CoveredValues.encode(["m"], of: ["m": 7]), forKey: entry)
            #expect(try store.verify().problems.contains { $0.contains("does not match the document") })
            try database.put(value, forKey: entry)
            try database.put([9], forKey: key)
            try store.collection("c").put(["id": 1, "n": 4])
            try database.put([0xff], forKey: key)
            expectFailure(.corruption) { try store.collection("c").put(["id": 2, "n": 5]) }
            try store.close()
        }
    }

    @Test func `Covered values match the document and follow its changes`() throws {
        try Self.store(.value("n", on: "n", cover: ["title", "tags[]", "gone"])) { store, collection in
            let deep = (0..<509).reduce(DocumentValue.int(1)) { value, _ in .array([value]) }
            for (title, tags) in [("a", [1, 2]), ("b", []), ("b", [deep])] as [(DocumentValue, [DocumentValue])] {
                try collection.put(["id": 1, "n": 5, "title": title, "tags": .array(tags)])
                let entries = try Self.keys(of: 1, in: store)
                #expect(entries.count == 1)
                #expect(CoveredValues.decode(entries[0].value, count: 3) == [[title], tags, []])
                #expect(CoveredValues.decode(Array(entries[0].value.dropLast()), count: 3) == nil)
                #expect(CoveredValues.decode(entries[0].value + [0], count: 3) == nil)
            }
        }
    }

    @Test func `Reading covered values from random bytes never traps`() {
        var random = TestRun.random(stream: 46)
        for _ in 0..<20_000 {
            let bytes = (0..<random.number(below: 16)).map { _ in
                UInt8(random.once(in: 4) ? random.number(below: 256) : random.number(below: 4))
            }
            _ = CoveredValues.decode(bytes, count: random.number(below: 4))
        }
    }

    @Test
    func `Sparse and partial indexes omit documents without a first value or a true condition`()
        throws
    {
        try Self.store(
            .value("sparse", on: "a", "b", sparse: true), .value("partial", on: "a", where: "b >= 2")
        ) { store, collection in
            try collection.put(["id": 1, "a": 1, "b": 1])
            try collection.put(["id": 2, "b": 2])
            try collection.put(["id": 3, "a": nil, "b": 3])
            try collection.put(["id": 4, "a": 4])
            #expect(try Self.keys(of: 1, in: store).count == 3)
            #expect(try Self.keys(of: 2, in: store).count == 2)
            // A change of a field that only the condition uses.
            try collection.put(["id": 1, "a": 1, "b": 2])
            #expect(try Self.keys(of: 2, in: store).count == 3)
            try collection.put(["id": 1, "a": 1, "b": 0])
            #expect(try Self.keys(of: 2, in: store).count == 2)
        }
    }

    @Test func `A document with too many combinations is rejected, and the error names it`() throws {
        try Self.store(.value("pairs", on: "a[]", "b[]")) { store, collection in
            let many = DocumentValue.array((0..<40).map { .int($0) })
            try collection.put(["id": "few", "a": many, "b": [1, 2]])
            expectFailure(.tooManyEntries, containing: "the document many of c", "1000", "pairs") {
                try collection.put(["id": "many", "a": many, "b": many])
            }
            #expect(try collection.count() == 1)
        }
    }

    /// Creates a store at a path whose only index was built with outdated rules.
    ///
    /// - Returns: The catalog as stored.
    private static func makeStoreOfOlderRules(at path: String) throws -> [UInt8] {
        let schema = Schema(collections: [
            CollectionDefinition("c", indexes: [.value("n", on: .field("n", collation: .caseInsensitive))])
        ])
        let store = try DocumentStore.open(at: path, schema: schema)
        try store.collection("c").put(["id": 1, "n": "A"])
        var catalog = store.currentCatalog
        #expect(!catalog.hasOutdatedIndexes)
        catalog.collections[0].indexes[0].fingerprint = "0000000000000000"
        try store.database.put(catalog.encoded, forKey: StoreKey.catalogKey)
        try store.close()
        return catalog.encoded
    }

    @Test func `Opening for inspection keeps an index built with outdated rules, and it still answers`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let catalog = try Self.makeStoreOfOlderRules(at: path)
            let store = try DocumentStore.open(
                at: path, options: DocumentStore.Options(finishesSchemaChange: false))
            #expect(try store.database.value(forKey: StoreKey.catalogKey) == catalog)
            #expect(try store.collection("c").find("n = A").count == 1)
            try store.collection("c").put(["id": 2, "n": "a"])
            try store.finishSchemaChange()
            #expect(store.currentCatalog.collections[0].indexes[0].number == 2)
            #expect(!store.currentCatalog.hasOutdatedIndexes)
            for text in ["A", "a"] { #expect(try store.collection("c").find("n = \(text)").count == 1) }
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `An index built with outdated rules is rebuilt, even if no schema is given`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            _ = try Self.makeStoreOfOlderRules(at: path)
            let store = try DocumentStore.open(at: path)
            #expect(store.currentCatalog.collections[0].indexes[0].number == 2)
            #expect(!store.currentCatalog.hasOutdatedIndexes)
            #expect(try store.collection("c").find("n = A").count == 1)
            try expectSound(store)
            try store.close()
        }
    }
}
