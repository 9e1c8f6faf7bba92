import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Saved searches and albums.
@Suite struct AlbumTests {
    private static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("rating", on: "rating")]), CollectionDefinition("other"),
    ])

    private func withPhotos(_ body: (DocumentStore, DocumentCollection) throws -> Void) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            for id in 0..<20 {
                try photos.put(["id": .string("p\(id)"), "rating": .int(Int64(id % 6)), "n": .int(Int64(id))])
            }
            try photos.put(["id": 7, "rating": 5])
            try body(store, photos)
        }
    }

    @Test func `A saved search finds what its condition finds now, in its order`() throws {
        try withPhotos { store, photos in
            try store.albums.put(Album("best", of: "photos", where: "rating >= 4", sort: "-n"))
            let expected = try photos.find("rating >= 4", sort: "-n")
            #expect(try store.albums.find("best") == expected && !expected.isEmpty)
            try photos.put(["id": "new", "rating": 5, "n": 100])
            #expect(try store.albums.find("best", limit: 1).map(\.id) == ["new"])
            let narrowed = try store.albums.find("best", where: .compare("n", .less, 10))
            #expect(try narrowed == photos.find("rating >= 4 and n < 10", sort: "-n"))
        }
    }

    @Test func `An album keeps the order of its documents, and forgets deleted ones`() throws {
        try withPhotos { store, photos in
            let albums = store.albums
            #expect(try albums.add(["p3", "p1", 7, "p3"], to: "wall", of: "photos") == 3)
            #expect(try albums.find("wall").map(\.id) == ["p3", "p1", 7])
            #expect(try albums.add(["p1", "p9"], to: "wall") == 1)
            try albums.move(["p9", 7], in: "wall", before: "p1")
            #expect(try albums.find("wall").map(\.id) == ["p3", "p9", 7, "p1"])
            try albums.move(["p3"], in: "wall", before: nil)
            #expect(try albums.find("wall").map(\.id) == ["p9", 7, "p1", "p3"])
            #expect(try albums.remove(["p1", "p18"], from: "wall") == 1)
            try photos.delete("p9")
            #expect(try albums.find("wall").map(\.id) == [7, "p3"])
            // A document that comes back has its old place.
            try photos.put(["id": "p9"])
            #expect(try albums.find("wall").map(\.id) == ["p9", 7, "p3"])
            #expect(try albums.find("wall", where: .compare("rating", .equal, 5)).map(\.id) == [7])
            #expect(try albums.find("wall", limit: 2).map(\.id) == ["p9", 7])
        }
    }

    @Test func `Pages of an album continue in its order`() throws {
        try withPhotos { store, photos in
            let ids: [DocumentID] = ["p7", "p2", 7, "p11", "p0", "p5"]
            try store.albums.add(ids, to: "wall", of: "photos")
            let album = try #require(try store.albums.album(named: "wall"))
            let query = try album.query(on: photos, limit: 2)
            var found: [DocumentID] = []
            var page = try photos.page(query)
            found += page.documents.map(\.id)
            while let next = page.next {
                page = try photos.page(query, after: next)
                found += page.documents.map(\.id)
            }
            #expect(found == ids)
            let reversed = Query(query.filter, sort: query.sort.map { Query.SortKey($0.key, order: .descending) })
            #expect(try photos.find(reversed).map(\.id) == ids.reversed())
        }
    }

    @Test func `A change that fails leaves the album unchanged`() throws {
        try withPhotos { store, _ in
            let albums = store.albums
            expectFailure(.unknownAlbum, containing: "wall") { try albums.add(["p1"], to: "wall") }
            expectFailure(.unknownAlbum) { try albums.find("wall") }
            try albums.add(["p1", "p2"], to: "wall", of: "photos")
            try albums.put(Album("best", of: "photos", where: "rating = 5"))
            let before = try albums.all()
            expectFailure(.documentMissing, containing: "p99") { try albums.add(["p3", "p99"], to: "wall") }
            expectFailure(.documentMissing) { try albums.move(["p3"], in: "wall", before: nil) }
            expectFailure(.documentMissing) { try albums.move(["p1"], in: "wall", before: "p1") }
            expectFailure(.invalidAlbum) { try albums.add(["p1"], to: "best") }
            expectFailure(.invalidAlbum) { try albums.add(["p1"], to: "wall", of: "other") }
            expectFailure(.unknownCollection) { try albums.put(Album("x", of: "nothing", where: "")) }
            expectFailure(.invalidAlbum, containing: "album x") {
                try albums.put(Album("x", of: "photos", where: "rating >="))
            }
            expectFailure(.invalidAlbum) { try albums.put(Album("x", of: "photos", where: "", sort: "a[]")) }
            expectFailure(.invalidAlbum) { try albums.put(Album("", of: "photos", where: "")) }
            #expect(try albums.all() == before && before.count == 2)
            #expect(try albums.delete("best") && !albums.delete("best"))
            #expect(try albums.all().map(\.name) == ["wall"])
        }
    }

    @Test func `The error for a condition that is no longer valid names the album`() throws {
        try withPhotos { store, _ in
            try store.albums.put(Album("best", of: "photos", where: "rating = 5"))
            let albums = try store.collection(Album.collectionName)
            for (content, part) in [
                (["condition": "rating >>"], "a value is expected"), (["documents": [1.5]], "ID"),
                ([:], "needs either"), (["condition": "", "documents": []], "needs either"),
            ] as [(DocumentObject, String)] {
                var document: DocumentObject = ["id": "best", "collection": "photos"]
                for member in content { document[member.name] = member.value }
                try albums.put(document)
                expectFailure(.invalidAlbum, containing: "best", part) { try store.albums.find("best") }
            }
            try albums.put(["id": "best", "collection": "gone", "condition": ""])
            expectFailure(.unknownCollection, containing: "gone") { try store.albums.find("best") }
        }
    }

    @Test func `A store without albums has no collection of them, and a schema need not declare it`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/a.store"
            let store = try DocumentStore.open(at: path, schema: Self.schema)
            try store.collection("photos").put(["id": "a"])
            #expect(try store.albums.all().isEmpty && store.schema == Self.schema)
            #expect(try !store.albums.delete("x"))
            try store.albums.add(["a"], to: "wall", of: "photos")
            #expect(store.schema.collections.map(\.name) == ["photos", "other", "@albums"])
            try store.close()

            // A program that knows nothing of albums, and later declares more.
            var larger = Self.schema
            larger.collections.append(CollectionDefinition("third"))
            for schema in [Self.schema, larger] {
                let again = try DocumentStore.open(at: path, schema: schema)
                #expect(schema.difference(from: again.schema).isEmpty)
                #expect(try again.changes(for: schema).isEmpty)
                #expect(try again.albums.find("wall").map(\.id) == ["a"])
                try expectSound(again)
                try again.close()
            }
            let reading = try DocumentStore.open(at: path, schema: larger, mode: .readOnly)
            #expect(try reading.albums.find("wall").map(\.id) == ["a"])
            try reading.close()
        }
    }

    @Test func `Live results of an album follow its documents`() async throws {
        let path = temporaryPath()
        defer { try? TestFiles.remove(path) }
        let store = try DocumentStore.open(at: path, schema: Self.schema)
        let photos = try store.collection("photos")
        for id in ["a", "b", "c"] { try photos.put(["id": .string(id), "rating": 3]) }
        try store.albums.add(["c", "a", "b"], to: "wall", of: "photos")
        var updates = try store.albums.observe("wall").makeAsyncIterator()
        var shown: [Document] = []
        try #require(try await updates.next()).apply(to: &shown)
        #expect(shown.map(\.id) == ["c", "a", "b"])
        try photos.delete("a")
        try photos.update("b") { $0["rating"] = 5 }
        try #require(try await updates.next()).apply(to: &shown)
        #expect(try shown == store.albums.find("wall") && shown.map(\.id) == ["c", "b"])
        try photos.put(["id": "a"])
        try #require(try await updates.next()).apply(to: &shown)
        #expect(shown.map(\.id) == ["c", "a", "b"])
        try store.close()
    }

    @Test func `Live results of a saved search follow documents into and out of its condition`() async throws {
        let path = temporaryPath()
        defer { try? TestFiles.remove(path) }
        let store = try DocumentStore.open(at: path, schema: Self.schema)
        let photos = try store.collection("photos")
        for (id, rating) in [("a", 5), ("b", 3), ("c", 4)] {
            try photos.put(["id": .string(id), "rating": .int(Int64(rating))])
        }
        try store.albums.put(Album("best", of: "photos", where: "rating >= 4"))
        var updates = try store.albums.observe("best").makeAsyncIterator()
        var shown: [Document] = []
        try #require(try await updates.next()).apply(to: &shown)
        #expect(shown.map(\.id) == ["a", "c"])
        try photos.update("b") { $0["rating"] = 5 }
        try #require(try await updates.next()).apply(to: &shown)
        #expect(shown.map(\.id) == ["a", "b", "c"])
        try photos.update("a") { $0["rating"] = 1 }
        try photos.delete("c")
        while shown.count > 1 { try #require(try await updates.next()).apply(to: &shown) }
        #expect(try shown == store.albums.find("best") && shown.map(\.id) == ["b"])
        try store.close()
    }

    @Test func `A query in an order of values is read back from its saved form`() throws {
        let query = Query(.exists("id"), sort: [Query.SortKey(.place("id", in: ["b", 1, .null]), order: .descending)])
        let document = try DocumentEncoder().encode(query)
        #expect(try DocumentDecoder().decode(Query.self, from: document) == query)
        expectFailure(.invalidQuery) {
            try withTemporaryStore(schema: Self.schema) {
                try $0.collection("photos").find(Query(sort: [Query.SortKey(.place("a[]", in: []))]))
            }
        }
    }
}
