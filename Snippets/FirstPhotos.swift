// A first program: creates, fills, queries and closes a store of photos.
import DocIndex

// snippet.show
let schema = Schema(collections: [
    CollectionDefinition(
        "photos",
        indexes: [
            .value("rating", on: "rating"),
            .value("keywords", on: "keywords[]"),
            .text("text", on: "title", "caption", "keywords[]"),
        ])
])
let store = try DocumentStore.open(at: "my-photos.store", schema: schema)
let photos = try store.collection("photos")

try photos.put(["id": "IMG_0231", "rating": 5, "caption": "Fog over the old bridge", "keywords": ["river", "fog"]])
try photos.put(["id": "IMG_0232", "rating": 3, "caption": "The bridge again, without the fog"])

for photo in try photos.find("rating >= 4 and keywords has fog", sort: "-rating", limit: 10) {
    print(photo.id, photo["caption"] ?? .null)
}
for hit in try photos.search("old bridge") {
    print(hit.document.id, hit.score)
}
try store.close()
// snippet.hide
