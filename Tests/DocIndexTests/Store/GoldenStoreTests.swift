import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// A store that was written once, with every kind of key and value: any change of the on-disk format fails here.
///
/// A later format gets a separate fixture; this one is never rewritten.
@Suite struct GoldenStoreTests {
    static let schema = Schema(
        version: 3,
        collections: [
            CollectionDefinition(
                "photos",
                indexes: [
                    .value("year", on: "year", cover: ["title", "tags[]"], counts: true),
                    .value("taken", on: .field("taken", order: .descending, dates: [.exif]), sparse: true),
                    .value("names", on: .field("title", collation: .natural), "year"),
                    .value("keywords", on: .field("tags[]", split: "|"), counts: true), .geo("place", on: "gps"),
                    .text("text", on: "title"),
                ]),
            CollectionDefinition("albums", id: "name", indexes: [.value("size", on: "size", unique: true)]),
        ])

    /// The final content of the store, with the commit that wrote each document, in ID order.
    static let photos: [(UInt64, DocumentObject)] = [
        (
            1,
            [
                "id": "a", "year": 1930, "title": "Fog over IMG_2", "tags": ["Places|Paris", "sea"],
                "taken": "2012:06:08 18:02:11", "gps": ["lat": 48.8582, "lon": 2.2945],
            ]
        ),
        (
            1,
            [
                "id": "kinds", "null": nil, "yes": true, "no": false, "small": 63, "large": .int(.max),
                "negative": -64, "double": 2.5, "bytes": .bytes([0, 0xff]), "empty": [], "nothing": [:],
                "local": .date(DocumentDate(milliseconds: 1_339_171_331_000)),
                "zoned": .date(
                    DocumentDate(milliseconds: 1_339_171_331_000, offsetMinutes: 120) ?? DocumentDate(milliseconds: 0)),
                "long": .string(String(repeating: "é", count: 100)), "array": [1, [2, ["x": 3]]],
            ]
        ), (5, ["id": "replaced", "year": 1931.5, "title": "Second"]), (4, ["id": 7, "year": 1930, "rating": 4]),
    ]

    static let albums: [(UInt64, DocumentObject)] = [
        (6, ["name": "frame", "size": [3, ["w": 2.0, "h": 1]]]), (1, ["name": "sea", "size": 12]),
    ]

    static let changes = [
        "1 photos +a", "1 photos +kinds", "1 albums +sea", "3 photos -gone", "4 photos +7", "5 photos +replaced",
        "6 albums +frame",
    ]

    private static func write(to store: DocumentStore) throws {
        try store.write { transaction in
            try transaction.put(photos[0].1, in: "photos")
            try transaction.put(["id": "replaced", "year": 1900, "title": "First"], in: "photos")
            try transaction.put(photos[1].1, in: "photos")
            try transaction.put(albums[1].1, in: "albums")
        }
        try store.flushTextIndexes()
        let collection = try store.collection("photos")
        try collection.put(["id": "gone", "year": 1940])
        try collection.delete("gone")
        try collection.put(photos[3].1)
        try collection.put(photos[2].1)
        try store.collection("albums").put(albums[0].1)
    }

    // MARK: - Fixture

    /// The stores of earlier formats and of format 4, each with later rules of the indexes than the one before.
    static let formats = ["3", "4", "4-folding-2", "4-geo-2", current]

    /// The store that the program writes today.
    private static let current = "4-copies"

    /// Reads a fixture. In the catalog of the current one, the fingerprints of indexes that fold text are replaced,
    /// because they include Unicode's data on the machine that wrote it.
    private static func fixture(format: String) throws -> [(key: [UInt8], value: [UInt8])] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: tests.appending(path: "Fixtures/store-format-\(format).txt"), encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.split(separator: ":", omittingEmptySubsequences: false)
            try #require(parts.count == 2)
            let value = try bytes(parts[1])
            guard format == current, var text = String(validating: value, as: UTF8.self) else {
                return (try bytes(parts[0]), value)
            }
            for index in schema.collections[0].indexes where ["names", "text"].contains(index.name) {
                let start = try Regex("(\"name\":\"\(index.name)\",.*?\"fingerprint\":\")[0-9a-f]+")
                text.replace(start) { String($0.output[1].substring ?? "") + index.fingerprint }
            }
            return (try bytes(parts[0]), Array(text.utf8))
        }
    }

    private static func bytes(_ text: Substring) throws -> [UInt8] {
        let digits = Array(text.filter { $0 != " " })
        return try stride(from: 0, to: digits.count, by: 2).map { position in
            try #require(UInt8(String(digits[position...position + 1]), radix: 16))
        }
    }

    private static func lines(_ pairs: [(key: [UInt8], value: [UInt8])]) -> [String] {
        pairs.map { pair in
            func hexadecimal(_ bytes: [UInt8]) -> String {
                bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            }
            return hexadecimal(pair.key) + ": " + hexadecimal(pair.value)
        }
    }

    /// Runs `body` with a database that contains the pairs of a fixture.
    private func withFixture(format: String = Self.current, _ body: (Database) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let batch = WriteBatch()
            for pair in try Self.fixture(format: format) { try batch.put(pair.value, forKey: pair.key) }
            try database.write(batch)
            try body(database)
            try database.close()
        }
    }

    // MARK: - Reading

    /// The indexes of earlier rules in a fixture, or of other data of Unicode: the prefixes of their keys, and those of the
    /// indexes that replace them.
    private static func outdated(format: String) -> [(before: String, after: String)] {
        switch format {
        // Natural order, places and words.
        case "3", "4", "4-folding-2": [("561503", "561508"), ("561505", "561509"), ("581506", "58150a")]
        case "4-geo-2": [("561503", "561508"), ("581506", "581509")]
        default: []
        }
    }

    @Test(arguments: formats)
    func `The golden store opens unchanged except for indexes of earlier rules, is sound, and has its original content`(
        format: String
    ) throws {
        try withFixture(format: format) { database in
            let before = Self.lines(try allPairs(in: database))
            try #require(before.count == [Self.current: 71, "3": 61][format, default: 66])
            let store = try DocumentStore.open(on: database)
            #expect(store.schema == Self.schema)
            #expect(store.epoch.description == "5f3ee5b3-1d3a-4b0e-9c1c-8f6d6a1c2b7e")
            #expect(try store.sequence() == (format == "3" ? 5 : 6))
            let albums = format == "3" ? Array(Self.albums.dropFirst()) : Self.albums
            for (name, expected) in [("photos", Self.photos), ("albums", albums)] {
                var stored: [Document] = []
                try store.collection(name).forEach { stored.append($0) }
                #expect(stored.map(\.content) == expected.map(\.1))
                #expect(stored.map(\.sequence) == expected.map(\.0))
            }
            let changes = try store.changes(since: 0)
            #expect(
                changes.map { "\($0.sequence) \($0.collection) \($0.isDeletion ? "-" : "+")\($0.id)" }
                    == Array(Self.changes.prefix(format == "3" ? 6 : 7)))
            try expectSound(store)
            #expect(!store.currentCatalog.hasOutdatedIndexes)
            // The indexes of format 3 contain neither arrays nor objects here, so they equal those of format 4.
            let after = Self.lines(try allPairs(in: database))
            let outdated = Self.outdated(format: format)
            if outdated.isEmpty { #expect(after == before) }
            func rest(of lines: [String], without prefixes: [String]) -> [String] {
                lines.filter { line in !prefixes.contains { line.hasPrefix($0) } }
            }
            let catalog = outdated.isEmpty ? [] : ["4d:", "404d:"]
            #expect(
                rest(of: after, without: outdated.map(\.after) + catalog)
                    == rest(of: before, without: outdated.map(\.before) + catalog))
            for index in outdated where index.before.hasPrefix("56") {
                // The values of these documents are the same by both rules.
                let entries = before.filter { $0.hasPrefix(index.before) }
                    .map { index.after + $0.dropFirst(index.before.count) }
                #expect(!entries.isEmpty && after.filter { $0.hasPrefix(index.after) } == entries)
            }
        }
    }

    @Test(arguments: formats) func `The indexes of the golden store return correct results`(format: String) throws {
        try withFixture(format: format) { database in
            let store = try DocumentStore.open(on: database)
            let photos = try store.collection("photos")
            #expect(try photos.find("year = 1930").map(\.id) == ["a", 7])
            #expect(try photos.entryCount(of: [1930], in: "year") == 2)
            #expect(try photos.find("year > 1930 and year < 1932").map(\.id) == ["replaced"])
            #expect(try photos.search("fog").map(\.document.id) == ["a"])
            #expect(try photos.entryCount(of: ["sea"], in: "keywords") == 1)
            #expect(try store.collection("albums").find("size = 12").map(\.id) == ["sea"])
            expectFailure(.duplicateValue) { try store.collection("albums").put(["name": "b", "size": 12]) }
        }
    }

    @Test(arguments: formats.filter { $0 != "4-geo-2" && $0 != current })
    func `Until a geo index of earlier rules is rebuilt, places are found without it`(format: String) throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let database = try Database.open(at: path)
            let batch = WriteBatch()
            // Earlier rules know fewer places, here none.
            let pairs = try Self.fixture(format: format).filter { !$0.key.starts(with: [0x56, 0x15, 0x05]) }
            for pair in pairs { try batch.put(pair.value, forKey: pair.key) }
            try database.write(batch)
            try database.close()
            let before = try DirectoryState(path)
            let paris = Filter.isWithin(
                .location("gps"), try #require(GeoBox(south: 48, west: 2, north: 49, east: 3)))
            let tower = try #require(GeoPoint(latitude: 48.8583, longitude: 2.2944))
            let byIndex = Query.Options(hint: .index("place"))
            func expectPlaces(_ photos: DocumentCollection) throws {
                #expect(try photos.find(Query(paris)).map(\.id) == ["a"])
                #expect(try photos.count(where: paris) == 1)
                let nearest = try photos.nearest(.location("gps"), to: tower, limit: 3)
                #expect(nearest.map(\.document.id) == ["a"] && nearest.allSatisfy { $0.meters < 20 })
            }
            let reading = try DocumentStore.open(at: path, mode: .readOnly)
            try expectPlaces(reading.collection("photos"))
            expectFailure(.invalidQuery) { try reading.collection("photos").find(Query(paris), options: byIndex) }
            let problems = try reading.verify().problems
            #expect(problems.contains { $0.contains("photos.place") && $0.contains("rebuild") })
            try reading.close()
            #expect(try DirectoryState(path).difference(from: before) == [])
            let writing = try DocumentStore.open(at: path)
            try expectPlaces(writing.collection("photos"))
            #expect(try writing.collection("photos").find(Query(paris), options: byIndex).map(\.id) == ["a"])
            try expectSound(writing)
            try writing.close()
        }
    }

    @Test func `The golden store is writable, and everything in it can be changed and deleted`() throws {
        try withFixture { database in
            let store = try DocumentStore.open(on: database)
            let photos = try store.collection("photos")
            try photos.put(["id": "gone", "year": 1941, "new name": 1])
            #expect(try photos.document("gone")?.sequence == 7)
            for id in ["a", "kinds", "replaced", 7] as [DocumentID] {
                try photos.update(id) { $0["year"] = 1950 }
            }
            try expectSound(store)
            #expect(try photos.entryCount(of: [1950], in: "year") == 4)
            for id in ["a", "kinds", "replaced", 7, "gone"] as [DocumentID] { try photos.delete(id) }
            try expectSound(store)
            #expect(try photos.count() == 0)
        }
    }

    // MARK: - Writing

    @Test func `The fingerprints of the golden store's indexes describe the same as ever`() {
        let texts = Self.schema.collections[0].indexes.filter { ["names", "text"].contains($0.name) }
            .map { $0.fingerprintText.replacing(TextFolding.version, with: "FOLDING") }
        #expect(
            texts == [
                #"{"type":"value","fields":[{"path":"title","collation":"natural"},"year"]} FOLDING natural-1"#,
                #"{"type":"text","fields":["title"]} FOLDING"#,
            ])
        #expect(TextFolding.version.hasPrefix("folding-3-"))
    }

    @Test func `The program writes the golden store identically today, except for the epoch`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: Self.schema)
            try Self.write(to: store)
            let pairs = try allPairs(in: database)
            let epoch = store.epoch.description
            let written = Self.lines(
                pairs.map { pair in
                    if pair.key.last != StoreKey.catalog.rawValue { return pair }
                    let text = String(decoding: pair.value, as: UTF8.self)
                    let golden = text.replacing(epoch, with: "5f3ee5b3-1d3a-4b0e-9c1c-8f6d6a1c2b7e")
                    return (pair.key, Array(golden.utf8))
                })
            let golden = Self.lines(try Self.fixture(format: Self.current))
            for (written, golden) in zip(written, golden) where written != golden {
                Issue.record("the fixture has \(golden), and \(written) is written")
            }
            #expect(written.count == golden.count)
            try store.close()
        }
    }
}
