import DocIndex
import TestSupport
import Testing

/// Writes that take place only if the stored state is as expected.
@Suite struct WriteConditionTests {
    static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("v", on: "v")]),
        CollectionDefinition("albums", id: "name"),
    ])

    /// Expects a write to be rejected and to leave the store unchanged, including the number of the last commit.
    private func expectRefusal(
        _ code: DocIndexError.Code, of store: DocumentStore, sourceLocation: SourceLocation = #_sourceLocation,
        _ write: () throws -> Void
    ) throws {
        let before = try (StoreContent(of: store), store.sequence(), store.changes(since: 0))
        expectFailure(code, containing: "photos", "a", sourceLocation: sourceLocation) { try write() }
        let after = try (StoreContent(of: store), store.sequence(), store.changes(since: 0))
        #expect(before == after, sourceLocation: sourceLocation)
    }

    @Test func `A write conditional on absence keeps existing documents and accepts deleted ones`()
        throws
    {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1], if: .absent)
            try expectRefusal(.documentExists, of: store) { try photos.put(["id": "a", "v": 2], if: .absent) }
            try expectRefusal(.documentExists, of: store) { try photos.insert(["id": "a", "v": 2]) }
            try expectRefusal(.documentExists, of: store) { try photos.delete("a", if: .absent) }
            try photos.delete("a")
            try photos.put(["id": "a", "v": 3], if: .absent)
            #expect(try photos.document("a")?["v"] == 3)
            // Deleting a missing document is not a change.
            #expect(try !photos.delete("b", if: .absent))
        }
    }

    @Test func `A write conditional on presence creates no document`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try expectRefusal(.documentMissing, of: store) { try photos.put(["id": "a"], if: .present) }
            try expectRefusal(.documentMissing, of: store) { try photos.replace(["id": "a"]) }
            try expectRefusal(.documentMissing, of: store) { try photos.delete("a", if: .present) }
            try expectRefusal(.documentMissing, of: store) { try photos.update("a") { $0["v"] = 1 } }
            try photos.put(["id": "a", "v": 1])
            try photos.put(["id": "a", "v": 2], if: .present)
            try photos.replace(["id": "a", "v": 3])
            #expect(try photos.document("a")?["v"] == 3)
            #expect(try photos.delete("a", if: .present))
            // A deleted document has a record, but is still missing.
            try expectRefusal(.documentMissing, of: store) { try photos.replace(["id": "a"]) }
            try expectRefusal(.documentMissing, of: store) { try photos.put(["id": "a"], if: .sequence(4)) }
        }
    }

    @Test func `A write conditional on a commit succeeds only if that commit wrote the document`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1])
            let read = try #require(try photos.document("a"))
            #expect(read.sequence == 1)
            // Another document changes nothing.
            try photos.put(["id": "b", "v": 1])
            try photos.put(["id": "a", "v": 2], if: .sequence(read.sequence))
            #expect(try photos.document("a")?.sequence == 3)
            for stale in [0, read.sequence, 2, 4, .max] as [UInt64] {
                try expectRefusal(.conflict, of: store) { try photos.put(["id": "a", "v": 9], if: .sequence(stale)) }
                try expectRefusal(.conflict, of: store) { try photos.delete("a", if: .sequence(stale)) }
                try expectRefusal(.conflict, of: store) { try photos.update("a", if: .sequence(stale)) { $0["v"] = 9 } }
                try expectRefusal(.conflict, of: store) { try photos.patch("a", ["v": 9], if: .sequence(stale)) }
            }
            try photos.update("a", if: .sequence(3)) { $0["v"] = 4 }
            try photos.patch("a", ["v": 5], if: .sequence(4))
            #expect(try photos.document("a")?["v"] == 5)
            #expect(try photos.delete("a", if: .sequence(5)))
            try expectRefusal(.documentMissing, of: store) { try photos.delete("a", if: .sequence(5)) }
        }
    }

    @Test func `A document stored again unchanged keeps its sequence number`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1])
            try photos.put(["id": "a", "v": 1], if: .sequence(1))
            #expect(try photos.document("a")?.sequence == 1)
            #expect(try store.sequence() == 1)
        }
    }

    @Test func `A presence condition sees uncommitted writes of its transaction, a sequence condition does not`() throws
    {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1])
            try store.write { transaction in
                try transaction.delete("a", in: "photos")
                expectFailure(.documentMissing) { try transaction.replace(["id": "a"], in: "photos") }
                expectFailure(.documentMissing) {
                    try transaction.put(["id": "a"], in: "photos", if: .sequence(1))
                }
                try transaction.put(["id": "a", "v": 2], in: "photos", if: .absent)
                expectFailure(.documentExists) { try transaction.put(["id": "a"], in: "photos", if: .absent) }
                // The stored document is still that of the first commit.
                try transaction.put(["id": "a", "v": 3], in: "photos", if: .sequence(1))
                expectFailure(.conflict) { try transaction.put(["id": "a"], in: "photos", if: .sequence(2)) }
                try transaction.put(["id": "b", "v": 1], in: "photos")
                try transaction.replace(["id": "b", "v": 2], in: "photos")
                #expect(try transaction.document("b", in: "photos")?.sequence == 0)
            }
            #expect(try photos.document("a")?["v"] == 3)
            #expect(try photos.document("b")?["v"] == 2)
        }
    }

    @Test func `A failed condition rolls back the whole transaction`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1])
            try expectRefusal(.conflict, of: store) {
                try store.write { transaction in
                    try transaction.put(["name": "new"], in: "albums")
                    try transaction.put(["id": "b"], in: "photos")
                    try transaction.put(["id": "a", "v": 2], in: "photos", if: .sequence(7))
                }
            }
            try store.write { transaction in
                try transaction.put(["name": "new"], in: "albums", if: .absent)
                try transaction.put(["id": "a", "v": 2], in: "photos", if: .sequence(1))
            }
            #expect(try photos.document("a")?.sequence == 2)
            #expect(try store.collection("albums").document("new")?.sequence == 2)
        }
    }

    @Test func `Threads that increment a value with conditions lose no increment`() async throws {
        try await withTemporaryPath { path in
            let store = try DocumentStore.open(at: path + "/s", schema: Self.schema)
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 0])
            let conflicts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var conflicts = 0
                        var steps = 0
                        while steps < 50 {
                            let document = try #require(try photos.document("a"))
                            let value = try #require(document["v"]?.intValue)
                            do {
                                try photos.put(["id": "a", "v": .int(value + 1)], if: .sequence(document.sequence))
                                steps += 1
                            } catch let error as DocIndexError where error.code == .conflict {
                                conflicts += 1
                            }
                        }
                        return conflicts
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(try photos.document("a")?["v"] == 200, "\(conflicts) conflicts")
            #expect(try store.sequence() == 201)
            try expectSound(store)
            try store.close()
        }
    }
}
