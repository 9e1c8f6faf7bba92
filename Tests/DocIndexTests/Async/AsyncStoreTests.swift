import Dispatch
import DocIndex
import Foundation
import LevelKit
import Synchronization
import TestSupport
import Testing

/// The asynchronous interface does what the blocking one does, away from the caller's actor.
@Suite struct AsyncStoreTests {
    typealias Photo = TypedCollectionTests.Photo

    /// Runs `body` with a store on separate threads, then closes, reopens and verifies the store.
    private func withStore(_ body: @escaping @Sendable (AsyncDocumentStore) async throws -> Void) async throws {
        try await within {
            try await withTemporaryPath { path in
                let store = try await AsyncDocumentStore.open(at: path + "/s", schema: TypedCollectionTests.schema)
                try await body(store)
                try await store.close()
                let again = try await AsyncDocumentStore.open(at: path + "/s")
                try await again.run { try expectSound($0) }
                try await again.close()
            }
        }
    }

    @Test func `Values written through one interface are read through the other`() async throws {
        try await withStore { store in
            let photos = try store.collection("photos", of: Photo.self)
            let blocking = photos.values
            var random = TestRun.random(stream: 440)
            let all = (0..<60).map { TypedCollectionTests.photo($0, &random) }
            try await photos.put(contentsOf: Array(all[..<50]))
            for photo in all[50...] { try await photos.insert(photo) }
            let (rating, word) = (2, "fog")
            #expect(
                try await photos.find("rating >= \(rating)", sort: "id") == blocking.find("rating >= 2", sort: "id"))
            #expect(try await photos.find(Query(sort: "-rating")) == blocking.find(sort: "-rating"))
            #expect(try await photos.count("keywords has \(word)") == blocking.count("keywords has fog"))
            #expect(try await photos.count() == 60)
            #expect(try await photos.get("IMG_7") == all[7])
            #expect(try await photos.get(["IMG_7", "x"]) == [all[7], nil])
            #expect(try await photos.contains("IMG_59"))
            #expect(
                try await photos.first("rating = \(rating)", sort: "id") == blocking.first("rating = 2", sort: "id"))
            let (hits, others) = (try await photos.search("fog"), try blocking.search("fog"))
            #expect(hits == others)
            #expect(try await photos.facets("keywords[]") == blocking.facets("keywords[]"))
            let rated = try await photos.update("IMG_7") { photo in
                photo.rating += 10
                return photo.rating
            }
            #expect(try blocking.get("IMG_7")?.rating == rated)
            #expect(try await photos.delete("IMG_7"))
            #expect(try blocking.get("IMG_7") == nil)
            try blocking.put(all[7])
            try await photos.put(all[8])
            #expect(try await photos.page(Query(limit: 3)).values == blocking.page(Query(limit: 3)).values)
        }
    }

    @Test func `Documents written through one interface are read through the other`() async throws {
        try await withStore { store in
            let photos = try store.collection("photos")
            let blocking = photos.documents
            #expect(try await photos.put(["id": "a", "rating": 1]) == "a")
            let id = try await photos.insert(["rating": 2, "caption": "Fog"])
            try await photos.update("a") { $0["rating"] = 3 }
            try await photos.patch(id, ["rating": 4])
            #expect(try await photos.find("rating >= \(3)") == blocking.find("rating >= 3"))
            #expect(try await photos.find(Query()) == blocking.find(Query()))
            #expect(try await photos.document("a") == blocking.document("a"))
            #expect(try await photos.documents(["x", "a"]).map { $0?.id } == [nil, "a"])
            #expect(try await photos.contains("a"))
            #expect(try await photos.count() == 2)
            #expect(try await photos.count(where: .exists("caption")) == 1)
            #expect(try await photos.page(Query(limit: 1)).documents == blocking.page(Query(limit: 1)).documents)
            #expect(try await photos.search("fog").map(\.document.id) == [id])
            #expect(try await photos.facets("rating").count == 2)
            let ratings = try await photos.run { try $0.distinct("rating") }
            #expect(ratings == [3, 4])
            #expect(try await photos.delete("a"))
            let (changes, others) = (try await store.changes(since: 0), try store.store.changes(since: 0))
            #expect(changes == others)
            let count = try await store.write(durability: .synced) { transaction in
                try transaction.put(["id": "b"], in: "photos")
                return transaction.changeCount
            }
            #expect(count == 1)
            try await store.flush()
            #expect(try await store.apply(TypedCollectionTests.schema).isEmpty)
        }
    }

    @Test(arguments: [1, 7, 50, 1000], [nil, 0, 1, 30, 50])
    func `Concatenated pages are the result at the first page`(count: Int, limit: Int?) async throws {
        try await withStore { store in
            let photos = try store.collection("photos", of: Photo.self)
            var random = TestRun.random(stream: 441)
            try await photos.put(contentsOf: (0..<50).map { TypedCollectionTests.photo($0, &random) })
            let query = try Query("rating >= 0", sort: "-rating", limit: limit)
            let expected = try await photos.find(query)
            var found: [Photo] = []
            for try await page in photos.pages(query, count: count) {
                #expect(!page.isEmpty && page.count <= count)
                found += page
                // Later pages do not see this.
                try await photos.put(TypedCollectionTests.photo(random.number(below: 90), &random))
            }
            #expect(found == expected)
        }
    }

    @Test func `A canceled task writes nothing and reads nothing`() async throws {
        try await withStore { store in
            let photos = try store.collection("photos", of: Photo.self)
            let task = Task(executorPreference: OwnThreads.shared) {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                await #expect(throws: CancellationError.self) { try await photos.put(Photo(id: "a", rating: 1)) }
                await #expect(throws: CancellationError.self) { _ = try await photos.find() }
                await #expect(throws: CancellationError.self) {
                    try await store.write { try $0.put(["id": "b"], in: "photos") }
                }
                await #expect(throws: CancellationError.self) { for try await _ in photos.pages() {} }
                // An observer ends.
                for try await _ in try photos.observe() { Issue.record("a cancelled observer got a result") }
                for try await _ in store.changeStream(since: 0) { Issue.record("a cancelled observer got a change") }
            }
            try await task.value
            #expect(try await photos.count() == 0)
        }
    }

    @Test func `A query stops when its task is canceled while it runs`() async throws {
        try await withStore { store in
            let photos = try store.collection("photos")
            try await store.write { transaction in
                for id in 0..<20_000 { try transaction.put(["id": .int(Int64(id)), "v": "x"], in: "photos") }
            }
            let calls = CallCount()
            let options = Query.Options(progress: { _ in
                calls.value.withLock { $0 += 1 }
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            })
            let task = Task(executorPreference: OwnThreads.shared) {
                try await photos.find(Query(try Filter("v = y")), options: options)
            }
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            #expect(calls.value.withLock { $0 } == 1)
        }
    }

    private final class CallCount: Sendable {
        let value = Mutex(0)
    }

    @MainActor @Test func `Blocking work leaves the main actor`() async throws {
        try await withTemporaryPath { path in
            let store = try await AsyncDocumentStore.open(at: path + "/s", schema: TypedCollectionTests.schema)
            let photos = try store.collection("photos", of: Photo.self)
            try await photos.put(Photo(id: "a", rating: 1))
            // If the update blocked the main actor, nothing would signal before the deadline.
            let semaphore = DispatchSemaphore(value: 0)
            Task { @MainActor in _ = semaphore.signal() }
            let isSignalled = try await photos.update("a") { _ in semaphore.wait(timeout: .now() + 60) == .success }
            #expect(isSignalled)
            try await store.run { try expectSound($0) }
            try await store.close()
        }
    }

    @Test func `Concurrent updates of one value are all applied`() async throws {
        try await withStore { store in
            let photos = try store.collection("photos", of: Photo.self)
            try await photos.put(Photo(id: "a", rating: 0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<200 { group.addTask { try await photos.update("a") { $0.rating += 1 } } }
                try await group.waitForAll()
            }
            #expect(try await photos.get("a")?.rating == 200)
        }
    }

    @Test func `Observers get the changes of the blocking interface and end when the store is closed`() async throws {
        try await within {
            try await withTemporaryPath { path in
                let store = try await AsyncDocumentStore.open(at: path + "/s", schema: TypedCollectionTests.schema)
                let photos = try store.collection("photos")
                var updates = try photos.observe(Query("rating >= \(3)")).makeAsyncIterator()
                var changes = store.changeStream(since: 0).makeAsyncIterator()
                var shown: [Document] = []
                try await updates.next()?.apply(to: &shown)
                #expect(shown.isEmpty)
                for id in 0..<20 {
                    try photos.documents.put(["id": .int(Int64(id)), "rating": .int(Int64(id % 6))])
                    let seen = try await changes.next()
                    #expect(seen?.map(\.id) == [.int(Int64(id))])
                    if id % 6 >= 3 { try await updates.next()?.apply(to: &shown) }
                    #expect(try await shown == photos.find("rating >= 3"))
                }
                try expectSound(store.store)
                try await store.close()
                #expect(try await updates.next() == nil)
                #expect(try await changes.next() == nil)
                await #expect(throws: LevelError.self) { _ = try await photos.find("") }
            }
        }
    }
}
