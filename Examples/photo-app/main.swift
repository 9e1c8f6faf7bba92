// A catalog that has gone through four releases and keeps the data that each of them stored.
//
// usage: photo-app STORE [RELEASE]     RELEASE is 1, 2, 3 or 4 (default: 4)
//
// Run it as release 1, then 2, 3 and 4 on the same store. Each release converts the documents of the previous ones to
// its format. Release 3 also stores pictures. Release 4 moves the references to them, adds a field and declares another
// index; afterwards, the thumbnail in the database and the original in a file are both there, byte for byte.

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
// attachments.begin
let picturesBecomeOriginals = Migration("pictures become originals", of: "photos", drops: ["picture"]) { photo in
    var photo = photo
    guard let picture = photo.removeValue(forName: "picture") else { return photo }
    photo["original"] = picture
    photo["width"] = 2048
    return photo
}
// attachments.end

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
    (
        Schema(
            version: 4,
            collections: [
                CollectionDefinition(
                    "photos",
                    indexes: [
                        .value("rating", on: "rating"), .value("keywords", on: "keywords[]", "rating"),
                        .value("type", on: "original.type"), .value("width", on: "width"),
                    ])
            ]),
        [starsBecomeRating, tagsBecomeKeywords, picturesBecomeOriginals],
        ["id": "IMG_0004", "title": "Pier", "rating": 2, "keywords": ["sea"]]
    ),
]

/// Returns a grey picture in the format PGM.
func picture(width: Int, height: Int) -> [UInt8] {
    var bytes = Array("P5\n\(width) \(height)\n255\n".utf8)
    for row in 0..<height {
        bytes += (0..<width).map { column in UInt8(truncatingIfNeeded: column * 7 / 8 ^ row * 5 / 4) }
    }
    return bytes
}

let original = picture(width: 2048, height: 1365)
let thumbnail = picture(width: 128, height: 85)

let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first else { fatalError("usage: photo-app STORE [RELEASE]") }
let number = arguments.dropFirst().first.flatMap { Int($0) } ?? releases.count
guard releases.indices.contains(number - 1) else { fatalError("there are releases 1 to \(releases.count)") }
let release = releases[number - 1]

let store = try DocumentStore.open(at: path, schema: release.schema)
try store.migrate(release.migrations)
let photos = try store.collection("photos")
var photo = release.photo
if number == 3 {
    // The thumbnail is small enough for the database, the original becomes a file.
    photo["thumbnail"] = .attachment(
        try store.attachments.add(thumbnail, type: "image/x-portable-graymap", name: "IMG_0003 small.pgm"))
    photo["picture"] = .attachment(
        try store.attachments.add(original, type: "image/x-portable-graymap", name: "IMG_0003.pgm"))
}
try photos.put(photo)

guard number == releases.count else {
    try store.close()
    exit(0)
}
for photo in try photos.find("keywords has fog", sort: "id", as: Photo.self) {
    print(photo.id, photo.title, photo.rating ?? 0, photo.keywords.joined(separator: " "))
}
// Saving a value keeps the fields that its type does not have: the note of the first release still exists.
if var first = try photos.document("IMG_0001", as: Photo.self) {
    first.title = "Fog over the old bridge"
    try photos.put(encoding: first)
    print(try photos.document("IMG_0001")?["note"]?.stringValue ?? "lost")
}
for photo in try photos.find("original.type = image/x-portable-graymap and width = 2048") {
    for (path, expected) in [("thumbnail" as FieldPath, thumbnail), ("original", original)] {
        guard case .attachment(let attachment)? = photo[path] else { continue }
        let bytes = try store.attachments.bytes(of: attachment)
        print(photo.id, path, bytes.count, "bytes", bytes == expected ? "unchanged" : "changed")
    }
}
try store.close()
