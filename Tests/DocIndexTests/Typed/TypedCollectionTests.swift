import DocIndex
import Foundation
import TestSupport
import Testing

/// A typed collection returns what its documents contain, and writes nothing else.
@Suite struct TypedCollectionTests {
    struct Photo: Codable, Identifiable, Hashable, Sendable {
        struct Person: Codable, Hashable, Sendable { var name: String }

        var id: String
        var rating: Int
        var caption: String?
        var keywords: [String] = []
        var people: [Person] = []
        var taken: Date?
    }

    static let schema = Schema(collections: [
        CollectionDefinition(
            "photos",
            indexes: [
                .value("rating", on: "rating"), .value("keywords", on: "keywords[]"), .text("text", on: "caption"),
            ])
    ])

    static func photo(_ id: Int, _ random: inout SplitMix64) -> Photo {
        let words = ["fog", "old", "bridge", "snow", "river"]
        return Photo(
            id: "IMG_\(id)", rating: random.number(below: 6),
            caption: random.once(in: 3) ? nil : (0..<3).map { _ in random.pick(words) }.joined(separator: " "),
            keywords: (0..<random.number(below: 3)).map { _ in random.pick(words) },
            people: (0..<random.number(below: 3)).map { Photo.Person(name: "P\($0)") },
            taken: random.once(in: 2) ? nil : Date(timeIntervalSince1970: Double(random.number(below: 1_000_000))))
    }

    @Test func `Random reads and writes give what a dictionary gives, and unknown members stay`() throws {
        var random = TestRun.random(stream: 420)
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos", of: Photo.self)
            var model: [String: Photo] = [:]
            for _ in 0..<TestRun.rounds(400, long: 10_000) {
                let photo = Self.photo(random.number(below: 20), &random)
                switch random.number(below: 6) {
                case 0:
                    #expect(try photos.delete(photo.id) == (model.removeValue(forKey: photo.id) != nil))
                case 1, 2:
                    let isThere = model[photo.id] != nil
                    try photos.put(photo)
                    model[photo.id] = photo
                    // Another program adds a member once.
                    if !isThere { try photos.documents.update(.string(photo.id)) { $0["note"] = .string(photo.id) } }
                case 3:
                    let body = { (stored: inout Photo) in
                        stored.rating = photo.rating
                        stored.people = photo.people
                        stored.caption = photo.caption
                    }
                    if model[photo.id] == nil {
                        expectFailure(.documentMissing) { try photos.update(photo.id, body) }
                    } else {
                        try photos.update(photo.id, body)
                        body(&model[photo.id, default: photo])
                    }
                case 4:
                    if model[photo.id] == nil {
                        try photos.insert(photo)
                        model[photo.id] = photo
                        try photos.documents.update(.string(photo.id)) { $0["note"] = .string(photo.id) }
                    } else {
                        expectFailure(.documentExists) { try photos.insert(photo) }
                    }
                default: #expect(try photos.get(photo.id) == model[photo.id])
                }
            }
            #expect(try Set(photos.find()) == Set(model.values))
            #expect(try photos.count() == model.count)
            let ids = (0..<25).map { "IMG_\($0)" }
            #expect(try photos.get(ids) == ids.map { model[$0] })
            #expect(try ids.map(photos.contains) == ids.map { model[$0] != nil })
            var visited: [String] = []
            try photos.forEach { visited.append($0.id) }
            #expect(visited == model.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
            try photos.documents.forEach { #expect($0["note"]?.stringValue == $0.id.description) }
        }
    }

    @Test func `Queries return the values of the documents that the untyped collection returns`() throws {
        var random = TestRun.random(stream: 421)
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos", of: Photo.self)
            try photos.put(contentsOf: (0..<100).map { Self.photo($0, &random) })
            let documents = photos.documents
            for stars in 0..<7 {
                let word = random.pick(["fog", "snow", "absent"])
                let query = try Query("rating >= \(stars) and keywords has \(word)", sort: "-rating,id", limit: 10)
                let expected = try documents.find(query).map {
                    try DocumentDecoder().decode(Photo.self, from: $0.content)
                }
                #expect(try photos.find(query) == expected)
                #expect(
                    try photos.find("rating >= \(stars) and keywords has \(word)", sort: "-rating,id", limit: 10)
                        == expected)
                #expect(try photos.first(query) == expected.first)
                #expect(
                    try photos.first("rating >= \(stars) keywords has \(word)", sort: "-rating,id") == expected.first)
                #expect(try photos.count("rating >= \(stars)") == documents.count(where: Filter("rating >= \(stars)")))
                #expect(
                    try photos.facets("keywords[]", "rating >= \(stars)", limit: 2)
                        == documents.facets("keywords[]", where: Filter("rating >= \(stars)"), limit: 2))
                let hits = try photos.search("fog OR bridge", where: "rating >= \(stars)", limit: 5)
                let others = try documents.search("fog OR bridge", where: Filter("rating >= \(stars)"), limit: 5)
                #expect(hits.map(\.value.id) == others.map(\.document.id.description))
                #expect(hits.map(\.score) == others.map(\.score))
            }
            var paged: [Photo] = []
            let newest = try Query(sort: "-rating", limit: 7)
            var page = try photos.page(newest)
            paged += page.values
            while let next = page.next {
                page = try photos.page(newest, after: next)
                paged += page.values
            }
            #expect(try paged == photos.find(sort: "-rating"))
        }
    }

    @Test func `An update keeps members that the type does not know, even in arrays`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos", of: Photo.self)
            try photos.documents.put([
                "id": "a", "rating": 1, "keywords": [], "xmp": ["x": 1],
                "people": [["name": "Ada", "face": 1], ["name": "Bea", "face": 2]],
            ])
            let rating = try photos.update("a") { photo in
                photo.people.swapAt(0, 1)
                photo.rating += 1
                return photo.rating
            }
            #expect(rating == 2)
            #expect(
                try photos.documents.document("a")?.content == [
                    "id": "a", "rating": 2, "keywords": [], "xmp": ["x": 1],
                    "people": [["name": "Bea", "face": 2], ["name": "Ada", "face": 1]],
                ])
            // An update that changes nothing is not a commit.
            let sequence = try store.sequence()
            try photos.update("a") { _ in }
            #expect(try store.sequence() == sequence)
        }
    }

    @Test func `Transactions read and write values of several collections at once, or nothing`() throws {
        struct Album: Codable, Identifiable, Equatable {
            var id: Int
            var count: Int
        }
        struct Refused: Error {}
        let schema = Schema(collections: Self.schema.collections + [CollectionDefinition("albums")])
        try withTemporaryStore(schema: schema) { store in
            let photos = try store.collection("photos", of: Photo.self)
            let albums = try store.collection("albums", of: Album.self)
            let add = { (transaction: Transaction) in
                try transaction.put(Photo(id: "a", rating: 1), in: photos)
                if try transaction.get(1, in: albums) == nil {
                    try transaction.put(Album(id: 1, count: 0), in: albums, if: .absent)
                }
                try transaction.update(1, in: albums) { $0.count += 1 }
            }
            #expect(throws: Refused.self) {
                try store.write { transaction in
                    try add(transaction)
                    throw Refused()
                }
            }
            #expect(try photos.count() == 0 && albums.count() == 0)
            try store.write(add)
            try store.write(add)
            #expect(try albums.get(1) == Album(id: 1, count: 2))
            let isDeleted = try store.write { try $0.delete("a", in: photos) }
            #expect(isDeleted)
            #expect(try photos.get("a") == nil)
            expectFailure(.documentExists) {
                try store.write { try $0.put(Album(id: 1, count: 0), in: albums, if: .absent) }
            }
        }
    }

    // MARK: - IDs

    struct Item<ID: Codable & Hashable & Sendable>: Codable, Identifiable, Hashable, Sendable { var id: ID }

    struct Name: RawRepresentable, Codable, Hashable, Sendable { var rawValue: String }

    enum Size: Int, Codable { case small, large }

    private func checkID<ID: Codable & Hashable & Sendable>(_ id: ID, is stored: DocumentID) throws {
        try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("c")])) { store in
            let items = try store.collection("c", of: Item<ID>.self)
            try items.put(Item(id: id))
            try items.insert(Item(id: id), expecting: .documentExists)
            #expect(try items.get(id) == Item(id: id))
            #expect(try items.documents.document(stored) != nil)
            #expect(try items.delete(id))
            #expect(try !items.contains(id))
        }
    }

    @Test func `IDs of every type that is encoded as a string or an integer are the IDs of the documents`() throws {
        let uuid = UUID()
        try checkID("a", is: "a")
        try checkID(-5, is: -5)
        try checkID(UInt8(5), is: 5)
        try checkID(Int64.min, is: .int(.min))
        try checkID(uuid, is: DocumentID(uuid))
        try checkID(DocumentID.int(3), is: 3)
        try checkID(Name(rawValue: "x"), is: "x")
        try checkID(Size.large, is: 1)
    }

    @Test func `IDs that a document cannot have are an error`() throws {
        struct Renamed: Codable, Identifiable {
            enum CodingKeys: String, CodingKey { case id = "name" }
            var id: String
        }
        try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("c")])) { store in
            let doubles = try store.collection("c", of: Item<Double>.self)
            expectFailure(.invalidID, containing: "Double") { try doubles.put(Item(id: 1.5)) }
            expectFailure(.invalidID, containing: "Double") { try doubles.get(1.5) }
            let optional = try store.collection("c", of: Item<String?>.self)
            expectFailure(.invalidID) { try optional.put(Item(id: nil)) }
            let renamed = try store.collection("c", of: Renamed.self)
            expectFailure(.invalidID, containing: "Renamed") { try renamed.put(Renamed(id: "a")) }
            #expect(try renamed.count() == 0)
            let names = try store.collection("c", of: Item<String>.self)
            try names.put(Item(id: "a"))
            expectFailure(.invalidID) { try names.update("a") { $0.id = "b" } }
            expectFailure(.unknownCollection) { try store.collection("d", of: Item<String>.self) }
        }
    }

    @Test func `A document that does not fit the type is an error that names the document and the member`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos", of: Photo.self)
            try photos.documents.put(["id": "IMG_7", "rating": "high", "keywords": [], "people": []])
            for body in [
                { _ = try photos.get("IMG_7") }, { _ = try photos.find() }, { try photos.update("IMG_7") { _ in } },
            ] {
                let error = #expect(throws: DecodingError.self) { try body() }
                let text = String(describing: error)
                #expect(text.contains("rating") && text.contains("IMG_7") && text.contains("photos"), "\(text)")
            }
            // It can still be replaced.
            try photos.put(Photo(id: "IMG_7", rating: 1))
            #expect(try photos.get("IMG_7")?.rating == 1)
        }
    }
}

extension TypedCollection {
    fileprivate func insert(_ value: Value, expecting code: DocIndexError.Code) throws {
        expectFailure(code) { try insert(value) }
    }
}
