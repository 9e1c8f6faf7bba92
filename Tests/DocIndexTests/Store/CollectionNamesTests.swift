import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Member names, stored with the documents that use them.
@Suite struct CollectionNamesTests {
    static let schema = Schema(collections: [CollectionDefinition("photos"), CollectionDefinition("albums")])

    private func names(_ collection: UInt32, in database: Database) throws -> [[UInt8]] {
        try allPairs(in: database).filter { $0.key.starts(with: StoreKey.names.prefix(collection)) }.map(\.value)
    }

    @Test func `Names are stored once per collection, with the batch that needs them`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: Self.schema)
            #expect(try names(1, in: database).isEmpty)
            try store.write { transaction in
                try transaction.put(["id": "a", "x": 1], in: "photos")
                try transaction.put(["id": "b", "y": 2], in: "photos")
                try transaction.put(["y": 3, "id": "b"], in: "albums")
            }
            try store.collection("photos").put(["id": "c", "y": 2])
            #expect(try names(1, in: database) == [[3, 2, 0x69, 0x64, 1, 0x78, 1, 0x79]])
            #expect(try names(2, in: database) == [[2, 1, 0x79, 2, 0x69, 0x64]])
            try store.collection("photos").put(["id": "d", "z": ["x": ["w": 0]]])
            #expect(try names(1, in: database).last == [2, 1, 0x7a, 1, 0x77])
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `A failed transaction adds no names`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            struct Stop: Error {}
            let names = try #require(store.loadedCatalog.collection(named: "photos")).names
            #expect(throws: Stop.self) {
                try store.write { transaction in
                    try transaction.put(["id": "a", "x": 1], in: "photos")
                    throw Stop()
                }
            }
            var deep: DocumentValue = []
            for _ in 0..<DocumentValue.maximumDepth { deep = [deep] }
            expectFailure(.invalidDocument, containing: "b") {
                try store.write { transaction in
                    try transaction.put(["id": "a", "x": 1], in: "photos")
                    try transaction.put(["id": "b", "y": deep], in: "photos")
                }
            }
            #expect(names.current.count == 0)
        }
    }

    @Test func `Names of an unwritten batch keep their numbers and are stored with the next`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: Self.schema)
            let photos = try store.collection("photos")
            try photos.put(["id": "a"])
            let names = try photos.reader().collection.names
            var grown = names.current
            grown.add("lost")
            // The state after a failed write: published, but not stored.
            #expect(try names.publish(grown, of: 1, in: WriteBatch()) == 2)
            try photos.put(["id": "b", "new": 1])
            #expect(names.current.number(of: "lost") == 1)
            #expect(try self.names(1, in: database).last == [2, 4, 0x6c, 0x6f, 0x73, 0x74, 3, 0x6e, 0x65, 0x77])
            try expectSound(store)
            try store.close()
            let reopened = try DocumentStore.open(at: directory + "/s")
            let document = try reopened.collection("photos").document("b")
            #expect(document?.content == ["id": "b", "new": 1])
            try reopened.close()
        }
    }

    @Test func `Documents with more names than a table holds are stored too`() throws {
        let schema = Schema(collections: [CollectionDefinition("photos", indexes: [.value("late", on: "late.x")])])
        try withTemporaryStore(schema: schema) { store in
            let photos = try store.collection("photos")
            let members = (0..<FieldNames.maximumCount).map { ("n\($0)", DocumentValue.int(Int64($0))) }
            let large = try DocumentObject(uniqueMembers: [("id", 1)] + members)
            try photos.put(large)
            try photos.put(["late": ["x": 5, "n7": 6], "id": 2])
            #expect(try photos.reader().collection.names.current.count == FieldNames.maximumCount)
            let stored = try photos.document(1)
            #expect(stored?.content == large)
            let found = try photos.find("late.x = 5")
            #expect(found.map(\.content) == [["late": ["x": 5, "n7": 6], "id": 2]])
        }
    }

    @Test func `A snapshot reads what was stored before names were added`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "x": 1])
            let snapshot = try store.snapshot()
            try photos.put(["id": "a", "y": ["x": 2]])
            let old = try snapshot.collections[0].document("a")
            #expect(old?.content == ["id": "a", "x": 1])
            let new = try photos.document("a")
            #expect(new?.content == ["id": "a", "y": ["x": 2]])
        }
    }

    @Test func `A collection's field names are kept when the schema changes`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let store = try DocumentStore.open(at: path, schema: Self.schema)
            try store.collection("photos").put(["id": "a", "x": 1])
            try store.close()
            var schema = Self.schema
            schema.version = 2
            schema.collections[0].indexes = [.value("x", on: "x")]
            let changed = try DocumentStore.open(at: path, schema: schema)
            #expect(try changed.collection("photos").find("x = 1").count == 1)
            try changed.collection("photos").put(["id": "b", "x": 2, "y": 3])
            try expectSound(changed)
            try changed.close()
        }
    }

    @Test func `Documents are found and ordered by their dates`() throws {
        let schema = Schema(collections: [CollectionDefinition("photos", indexes: [.value("taken", on: "taken")])])
        try withTemporaryStore(schema: schema) { store in
            let photos = try store.collection("photos")
            func date(_ text: String) throws -> DocumentValue {
                .date(try #require(DocumentDate(iso8601: text)))
            }
            let texts = [
                "2012-06-08T18:02:11", "2012-06-08T18:02:11Z", "2012-06-08T20:02:12+02:00", "1999-01-01T00:00:00",
            ]
            for (number, text) in texts.enumerated() {
                try photos.put(["id": .int(Int64(number)), "taken": try date(text)])
            }
            try photos.put(["id": 9, "taken": "2012-06-08"])
            let start = try date("2012-06-08T18:02:11Z")
            let found = try photos.find(
                Query(.compare("taken", .greaterOrEqual, start), sort: [.ascending("taken")]))
            #expect(found.map(\.id) == [1, 2])
            let sorted = try photos.find(Query(sort: [.ascending("taken")]))
            #expect(sorted.map(\.id) == [9, 3, 0, 1, 2])
        }
    }
}
