// The examples of LevelKit's articles, one function each. They are compiled with every build, run by the tests, and
// identical to the code in the articles.
import Foundation
import LevelKit

let directory = FileManager.default.temporaryDirectory.appending(path: "KeyValueArticles-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }
guard FileManager.default.changeCurrentDirectoryPath(directory.path) else { fatalError("no \(directory.path)") }

func firstSteps() throws {
    let database = try Database.open(at: "photos.db")
    try database.put("sunset", forKey: "photo/1")

    var cursor = try database.cursor(in: .prefix(Array("photo/".utf8)))
    while try cursor.advance() {
        print(cursor.key.count, cursor.value.count)
    }
    try database.close()
}

func opening() throws {
    let database = try Database.open(at: "photos.db")
    defer { try? database.close() }
    print("open:", database.path)
}

func openingReadOnly() throws {
    let database = try Database.open(at: "photos.db", mode: .readOnly)
    defer { try? database.close() }
    print("reads, while another may write:", database.path)
}

/// In the article the name is that of an unpacked archive. Here it is the database of the other examples.
func openingUntrusted() throws {
    try Checkpoint.take(of: "photos.db", to: "received.db")
    var options = DatabaseOptions()
    options.checksEveryBlock = true
    let database = try Database.open(at: "received.db", options: options, mode: .readOnly)
    try database.close()
}

func reading(_ database: Database) throws {
    let key = Array("photo/1".utf8)
    let value = try database.value(forKey: "photo/1")  // owned bytes, nil if there is no such key
    let count = try database.withValue(forKey: key) { $0.count }  // lent for the call, not copied
    print("read:", value?.count ?? 0, count ?? 0)

    func use(_ key: Span<UInt8>, _ value: Span<UInt8>) { print("read:", key.count, value.count) }
    let prefix = Array("photo/".utf8)
    var cursor = try database.cursor(in: .prefix(prefix), reverse: true)
    while try cursor.advance() {
        use(cursor.key, cursor.value)
    }

    let snapshot = try database.snapshot()
    try database.put("fog", forKey: "photo/2")
    print("snapshot:", try snapshot.value(forKey: "photo/2") == nil)
}

func writing(_ database: Database) throws {
    try database.put("sunset", forKey: "photo/1")
    try database.write { batch in
        try batch.put("fog", forKey: "photo/2")
        try batch.delete("photo/1")
    }
    print("written:", try database.value(forKey: "photo/1") == nil)
}

func keyDesign(_ database: Database) throws {
    let byDate = KeySchema("byDate", KeyComponent<Int64>("taken", .descending), KeyComponent<String>("id"))
    let taken = try database.keyspace(byDate, value: .empty)
    try database.write { batch in
        try batch.insert((20_190_731, "IMG_0231"), in: taken)
        try batch.insert((20_200_101, "IMG_0310"), in: taken)
    }
    for (key, _) in try taken.entries() { print("key:", key.0, key.1) }
}

func concurrency(_ database: Database) async throws {
    func use(_ key: [UInt8], _ value: [UInt8]) { print("chunk:", key.count, value.count) }
    let range = KeyRange.prefix(Array("photo/".utf8))
    for try await chunk in database.asynchronous.chunks(in: range) {
        for entry in chunk { use(entry.key, entry.value) }
    }
}

func checkpoints(_ database: Database) throws {
    try FileManager.default.createDirectory(atPath: "backups", withIntermediateDirectories: true)
    try database.checkpoint(to: "backups/photos-monday.db")
    let copy = try Database.open(at: "backups/photos-monday.db")
    print("checkpoint:", try copy.value(forKey: "photo/2") != nil)
    try copy.close()
}

/// The paths are those of a server and do not exist here.
func checkpointFromOutside() throws {
    let report = try Checkpoint.take(of: "/srv/app/photos.db", to: "/tmp/photos-now.db")
    print("written by process \(report.holder ?? 0), as of write \(report.lastSequence)")
    let database = try Database.open(at: report.path)
    try database.close()
}

try firstSteps()
try opening()
try openingReadOnly()
try openingUntrusted()
let database = try Database.open(at: "photos.db")
try reading(database)
try writing(database)
try keyDesign(database)
try await concurrency(database)
try checkpoints(database)
do {
    try checkpointFromOutside()
} catch let error as LevelError {
    print("outside:", error.code)
}
try database.close()
