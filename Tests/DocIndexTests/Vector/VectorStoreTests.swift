import Foundation
import LevelKit
import Synchronization
import TestSupport
import Testing

@testable import DocIndex

/// Vector indexes in schema changes, verification, snapshots and long searches.
@Suite struct VectorStoreTests {
    private static let index = IndexDefinition.vector("embedding", on: "embedding", dimensions: 64)

    private static func fill(_ photos: DocumentCollection, count: Int = 40) throws {
        var random = TestRun.random(stream: 0x7f0)
        for id in 0..<count {
            try photos.put([
                "id": .int(Int64(id)), "n": .int(Int64(id)), "embedding": Vectors.value(Vectors.random(64, &random)),
            ])
        }
    }

    private static func results(_ photos: DocumentCollection) throws -> [DocumentID] {
        var random = TestRun.random(stream: 0x7f1)
        let query = Vectors.random(64, &random)
        let found = try photos.nearest(to: query, in: "embedding", limit: 20).map(\.document.id)
        #expect(try photos.nearest(to: query, in: "embedding", limit: 20, candidates: 39).map(\.document.id) == found)
        return found
    }

    @Test func `An index over existing documents finds the same as one that was declared before them`() throws {
        try withTemporaryDirectory { directory in
            var store = try DocumentStore.open(at: directory + "/a", schema: Vectors.schema(Self.index))
            try Self.fill(try store.collection("photos"))
            let expected = try Self.results(try store.collection("photos"))
            try store.close()
            store = try DocumentStore.open(at: directory + "/a")
            #expect(try Self.results(try store.collection("photos")) == expected)
            #expect(try store.rebuild().repairCount == 0)
            #expect(try Self.results(try store.collection("photos")) == expected)
            try store.close()
            store = try DocumentStore.open(at: directory + "/b", schema: Vectors.schema())
            try Self.fill(try store.collection("photos"))
            try store.apply(Vectors.schema(Self.index))
            #expect(try Self.results(try store.collection("photos")) == expected)
            try expectSound(store)
            // Without the index, nothing of it is left.
            try store.apply(Vectors.schema())
            #expect(try allPairs(in: store.database).allSatisfy { $0.key[0] != StoreKey.values.rawValue })
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `A build over a document without a vector fails, names the document, and loses nothing`() throws {
        try withTemporaryStore(schema: Vectors.schema()) { store in
            let photos = try store.collection("photos")
            try Self.fill(photos)
            try photos.put(["id": "bad", "n": 7, "embedding": [1, 2, 3]])
            let schema = Vectors.schema(Self.index, .value("n", on: "n"))
            expectFailure(
                .invalidDocument, containing: "the document bad of photos has 3 dimensions", "needs 64 finite numbers"
            ) {
                try store.apply(schema)
            }
            let failed = store.failedIndexes
            #expect(failed.map(\.index) == ["embedding"])
            #expect(failed.first?.reason.contains("the document bad") == true)
            #expect(try photos.count() == 41)
            // The other index was built, and documents are stored without the failed one.
            #expect(try photos.plan(Query(.compare("n", .equal, 7))).indexNames == ["n"])
            try photos.put(["id": "worse", "embedding": "x"])
            expectFailure(.unknownIndex, containing: "is not built") {
                try photos.nearest(to: Array(repeating: 1, count: 64), in: "embedding")
            }
            try photos.delete("bad")
            try photos.update("worse") { $0["embedding"] = .null }
            try store.rebuildIndex("embedding", of: "photos")
            #expect(store.failedIndexes.isEmpty)
            #expect(try Self.results(photos).count == 20)
        }
    }

    @Test func `A document that was stored with another value can be corrected and deleted`() throws {
        try withTemporaryStore(schema: Vectors.schema(Self.index)) { store in
            let index = VectorIndex(number: 1, definition: Self.index)
            var random = TestRun.random(stream: 0x7f2)
            let good: DocumentObject = ["embedding": Vectors.value(Vectors.random(64, &random))]
            for (old, new, count) in [(["embedding": "bad"], good, 2), (["embedding": "bad"], nil, 0), (good, nil, 2)]
                as [(DocumentObject, DocumentObject?, Int)]
            {
                var changes = IndexChanges(batch: WriteBatch())
                try index.update(old: old, new: new, row: 5, in: &changes)
                #expect(changes.batch.count == count)
            }
        }
    }

    @Test(arguments: VectorIndex.Part.allCases)
    func `Verification finds entries that are missing, damaged or surplus, and a rebuild fixes them`(
        part: VectorIndex.Part
    ) throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: Vectors.schema(Self.index))
            let photos = try store.collection("photos")
            try Self.fill(photos)
            let expected = try Self.results(photos)
            let index = VectorIndex(number: 1, definition: Self.index)
            let key = index.key(part, row: 7)
            let value = try #require(try database.value(forKey: key))
            try database.delete(key)
            #expect(try store.verify().problems == ["photos.embedding: an entry of the document 6 is missing"])
            try database.put(value.map { $0 ^ 1 }, forKey: key)
            #expect(try store.verify().problems == ["photos.embedding: an entry does not match the document 6"])
            try database.put(value, forKey: index.key(part, row: 500))
            #expect(try store.verify().problems.contains("photos.embedding: an entry belongs to no document"))
            try store.rebuildIndex("embedding", of: "photos")
            try expectSound(store)
            #expect(try Self.results(photos) == expected)
            try store.close()
        }
    }

    @Test func `A search reports entries that it cannot read`() throws {
        let query = [Float](repeating: 1, count: 64)
        let index = VectorIndex(number: 1, definition: Self.index)
        let (code, vector) = (index.key(.code, row: 7), index.key(.vector, row: 7))
        typealias Damage = (key: [UInt8], value: [UInt8]?)
        let damages: [Damage] = [
            (code, []), (code, [1, 2]), (code, Array(repeating: 1, count: 17)), (vector, []), (vector, [1]),
            (vector, Array(repeating: 1, count: 257)),
            // NaN, and numbers whose sum is infinite.
            (vector, Array(repeating: 0xff, count: 256)), (vector, Array(repeating: 0x7f, count: 256)),
            (index.entryPrefix + [0x1a], [1]),
            (index.entryPrefix + [0x1a, 0x99], [1]), (index.entryPrefix + [0x1b], [1]),
            (index.entryPrefix + [0x1a, 0x15, 7, 7], Array(repeating: 1, count: 16)),
        ]
        for damage in damages {
            try withTemporaryDirectory { directory in
                let database = try Database.open(at: directory + "/s")
                let store = try DocumentStore.open(on: database, schema: Vectors.schema(Self.index))
                let photos = try store.collection("photos")
                try Self.fill(photos)
                if let value = damage.value { try database.put(value, forKey: damage.key) }
                let searches: [() throws -> Int] = [
                    { try photos.nearest(to: query, in: "embedding", limit: 40, exact: true).count },
                    { try photos.nearest(to: query, in: "embedding", limit: 39, candidates: 40).count },
                    { try photos.nearest(to: query, in: "embedding", limit: 39, candidates: 39).count },
                    { try photos.nearest(toDocument: 6, in: "embedding", limit: 5).count },
                ]
                var failures = 0
                for search in searches {
                    do {
                        _ = try search()
                    } catch let error as DocIndexError {
                        #expect(error.code == .corruption && error.message.contains("run verify"))
                        failures += 1
                    }
                }
                #expect(failures > 0, "\(damage)")
                #expect(try !store.verify().problems.isEmpty)
                try store.close()
            }
        }
    }

    @Test func `A code without its vector is reported`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: Vectors.schema(Self.index))
            let photos = try store.collection("photos")
            try Self.fill(photos)
            try database.delete(VectorIndex(number: 1, definition: Self.index).key(.vector, row: 7))
            expectFailure(.corruption, containing: "run verify") {
                try photos.nearest(to: [Float](repeating: 1, count: 64), in: "embedding", limit: 39, candidates: 39)
            }
            try store.close()
        }
    }

    @Test func `Codes in memory follow the changes of documents, in the order of rows`() throws {
        try withTemporaryStore(schema: Vectors.schema(Self.index)) { store in
            let photos = try store.collection("photos")
            try Self.fill(photos, count: 300)
            var random = TestRun.random(stream: 0x7f3)
            for _ in 0..<TestRun.rounds(40, long: 500) {
                let query = Vectors.random(64, &random)
                // Fewer candidates than documents, so that codes are used.
                _ = try photos.nearest(to: query, in: "embedding", limit: 5, candidates: 50)
                try store.write { transaction in
                    for _ in 0...random.number(below: 8) {
                        let id = DocumentID.int(Int64(random.number(below: 320)))
                        if random.once(in: 3) {
                            try transaction.delete(id, in: "photos")
                        } else {
                            let value = Vectors.value(Vectors.random(64, &random))
                            try transaction.put(
                                ["id": id.value, "embedding": random.once(in: 4) ? .null : value], in: "photos")
                        }
                        // Deleted and stored again in one commit: the feed does not list the former row.
                        if random.once(in: 4), try transaction.delete(id, in: "photos") {
                            try transaction.put(
                                ["id": id.value, "embedding": Vectors.value(Vectors.random(64, &random))], in: "photos")
                        }
                    }
                }
                let exact = try photos.nearest(to: query, in: "embedding", exact: true)
                let found = try photos.nearest(to: query, in: "embedding", candidates: photos.count() - 1)
                #expect(found.map(\.document.id) == exact.map(\.document.id), "\(TestRun.repetition)")
                let rows = try photos.reader()
                let index = try photos.vectorIndex(named: "embedding", in: rows)
                let codes = try rows.collection.companion { VectorCodes() }.codes(of: index, for: rows)
                let known = try #require(codes)
                // A row whose document moved to another row can remain; all others must be right.
                let stored = try allPairs(in: store.database).filter { $0.key.starts(with: index.entryPrefix + [0x1a]) }
                for (key, value) in stored {
                    func storedRow() -> UInt64? { index.row(of: key.span) }
                    let row = try #require(storedRow())
                    let place = try #require(known.rows.firstIndex(of: row))
                    #expect(Array(known.bytes[place * 16..<place * 16 + 16]) == value)
                }
                #expect(known.rows == known.rows.sorted() && known.bytes.count == 16 * known.rows.count)
            }
        }
    }

    @Test func `A snapshot finds the vectors of its own state`() throws {
        try withTemporaryStore(schema: Vectors.schema(Self.index)) { store in
            let photos = try store.collection("photos")
            try Self.fill(photos)
            let expected = try Self.results(photos)
            let snapshot = try store.snapshot()
            for id in 0..<30 { try photos.delete(.int(Int64(id))) }
            let frozen = try #require(snapshot.collections.first { $0.name == "photos" })
            #expect(try Self.results(frozen) == expected)
            #expect(try Self.results(photos).count == 10)
            #expect(try Self.results(frozen) == expected)
        }
    }

    @Test func `A canceled search ends with an error, and a long one reports its progress`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("vectors-\(UUID().uuidString)").path
        defer { try? TestFiles.remove(path) }
        let store = try DocumentStore.open(at: path, schema: Vectors.schema(Self.index))
        let photos = try store.collection("photos")
        try store.write { transaction in
            for id in 0..<9000 {
                var vector = [Float](repeating: 1, count: 64)
                vector[id % 64] = Float(id)
                try transaction.put(
                    ["id": .int(Int64(id)), "embedding": Vectors.value(vector, inBase64: true)], in: "photos")
            }
        }
        let query = [Float](repeating: 1, count: 64)
        for exact in [false, true] {
            let reports = Mutex(0)
            let options = Query.Options(progress: { progress in
                #expect(progress.keysExamined > 0 && progress.expectedKeyCount == 9000)
                reports.withLock { $0 += 1 }
            })
            #expect(try photos.nearest(to: query, in: "embedding", exact: exact, options: options).count == 20)
            #expect(reports.withLock { $0 } == 2)
            let task = Task.detached {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try photos.nearest(to: query, in: "embedding", exact: exact)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        try expectSound(store)
        try store.close()
    }
}
