import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// The stored form of a history, as `docs/FORMAT.md` describes it.
@Suite struct HistoryFormatTests {
    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(separator: " ")
    }

    @Test func `The records of a history match the documented format`() throws {
        let schema = Schema(collections: [
            CollectionDefinition(
                "photos", history: .init(age: .days(90), versions: 20), indexes: [.value("year", on: "year")]),
            CollectionDefinition("notes"),
        ])
        try withTemporaryStore(schema: schema) { store in
            let photos = try store.collection("photos")
            try HistoryTests.at(1_800_000_000) {
                try photos.put(["id": "a", "year": 1930])
                try store.collection("notes").put(["id": "n"])
                try photos.put(["id": "a", "year": 1931])
            }
            try HistoryTests.at(1_800_000_001) {
                try photos.delete("a")
                try photos.put(["id": "a", "year": 1932])
            }
            var cursor = try store.database.cursor(in: .prefix([StoreKey.history.rawValue]))
            var lines: [String] = []
            while try cursor.advance() {
                lines.append(Self.hexadecimal(cursor.key.copied()) + ": " + Self.hexadecimal(cursor.value.copied()))
            }
            #expect(
                lines == [
                    "48 15 01 15 01 15 01: 80 a0 f1 c2 b1 34 01 00 00 00 02 61 00",
                    "48 15 03 15 01 15 01: 80 a0 f1 c2 b1 34 01 01 02 10 0a 02 00 01 00 02 81 61 03 94 1e",
                    "48 15 04 15 01 15 01: e8 a7 f1 c2 b1 34 01 03 02 10 0a 02 00 01 00 02 81 61 03 96 1e",
                    "48 15 05 15 01 15 02: e8 a7 f1 c2 b1 34 01 00 04 01 02 61 00",
                ])
            let catalog = String(
                decoding: try #require(try store.database.value(forKey: StoreKey.catalogKey)), as: UTF8.self)
            #expect(catalog.hasPrefix("{\"docindex\":5,"))
            #expect(catalog.contains(#""id":"id","history":{"age":"90 days","versions":20,"since":0},"indexes":["#))
            // The record of the time when bounds were different survives.
            try HistoryTests.at(1_800_000_002) {
                try store.apply(
                    Schema(collections: [
                        CollectionDefinition("photos", history: .init(versions: 2)),
                        CollectionDefinition("notes", history: .init(versions: 1)),
                    ]))
                try store.apply(
                    Schema(collections: [
                        CollectionDefinition("photos", history: .init(versions: 30)), CollectionDefinition("notes"),
                    ]))
            }
            let changed = String(
                decoding: try #require(try store.database.value(forKey: StoreKey.catalogKey)), as: UTF8.self)
            #expect(
                changed.contains(#""history":{"versions":30,"leastVersions":2,"hadAge":true,"since":0},"indexes":[]"#),
                "\(changed)")
            #expect(!changed.contains("droppedHistory"))
            #expect(try Catalog(encoded: Array(changed.utf8)).encoded == Array(changed.utf8))
        }
    }

    @Test(arguments: [
        #"{"versions":0,"since":0}"#, #"{"since":0}"#, #"{"versions":1}"#, #"{"versions":1,"since":-1}"#,
        #"{"age":"soon","since":0}"#, "1", #"{"versions":1,"since":0,"more":1}"#,
        #"{"versions":1,"since":0,"leastVersions":0}"#,
    ]) func `A catalog with an unreadable history is corruption`(history: String) {
        let catalog =
            #"{"docindex":5,"schemaVersion":1,"epoch":"e","migrations":[],"runningMigration":null,"#
            + #""nextCollection":2,"nextIndex":1,"collections":[{"name":"c","number":1,"id":"id","history":"#
            + history + #","indexes":[]}],"dropped":[]}"#
        expectFailure(.corruption) { try Catalog(encoded: Array(catalog.utf8)) }
    }
}
