// The examples of DocIndex's articles on coming from Core Data or GRDB, and on concurrency. They are compiled with every
// build, run by the tests, and identical to the code in the articles.
import DocIndex
import Foundation

let directory = FileManager.default.temporaryDirectory.appending(path: "TypedArticles-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }
guard FileManager.default.changeCurrentDirectoryPath(directory.path) else { fatalError("no \(directory.path)") }

struct Photo: Codable, Identifiable, Sendable {
    var id: UUID
    var title: String
    var rating = 0
    var keywords: [String] = []
    var taken: Date?
    var album: Album.ID?
}

struct Album: Codable, Identifiable, Sendable {
    var id: UUID
    var title: String
    var photoCount = 0
}

let schema = Schema(collections: [
    CollectionDefinition(
        "photos",
        indexes: [
            .value("rating", on: "rating", "taken"),
            .value("album", on: "album", "taken"),
            .value("keywords", on: "keywords[]"),
            .text("text", on: "title", "keywords[]"),
        ]),
    CollectionDefinition("albums", indexes: [.value("title", on: "title", unique: true)]),
])

func writing(_ store: DocumentStore, _ photo: Photo, _ album: Album) throws {
    let photos = try store.collection("photos", of: Photo.self)
    let albums = try store.collection("albums", of: Album.self)
    try store.write { transaction in
        try transaction.put(photo, in: photos)
        try transaction.put(album, in: albums)
        try transaction.update(album.id, in: albums) { $0.photoCount += 1 }
    }
    try photos.update(photo.id) { $0.rating = 5 }
}

func reading(_ photos: TypedCollection<Photo>, _ album: Album, _ typed: String) throws {
    let since = Date(timeIntervalSinceNow: -7 * 86_400)
    let stars = [4, 5]
    let newest = try photos.find("rating in \(stars) and taken >= \(since)", sort: "-taken", limit: 20)
    let cover = try photos.first("album = \(album.id)", sort: "-rating,taken")
    let found = try photos.search(typed, where: "album = \(album.id)")
    print(newest.count, cover?.title ?? "no photo", found.map(\.value.title))
}

@MainActor final class PhotoList {
    private(set) var photos: [Photo] = []
    private let collection: TypedCollection<Photo>

    init(_ store: DocumentStore) throws { collection = try store.collection("photos", of: Photo.self) }

    /// Shows the best photos until the task is canceled or the store is closed.
    func show(stars: Int) async throws {
        for try await best in try collection.observe("rating >= \(stars)", sort: "-taken", limit: 50) {
            photos = best
        }
    }

    func rate(_ id: Photo.ID, _ stars: Int) async throws {
        try await collection.asynchronous.update(id) { $0.rating = stars }
    }
}

func asynchronous(_ store: DocumentStore) async throws {
    let photos = try store.collection("photos", of: Photo.self).asynchronous
    let unrated = try await photos.find("rating = 0", limit: 100)
    for try await page in photos.pages(try Query(sort: "-taken"), count: 500) {
        print(page.count, "photos")
    }
    let report = try await store.asynchronous.run { try $0.verify() }
    print(unrated.count, report.isSound)
}

@MainActor func demonstrate() async throws {
    let store = try await AsyncDocumentStore.open(at: "photos.store", schema: schema).store
    let album = Album(id: UUID(), title: "Venice")
    let photo = Photo(id: UUID(), title: "Fog over the old bridge", taken: Date(), album: album.id)
    try writing(store, photo, album)
    try reading(try store.collection("photos", of: Photo.self), album, "bri*")
    try await asynchronous(store)

    let list = try PhotoList(store)
    let showing = Task { try await list.show(stars: 3) }
    try await list.rate(photo.id, 4)
    while list.photos.first?.rating != 4 { await Task.yield() }
    showing.cancel()
    try await showing.value
    print("shown:", list.photos.map(\.rating))
    try await store.asynchronous.close()
}

try await demonstrate()
