import DocIndex
import LevelKit
import TestSupport
import Testing

@Suite struct TransactionTests {
    struct Stop: Error {}

    static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("year", on: "year"), .text("text", on: "title")]),
        CollectionDefinition("albums", id: "name", indexes: [.value("size", on: "size")]),
    ])

    @Test func `A transaction that throws writes nothing`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "year": 1930, "title": "Fog"])
            let before = try StoreContent(of: store)
            #expect(throws: Stop.self) {
                try store.write { transaction in
                    try transaction.put(["id": "a", "year": 1931, "title": "Rain"], in: "photos")
                    try transaction.put(["id": "b"], in: "photos")
                    try transaction.put(["name": "new"], in: "albums")
                    #expect(transaction.changeCount == 3)
                    throw Stop()
                }
            }
            #expect(try StoreContent(of: store) == before)
            #expect(try photos.search("rain").isEmpty)
            // The writer is available again.
            try photos.put(["id": "c"])
            #expect(try photos.count() == 2)
        }
    }

    @Test func `A transaction reads its own writes, which no one else sees before it ends`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1])
            try store.write { transaction in
                #expect(try transaction.document("a", in: "photos")?["v"] == 1)
                try transaction.put(["id": "a", "v": 2], in: "photos")
                #expect(try transaction.document("a", in: "photos")?["v"] == 2)
                #expect(try photos.document("a")?["v"] == 1)
                #expect(try transaction.delete("a", in: "photos"))
                #expect(try transaction.document("a", in: "photos") == nil)
                #expect(try !transaction.delete("a", in: "photos"))
                try transaction.put(["id": "a", "v": 3], in: "photos")
                #expect(try transaction.document("a", in: "photos")?.content == ["id": "a", "v": 3])
                #expect(try transaction.document("b", in: "photos") == nil)
                #expect(try transaction.put(["id": "b"], in: "photos") == "b")
                #expect(try transaction.document("b", in: "photos") != nil)
                #expect(transaction.changeCount == 2)
            }
            #expect(try photos.document("a")?["v"] == 3)
            #expect(try photos.count() == 2)
        }
    }

    @Test func `A document put and deleted in one transaction leaves no trace`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "kept", "year": 1])
            try store.write { transaction in
                try transaction.put(["id": "a", "year": 2, "title": "Fog"], in: "photos")
                try transaction.delete("a", in: "photos")
                try transaction.delete("kept", in: "photos")
                try transaction.put(["id": "kept", "year": 1], in: "photos")
            }
            #expect(try photos.count() == 1)
            #expect(try photos.document("kept")?.content == ["id": "kept", "year": 1])
            #expect(try photos.search("fog").isEmpty)
        }
    }

    @Test func `One transaction changes several collections`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try store.collection("albums").put(["name": "old", "size": 9])
            let count = try store.write { transaction in
                for id in 0..<10 { try transaction.put(["id": .int(Int64(id)), "year": 1900], in: "photos") }
                try transaction.put(["name": "new", "size": 10], in: "albums")
                try transaction.delete("old", in: "albums")
                return transaction.changeCount
            }
            #expect(count == 12)
            #expect(try store.collection("photos").find("year = 1900").count == 10)
            #expect(try store.collection("albums").find("size >= 9").map(\.id) == ["new"])
            #expect(try store.collection("albums").count() == 1)
        }
    }

    @Test func `Insert rejects an ID that already exists, even within the transaction`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try store.write { transaction in
                try transaction.insert(["id": "a", "v": 1], in: "photos")
                expectFailure(.documentExists, containing: "photos", "a", "put") {
                    try transaction.insert(["id": "a", "v": 2], in: "photos")
                }
                try transaction.delete("a", in: "photos")
                try transaction.insert(["id": "a", "v": 3], in: "photos")
            }
            #expect(try photos.document("a")?["v"] == 3)
            expectFailure(.documentExists) {
                try store.write { try $0.insert(["id": "a"], in: "photos") }
            }
            expectFailure(.invalidID) { try store.write { try $0.insert(["id": nil], in: "photos") } }
        }
    }

    @Test func `An empty or read-only transaction writes nothing`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try store.collection("photos").put(["id": "a"])
            let before = try TestFiles.byteCount(in: store.path, extension: "log")
            #expect(try store.write { _ in 7 } == 7)
            try store.write { transaction in
                _ = try transaction.document("a", in: "photos")
                _ = try transaction.delete("b", in: "photos")
            }
            #expect(try TestFiles.byteCount(in: store.path, extension: "log") == before)
        }
    }

    @Test func `A write within a write throws instead of deadlocking, and the outer one can continue`() async throws {
        try await within {
            try withTemporaryStore(schema: Self.schema) { store in
                let photos = try store.collection("photos")
                try store.write { transaction in
                    try transaction.put(["id": "outer"], in: "photos")
                    expectFailure(.nestedWrite, containing: "transaction") { try photos.put(["id": "inner"]) }
                    expectFailure(.nestedWrite) { try photos.delete("outer") }
                    expectFailure(.nestedWrite) { try store.write { _ in } }
                    expectFailure(.nestedWrite) { try store.flush() }
                    expectFailure(.nestedWrite) { try store.close() }
                    // Reading is not a write.
                    #expect(try photos.find(Query()).isEmpty)
                    try transaction.put(["id": "outer 2"], in: "photos")
                }
                #expect(try photos.find(Query()).map(\.id) == ["outer", "outer 2"])
            }
        }
    }

    @Test func `A transaction cannot be used after its closure`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let ended = try store.write { $0 }
            expectFailure(.nestedWrite, containing: "ended") { try ended.put(["id": "a"], in: "photos") }
            expectFailure(.nestedWrite) { try ended.insert(["id": "a"], in: "photos") }
            expectFailure(.nestedWrite) { _ = try ended.delete("a", in: "photos") }
            expectFailure(.nestedWrite) { _ = try ended.document("a", in: "photos") }
            var failed: Transaction?
            #expect(throws: Stop.self) {
                try store.write { transaction in
                    failed = transaction
                    throw Stop()
                }
            }
            expectFailure(.nestedWrite) { try failed?.put(["id": "a"], in: "photos") }
            #expect(try store.collection("photos").count() == 0)
        }
    }

    @Test func `A write during a visit does not change what is visited`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            for id in 0..<10 { try photos.put(["id": .int(Int64(id)), "year": 1]) }
            var visited: [DocumentID] = []
            try photos.forEach { document in
                visited.append(document.id)
                try photos.delete(document.id)
                try photos.put(["id": .string("new \(visited.count)"), "year": 1])
            }
            #expect(visited == (0..<10).map { .int(Int64($0)) })
            #expect(try photos.count() == 10)
            #expect(try photos.document(0) == nil)
        }
    }

    @Test func `Synced and flushed writes are visible like others`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a"], durability: .synced)
            try photos.put(["id": "b"])
            try photos.delete("a", durability: .synced)
            try store.flush()
            #expect(try photos.find(Query()).map(\.id) == ["b"])
        }
    }

    @Test func `Random transactions, some of which throw, match a dictionary`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            var documents = RandomDocuments(TestRun.random(stream: 1))
            var model: [DocumentID: DocumentObject] = [:]
            for round in 0..<60 {
                var changed = model
                let fails = documents.random.once(in: 4)
                let outcome = Result {
                    try store.write { transaction in
                        for _ in 0..<documents.random.number(below: 12) {
                            let id = documents.id()
                            if documents.random.once(in: 3) {
                                #expect(
                                    try transaction.delete(id, in: "photos") == (changed[id] != nil),
                                    "\(TestRun.repetition)")
                                changed[id] = nil
                            } else {
                                changed[id] = documents.document(id: id)
                                try transaction.put(changed[id] ?? [:], in: "photos")
                            }
                            let other = documents.id()
                            #expect(try transaction.document(other, in: "photos")?.content == changed[other])
                        }
                        if fails { throw Stop() }
                    }
                }
                if case .success = outcome { model = changed }
                let photos = try store.collection("photos")
                #expect(try photos.count() == model.count, "round \(round), \(TestRun.repetition)")
                var visited: [DocumentID: DocumentObject] = [:]
                try photos.forEach { visited[$0.id] = $0.content }
                #expect(visited == model, "round \(round), \(TestRun.repetition)")
                if round % 10 == 0 { try expectSound(store) }
            }
        }
    }
}
