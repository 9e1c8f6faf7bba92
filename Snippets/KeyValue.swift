// Keys and values without documents: LevelKit on its own.
import LevelKit

// snippet.show
let database = try Database.open(at: "titles.db")
let titles = try database.keyspace("titles", key: String.self, value: .text)
try titles.put("Fog over the old bridge", forKey: "IMG_0231")
print(try titles.value(forKey: "IMG_0231") ?? "no such photo")

// Keys with several components sort by their components' values.
let taken = KeySchema("taken", KeyComponent<Int>("year"), KeyComponent<Int>("month"), KeyComponent<String>("photo"))
let byDate = try database.keyspace(taken, value: .empty)
try database.write { batch in  // Written atomically: all or nothing.
    try batch.put("The bridge again", forKey: "IMG_0232", in: titles)
    try batch.insert((2019, 7, "IMG_0231"), in: byDate)
    try batch.insert((2019, 11, "IMG_0232"), in: byDate)
}

let snapshot = try database.snapshot()  // Does not see later writes.
for (key, _) in try byDate.at(snapshot).entries(in: .range(2019, 6...12)) {
    print(key.0, key.1, key.2)
}
try database.close()
// snippet.hide
