// Typed keys and values: keyspaces of a database, and a key with several components.
import LevelKit

// snippet.show
struct Rating: Codable {
    var stars: Int
    var comment: String?
}
let database = try Database.open(at: "ratings.db")
let ratings = try database.keyspace("ratings", key: String.self, value: .json(Rating.self))

try ratings.put(Rating(stars: 5, comment: "fog"), forKey: "IMG_0231")
print(try ratings.value(forKey: "IMG_0231")?.stars ?? 0)

// A key of several components, each with a type and a direction: best first, then by name.
let byStars = KeySchema("ratingsByStars", KeyComponent<Int>("stars", .descending), KeyComponent<String>("photo"))
let index = try database.keyspace(byStars, value: .empty)
try database.write { batch in
    try batch.put(Rating(stars: 3), forKey: "IMG_0232", in: ratings)
    try batch.insert((3, "IMG_0232"), in: index)
    try batch.insert((5, "IMG_0231"), in: index)
}
for (key, _) in try index.entries(in: .range(3...)) {
    print(key.0, key.1)
}
try database.close()
// snippet.hide
