// A catalog that has gone through three releases and keeps the data that each of them stored.
//
// usage: photo-app STORE [RELEASE]     RELEASE is 1, 2 or 3 (default: 3)
//
// Run it as release 1, then 2, then 3 on the same store. Each release converts the documents of the previous ones to
// its format.

import DocIndex
import Foundation

// example.begin
struct Photo: Codable {
    var id: String
    var title: String
    var rating: Int?
    var keywords: [String] = []
}

let starsBecomeRating = Migration("stars become rating", of: "photos", drops: ["stars"]) { photo in
    var photo = photo
    if let stars = photo.removeValue(forName: "stars") { photo["rating"] = stars }
    return photo
}
let tagsBecomeKeywords = Migration("tags become keywords", of: "photos", drops: ["tags"]) { photo in
    var photo = photo
    guard let tags = photo.removeValue(forName: "tags")?.stringValue else { return photo }
    photo["keywords"] = .array(tags.split(separator: ",").map { .string(String($0)) })
    return photo
}
// example.end

/// The schema and the migrations of each release, and a document that its users have stored.
let releases: [(schema: Schema, migrations: [Migration], photo: DocumentObject)] = [
    (
        Schema(version: 1, collections: [CollectionDefinition("photos", indexes: [.value("stars", on: "stars")])]),
        [], ["id": "IMG_0001", "title": "Fog", "stars": 5, "tags": "river,fog", "note": "first"]
    ),
    (
        Schema(version: 2, collections: [CollectionDefinition("photos", indexes: [.value("rating", on: "rating")])]),
        [starsBecomeRating], ["id": "IMG_0002", "title": "Snow", "rating": 3, "tags": "winter"]
    ),
    (
        Schema(
            version: 3,
            collections: [
                CollectionDefinition(
                    "photos", indexes: [.value("rating", on: "rating"), .value("keywords", on: "keywords[]")])
            ]),
        [starsBecomeRating, tagsBecomeKeywords],
        ["id": "IMG_0003", "title": "Harbour", "rating": 4, "keywords": ["sea", "fog"]]
    ),
]

let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first else { fatalError("usage: photo-app STORE [RELEASE]") }
let number = arguments.dropFirst().first.flatMap { Int($0) } ?? releases.count
guard releases.indices.contains(number - 1) else { fatalError("there are releases 1 to \(releases.count)") }
let release = releases[number - 1]

let store = try DocumentStore.open(at: path, schema: release.schema)
try store.migrate(release.migrations)
let photos = try store.collection("photos")
try photos.put(release.photo)

guard number == releases.count else {
    try store.close()
    exit(0)
}
for photo in try photos.values("keywords has fog", sort: "id", as: Photo.self) {
    print(photo.id, photo.title, photo.rating ?? 0, photo.keywords.joined(separator: " "))
}
// Saving a value keeps the fields that its type does not have: the note of the first release still exists.
if var first = try photos.value("IMG_0001", as: Photo.self) {
    first.title = "Fog over the old bridge"
    try photos.save(first)
    print(try photos.document("IMG_0001")?["note"]?.stringValue ?? "lost")
}
try store.close()
