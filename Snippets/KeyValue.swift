// Keys and values without documents: what LevelKit gives by itself.
import LevelKit

// snippet.show
let database = try Database.open(at: "counters.db")
try database.put("sunset over the bay", forKey: "photo/1")

// All of a batch is written, or nothing.
try database.write { batch in
    try batch.put("fog", forKey: "photo/2")
    try batch.delete("photo/1")
}

// Keys may be tuples: their bytes have the order of their values.
try database.put([], forKey: Tuple(["taken", 2019, 7, "IMG_0231"]).packed())
let july: Tuple = ["taken", 2019, 7]

// A snapshot does not see what is written later.
let snapshot = try database.snapshot()
try database.put([], forKey: Tuple(["taken", 2019, 7, "IMG_0232"]).packed())
var cursor = try snapshot.cursor(in: july.range)
while try cursor.advance() {
    print(try Tuple(packed: cursor.key.copied()))
}
// snippet.hide
