// A first program: creates, fills, queries and closes a store of photos.
import DocIndex

// snippet.show
struct Photo: Codable, Identifiable {
    var id: String
    var rating: Int
    var caption: String
    var keywords: [String] = []
}

let schema = Schema(collections: [
    CollectionDefinition(
        "photos",
        indexes: [
            .value("rating", on: "rating"),
            .value("keywords", on: "keywords[]"),
            .text("text", on: "caption", "keywords[]"),
        ])
])
let store = try DocumentStore.open(at: "my-photos.store", schema: schema)
let photos = try store.collection("photos", of: Photo.self)

try photos.put(Photo(id: "IMG_0231", rating: 5, caption: "Fog over the old bridge", keywords: ["river", "fog"]))
try photos.put(Photo(id: "IMG_0232", rating: 3, caption: "The bridge again, without the fog"))

let (stars, word) = (4, "fog")
for photo in try photos.find("rating >= \(stars) and keywords has \(word)", sort: "-rating", limit: 10) {
    print(photo.id, photo.caption)
}
for hit in try photos.search("old bridge") {
    print(hit.value.id, hit.score)
}
try store.close()
// snippet.hide
