import Dispatch
import DocIndex
import LevelKit
import TestSupport
import Testing

/// What readers see while others write.
@Suite struct SnapshotTests {
    static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("year", on: "year"), .text("text", on: "title")]),
        CollectionDefinition("albums"),
    ])

    /// Runs `body` on another thread and waits for it to end.
    static func onAnotherThread(_ body: @escaping @Sendable () throws -> Void) {
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            do { try body() } catch { Issue.record(error) }
        }
        group.wait()
    }

    @Test func `A snapshot of the store does not show later writes`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            for id in 0..<20 { try photos.put(["id": .int(Int64(id)), "year": 1930, "title": "fog"]) }
            let snapshot = try store.snapshot()
            let frozen = try #require(snapshot.collections.first { $0.name == "photos" })
            let before = try frozen.find(Query())
            for id in 0..<10 { try photos.delete(.int(Int64(id))) }
            for id in 10..<30 { try photos.put(["id": .int(Int64(id)), "year": 1931, "title": "rain"]) }
            #expect(try frozen.count() == 20)
            #expect(try frozen.find(Query()) == before)
            #expect(try frozen.document(0) == before[0])
            #expect(try frozen.document(25) == nil)
            #expect(try frozen.find("year = 1930").count == 20)
            #expect(try frozen.find("year = 1931").isEmpty)
            #expect(try frozen.search("fog", limit: nil).count == 20)
            #expect(try frozen.search("rain").isEmpty)
            #expect(try photos.find("year = 1931").count == 20)
            #expect(try photos.search("rain", limit: nil).count == 20)
            #expect(snapshot.collections.map(\.name) == ["photos", "albums"])
        }
    }

    @Test func `Two collections of one snapshot show the same point in time`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let writing = DispatchGroup()
            DispatchQueue.global().async(group: writing) {
                do {
                    for number in 1...300 {
                        try store.write { transaction in
                            try transaction.put(["id": "n", "v": .int(Int64(number))], in: "photos")
                            try transaction.put(["id": "n", "v": .int(Int64(number))], in: "albums")
                        }
                    }
                } catch { Issue.record(error) }
            }
            var seen: [DocumentValue?] = []
            repeat {
                let collections = try store.snapshot().collections
                let values = try collections.map { try $0.document("n")?["v"] }
                #expect(values[0] == values[1])
                seen.append(values[0])
            } while writing.wait(timeout: .now()) == .timedOut
            #expect(try store.collection("albums").document("n")?["v"] == 300)
            #expect(!seen.isEmpty)
        }
    }

    @Test(arguments: [
        Query(), Query(sort: [.ascending("year")], limit: 60), Query(.compare("year", .equal, 1930)),
        Query(.compare("year", .equal, 1930), sort: [.descending("title")]),
    ]) func `A running query does not see what another thread writes`(query: Query) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try store.write { transaction in
                for id in 0..<60 {
                    try transaction.put(["id": .int(Int64(id)), "year": 1930, "title": "fog"], in: "photos")
                }
            }
            var ids: [DocumentID] = []
            try photos.forEach(matching: query) { document in
                if ids.isEmpty {
                    Self.onAnotherThread {
                        try store.write { transaction in
                            for id in 0..<60 {
                                try transaction.put(["id": .int(Int64(100 + id)), "year": 1930], in: "photos")
                                if id % 2 == 0 {
                                    try transaction.delete(.int(Int64(id)), in: "photos")
                                } else {
                                    try transaction.put(["id": .int(Int64(id)), "year": 1, "title": "x"], in: "photos")
                                }
                            }
                        }
                    }
                }
                ids.append(document.id)
                #expect(document["title"] == "fog")
                return true
            }
            #expect(ids == (0..<60).map { .int(Int64($0)) })
            #expect(try photos.find("year = 1930").count == 60)
        }
    }

    @Test func `A document visible to a reader has its entries in every index`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let writing = DispatchGroup()
            DispatchQueue.global().async(group: writing) {
                do {
                    for number in 0..<300 {
                        let year = DocumentValue.int(Int64(number % 3))
                        let title = DocumentValue.string("word\(number % 3)")
                        try store.write { transaction in
                            for id in 0..<4 {
                                try transaction.put(
                                    ["id": .int(Int64(id)), "year": year, "title": title], in: "photos")
                            }
                        }
                    }
                } catch { Issue.record(error) }
            }
            repeat {
                let photos = try store.snapshot().collections[0]
                let counts = try (0..<3).map { number in
                    let found = try photos.find("year = \(number)").count
                    #expect(try photos.search("word\(number)").count == found)
                    return found
                }
                #expect([0, 4].contains(counts.reduce(0, +)))
                #expect(counts.allSatisfy { [0, 4].contains($0) })
            } while writing.wait(timeout: .now()) == .timedOut
        }
    }

    @Test func `Transactions of several threads are serialized`() throws {
        try withTemporaryStore(schema: Self.schema) { (store) throws in
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                do {
                    for _ in 0..<50 {
                        try store.write { transaction in
                            let old = try transaction.document("n", in: "photos")?["v"]?.intValue ?? 0
                            try transaction.put(["id": "n", "v": .int(old + 1)], in: "photos")
                            try transaction.insert(["id": .int(old)], in: "albums")
                        }
                    }
                } catch { Issue.record(error) }
            }
            #expect(try store.collection("photos").document("n")?["v"] == 200)
            #expect(try store.collection("albums").count() == 200)
        }
    }

    @Test func `After the store is closed, every call throws closed`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "title": "fog"])
            let snapshot = try store.snapshot()
            try store.close()
            try store.close()
            expectLevelFailure(.closed) { try photos.put(["id": "b"]) }
            expectLevelFailure(.closed) { try photos.delete("a") }
            expectLevelFailure(.closed) { _ = try photos.document("a") }
            expectLevelFailure(.closed) { _ = try photos.find(Query()) }
            expectLevelFailure(.closed) { _ = try photos.search("fog") }
            expectLevelFailure(.closed) { _ = try photos.count() }
            expectLevelFailure(.closed) { _ = try snapshot.collections[0].count() }
            expectLevelFailure(.closed) { _ = try store.snapshot() }
            expectLevelFailure(.closed) { _ = try store.verify() }
            expectLevelFailure(.closed) { try store.flush() }
            #expect(store.schema == Self.schema)
        }
    }
}
