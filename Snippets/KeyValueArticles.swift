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

    var cursor = try database.cursor(in: .prefix("photo/"))
    while try cursor.advance() {
        print(try cursor.key.copied(as: String.self), cursor.value.count)
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
    let title = try database.value(forKey: "photo/1", as: String.self)  // nil if there is no such key
    let value = try database.value(forKey: "photo/1")  // the same as [UInt8]
    let count = try database.withValue(forKey: key) { $0.count }  // lent for the call, not copied
    print("read:", title ?? "", value?.count ?? 0, count ?? 0)

    func use(_ key: Span<UInt8>, _ value: Span<UInt8>) { print("read:", key.count, value.count) }
    var cursor = try database.cursor(in: .prefix("photo/"), direction: .descending)
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
    let range = KeyRange.prefix("photo/")
    for try await chunk in database.asynchronous.chunks(in: range) {
        for entry in chunk { use(entry.key, entry.value) }
    }
}

@MainActor
final class TitleModel {
    private let database: Database
    private(set) var title: String?

    init(_ database: Database) { self.database = database }

    func load(_ id: String) async throws {
        title = try await database.asynchronous.value(forKey: id, as: String.self)
    }

    func rename(_ id: String, to newTitle: String) async throws {
        try await database.asynchronous.put(newTitle, forKey: id, durability: .synced)
        title = newTitle
    }
}

@concurrent
func photoCount(in database: Database) async throws -> Int {
    try database.count(in: .prefix("photo/"))
}

struct Photo: Codable {
    var title: String
    var stars: Int
}

func keyspaces(_ database: Database) throws {
    let photos = try database.keyspace("photos", key: String.self, value: .json(Photo.self))
    try photos.put(Photo(title: "Fog over the old bridge", stars: 5), forKey: "IMG_0231")
    let photo = try photos.value(forKey: "IMG_0231")  // nil if there is no such key
    print("keyspace:", photo?.stars ?? 0)

    let byCamera = KeySchema(
        "photosByCamera",
        KeyComponent<String>("camera"), KeyComponent<Int>("stars", .descending), KeyComponent<String>("id"))
    let index = try database.keyspace(byCamera, value: .empty)
    try database.write { batch in
        try batch.put(Photo(title: "The bridge again", stars: 4), forKey: "IMG_0232", in: photos)
        try batch.insert(("X100V", 4, "IMG_0232"), in: index)
    }
    let all = try index.entries(in: .prefix("X100V"))
    let best = try index.entries(in: .range("X100V", 4...))
    let imported = try photos.entries(in: .range(.startingWith("IMG_02")))
    print("ranges:", all.count, best.count, imported.count)
}

func paging(_ database: Database) throws {
    let photos = try database.keyspace("photos", key: String.self, value: .json(Photo.self))
    func page(after last: String?) throws -> [(key: String, value: Photo)] {
        let range = TypedKeyRange<String>.range(.startingWith("IMG_"))
        return try photos.entries(in: last.map { range.after($0) } ?? range, limit: 20)
    }
    print("pages:", try page(after: nil).count, try page(after: "IMG_0231").count)
    let newest = try photos.entries(in: .all.before("IMG_0232"), direction: .descending, limit: 20)
    print("descending:", newest.map(\.key))

    func keys(after last: [UInt8]?) throws -> [[UInt8]] {
        let range = KeyRange.prefix("photo/")
        var cursor = try database.cursor(in: last.map { range.after($0) } ?? range)
        var keys: [[UInt8]] = []
        while keys.count < 50, try cursor.advance() { keys.append(cursor.key.copied()) }
        return keys
    }
    print("plain:", try keys(after: nil).count, try keys(after: Array("photo/1".utf8)).count)
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
    let checkpoint = try Checkpoint.take(of: "/srv/app/photos.db", to: "/tmp/photos-now.db")
    print("written by process \(checkpoint.holder ?? 0), as of write \(checkpoint.lastSequence)")
    let database = try Database.open(at: checkpoint.path)
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
let model = TitleModel(database)
try await model.rename("photo/1", to: "Fog")
try await model.load("photo/1")
print("model:", model.title ?? "", try await photoCount(in: database))
try keyspaces(database)
try paging(database)
try checkpoints(database)
do {
    try checkpointFromOutside()
} catch let error as LevelError {
    print("outside:", error.code)
}
try database.close()
