import DocIndex
import TestSupport
import Testing

/// Live results of typed collections.
@Suite struct TypedLiveQueryTests {
    typealias Photo = TypedCollectionTests.Photo

    @Test(arguments: [nil, 5])
    func `Each live result is the result of the query after some commit, and the last is the newest`(
        limit: Int?
    ) async throws {
        try await within {
            try await withTemporaryPath { path in
                let store = try DocumentStore.open(at: path + "/s", schema: TypedCollectionTests.schema)
                let photos = try store.collection("photos", of: Photo.self)
                var random = TestRun.random(stream: 430)
                var results = try photos.observe("rating >= \(3)", sort: "-rating", limit: limit).makeAsyncIterator()
                #expect(try await results.next() == [])
                for _ in 0..<TestRun.rounds(40, long: 1000) {
                    let before = try photos.find("rating >= 3", sort: "-rating", limit: limit)
                    try photos.put(TypedCollectionTests.photo(random.number(below: 15), &random))
                    if random.once(in: 3) { try photos.delete("IMG_\(random.number(below: 15))") }
                    let after = try photos.find("rating >= 3", sort: "-rating", limit: limit)
                    if before == after { continue }
                    #expect(try await results.next() == after)
                }
                try expectSound(store)
                try store.close()
                #expect(try await results.next() == nil)
            }
        }
    }

    @Test func `A document that does not fit the type ends the sequence with an error`() async throws {
        try await within {
            try await withTemporaryPath { path in
                let store = try DocumentStore.open(at: path + "/s", schema: TypedCollectionTests.schema)
                let photos = try store.collection("photos", of: Photo.self)
                var results = try photos.observe().makeAsyncIterator()
                #expect(try await results.next() == [])
                try photos.documents.put(["id": "a"])
                await #expect(throws: DecodingError.self) { _ = try await results.next() }
                #expect(try await results.next() == nil)
                try expectSound(store)
                try store.close()
            }
        }
    }
}
