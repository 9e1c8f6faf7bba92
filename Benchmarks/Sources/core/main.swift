// Repeats one core operation, so that callgrind can count its instructions; see `instruction-counts`.
//
// usage: core list
//        core OPERATION REPEATS

import DocIndex
import Foundation
import LevelKit

let arguments = Array(CommandLine.arguments.dropFirst())
let directory = FileManager.default.temporaryDirectory.appending(path: "levelkit-core-\(getpid())").path
try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: directory) }

/// Something that is done again and again, in the same way each time.
struct Operation {
    let name: String
    /// How often one round does it.
    let count: Int
    /// Prepares what is worked on, and returns one round.
    let prepare: () throws -> () throws -> Void

    init(_ name: String, _ count: Int, _ prepare: @escaping () throws -> () throws -> Void) {
        (self.name, self.count, self.prepare) = (name, count, prepare)
    }
}

let size = 2000

func key(_ number: Int) -> [UInt8] { Array("key/\(1_000_000 + number * 7_919 % size)".utf8) }

func fullDatabase() throws -> Database {
    let database = try Database.open(at: directory + "/database")
    let batch = WriteBatch()
    for number in 0..<size { try batch.put([UInt8](repeating: UInt8(number & 255), count: 100), forKey: key(number)) }
    try database.write(batch)
    try database.compact()
    return database
}

let places = ["harbour", "bridge", "street", "church", "market", "station"]

func photo(_ number: Int) -> String {
    let place = places[number % places.count]
    return """
        {"id": \(number), "title": "The \(place) in the fog", "caption": "Looking north over the old \(place) of town \(number % 97)",
         "year": \(1900 + number % 100), "rating": \(number % 6), "tags": ["\(place)", "fog", "town \(number % 97)"],
         "gps": {"lat": \(40 + Double(number % 100) / 100), "lon": \(-73 - Double(number % 89) / 100)}}
        """
}

func fullStore() throws -> DocumentStore {
    let schema = Schema(collections: [
        CollectionDefinition(
            "photos", indexes: [.value("year", on: "year"), .value("tags", on: "tags[]"), .text("text", on: "caption")])
    ])
    let store = try DocumentStore.open(at: directory + "/store", schema: schema)
    try store.load(into: "photos") { writer in
        for number in 0..<size { try writer.put(json: Array(photo(number).utf8).span) }
    }
    return store
}

let operations = [
    Operation("LevelKit: put", size) {
        let database = try fullDatabase()
        let value = [UInt8](repeating: 1, count: 100)
        return { for number in 0..<size { try database.put(value, forKey: key(number)) } }
    },
    Operation("LevelKit: put in batches of 100", size) {
        let database = try fullDatabase()
        let value = [UInt8](repeating: 1, count: 100)
        return {
            for start in stride(from: 0, to: size, by: 100) {
                let batch = WriteBatch()
                for number in start..<start + 100 { try batch.put(value, forKey: key(number)) }
                try database.write(batch)
            }
        }
    },
    Operation("LevelKit: get", size) {
        let database = try fullDatabase()
        return { for number in 0..<size { _ = try database.value(forKey: key(number)) } }
    },
    Operation("LevelKit: scan, an entry", size) {
        let database = try fullDatabase()
        return {
            var cursor = try database.cursor()
            while try cursor.advance() {}
        }
    },
    Operation("DocIndex: parse JSON, a document", size) {
        let texts = (0..<size).map(photo)
        return { for text in texts { _ = try DocumentValue(json: text) } }
    },
    Operation("DocIndex: load, a document", size) {
        let store = try fullStore()
        var round = 0
        return {
            round += 1
            try store.load(into: "photos") { writer in
                for number in 0..<size { try writer.put(json: Array(photo(number + round * size).utf8).span) }
            }
        }
    },
    Operation("DocIndex: put, a commit", 200) {
        let photos = try fullStore().collection("photos")
        var round = 0
        return {
            round += 1
            for number in 0..<200 {
                try photos.put([
                    "id": .int(Int64(number)), "year": .int(Int64(1900 + round)), "caption": "fog and rain",
                ])
            }
        }
    },
    Operation("DocIndex: get, a document", size) {
        let photos = try fullStore().collection("photos")
        return { for number in 0..<size { _ = try photos.document(.int(Int64(number))) } }
    },
    Operation("DocIndex: find, 20 of a year", 100) {
        let photos = try fullStore().collection("photos")
        let query = try Query(Filter(parsing: "year = 1930"), limit: 20)
        return { for _ in 0..<100 { _ = try photos.find(query) } }
    },
    Operation("DocIndex: search, the best 10", 100) {
        let photos = try fullStore().collection("photos")
        return { for _ in 0..<100 { _ = try photos.search("old harbour", limit: 10) } }
    },
]

switch (arguments.first, arguments.dropFirst().first.flatMap { Int($0) }) {
case ("list", _):
    for operation in operations { print("\(operation.name)\t\(operation.count)") }
case (let name?, let repeats?):
    guard let operation = operations.first(where: { $0.name == name }) else {
        print("core: there is no operation \(name); see `core list`")
        exit(64)
    }
    let round = try operation.prepare()
    for _ in 0..<repeats { try round() }
default:
    print("usage: core list; core OPERATION REPEATS")
    exit(64)
}
