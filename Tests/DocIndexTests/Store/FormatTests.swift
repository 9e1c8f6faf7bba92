import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// The keys and values of a store, byte for byte, as `docs/FORMAT.md` describes them. Changing these requires a new
/// format version.
@Suite struct FormatTests {
    @Test func `The keys and values of a store match the documented format`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let schema = Schema(collections: [
                CollectionDefinition(
                    "photos",
                    indexes: [
                        .value("year", on: "year"), .value("tags", on: "tags[]", "year"), .text("text", on: "title"),
                    ])
            ])
            let store = try DocumentStore.open(on: database, schema: schema)
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "year": 1930])
            try photos.put(["id": 7, "tags": ["x", "x", "y"], "title": "Fog, fog and Rain"])
            let expected: [(String, String?)] = [
                ("40 46 15 01 14", "02 02 69 64 04 79 65 61 72"),
                ("40 46 15 01 15 02", "02 04 74 61 67 73 05 74 69 74 6c 65"),
                ("40 4d", nil),
                ("43 15 01 15 01 15 01", "00 02 61 00"),
                ("43 15 02 15 01 15 02", "00 15 07"),
                ("44 15 01 15 01", "01 02 10 0a 02 00 01 00 02 81 61 03 94 1e"),
                ("44 15 01 15 02", nil),
                ("46 15 01 14", "02 02 69 64 04 79 65 61 72"),
                ("46 15 01 15 02", "02 04 74 61 67 73 05 74 69 74 6c 65"),
                ("49 15 01 02 61 00", "01"),
                ("49 15 01 15 07", "02"),
                ("4d", nil),
                ("4e 15 01", "03 02 04"),
                ("53", "02"),
                ("56 15 01 02 15 02", ""),
                ("56 15 01 0a c0 9e 28 00 15 01", ""),
                ("56 15 02 02 0a c0 9e 28 00 15 01", ""),
                ("56 15 02 0c 78 00 02 15 02", ""),
                ("56 15 02 0c 79 00 02 15 02", ""),
                ("58 15 03 14", "01 01 01 04 01 01 00"),
                ("58 15 03 15 07 15 02", "00 04"),
                ("58 15 03 15 08 14", "02 04"),
            ]
            let pairs = try allPairs(in: database)
            #expect(pairs.map { hexadecimal($0.key) } == expected.map(\.0))
            for (pair, expected) in zip(pairs, expected) {
                if let value = expected.1 { #expect(hexadecimal(pair.value) == value, "\(expected.0)") }
            }
            try expectSound(store)
            try store.flushTextIndexes()
            let texts = try allPairs(in: database).filter { $0.key.first == StoreKey.text.rawValue }
            #expect(
                texts.map { "\(hexadecimal($0.key)): \(hexadecimal($0.value))" } == [
                    "58 15 03 14: 01 02 01 04 01 02 01 01 01 01 33",
                    // One document without a correction; its slot, once; position 2, the last.
                    "58 15 03 15 01 15 01 02 61 6e 64 00: 01 00 01 04",
                    // Twice: positions 0 and 1.
                    "58 15 03 15 01 15 01 02 66 6f 67 00: 01 00 00 02 01 02",
                    "58 15 03 15 01 15 01 02 72 61 69 6e 00: 01 00 01 06", "58 15 03 15 04 14: 04",
                    "58 15 03 15 06 14: 04", "58 15 03 15 07 15 02: 00 04",
                ])
            try expectSound(store)
            try store.close()
        }
    }

    // MARK: - Examples in the documentation

    /// Returns the pairs of each table of worked bytes in the section on keys, which have three columns.
    private static func documentedPairs() throws -> [[String]] {
        var tables: [[String]] = []
        var isInside = false
        for line in try documentation().split(separator: "\n") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.filter { $0 != "`" }.trimmingCharacters(in: .whitespaces) }
            if line == "| key | value | |" { tables.append([]) }
            if line == "| key | value | |" { isInside = true } else if !line.hasPrefix("|") { isInside = false }
            guard isInside, cells.count == 5, cells[1].allSatisfy({ $0.isHexDigit || $0 == " " }), !cells[1].isEmpty
            else {
                continue
            }
            tables[tables.count - 1].append("\(cells[1]): \(cells[2])")
        }
        return tables
    }

    private static func documentation() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/FORMAT.md"), encoding: .utf8)
    }

    private static let photosByYear = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("year", on: "year")])
    ])

    @Test func `The documented example matches what a store writes, before and after the deletion`() throws {
        try withTemporaryDirectory { directory in
            let documented = try Self.documentedPairs()
            try #require(documented.map(\.count) == [8, 6, 2, 2, 1])
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: Self.photosByYear)
            let photos = try store.collection("photos")
            func pairs() throws -> [String] {
                try allPairs(in: database).filter { $0.key.last != StoreKey.catalog.rawValue }
                    .map { "\(hexadecimal($0.key)): \(hexadecimal($0.value))" }
            }
            try photos.put(["id": "a", "year": 1930])
            #expect(try pairs() == documented[0])
            try photos.delete("a")
            #expect(try pairs() == documented[1])
            try store.close()
        }
    }

    @Test func `The documented history matches what a store writes`() throws {
        let documented = try Self.documentedPairs()
        try #require(documented.count == 5)
        func schema(history: CollectionDefinition.History?) -> Schema {
            Schema(collections: [
                CollectionDefinition("photos", history: history, indexes: [.value("year", on: "year")]),
                CollectionDefinition("notes"),
            ])
        }
        try withTemporaryStore(schema: schema(history: nil)) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "year": 1930])
            try store.collection("notes").put(["id": "n"])
            try store.apply(schema(history: .init(versions: 20)))
            try HistoryTests.at(1_800_000_000) { try photos.put(["id": "a", "year": 1931]) }
            try HistoryTests.at(1_800_000_001) { try photos.delete("a") }
            let records = try allPairs(in: store.database).filter { $0.key.first == StoreKey.history.rawValue }
            #expect(records.map { "\(hexadecimal($0.key)): \(hexadecimal($0.value))" } == documented[2])
        }
    }

    @Test func `The documented vector matches what a store writes`() throws {
        let documented = try Self.documentedPairs()
        try #require(documented.count == 5)
        let index = IndexDefinition.vector("direction", on: "direction", dimensions: 2)
        let schema = Schema(collections: [CollectionDefinition("photos", indexes: [index])])
        try withTemporaryStore(schema: schema) { store in
            let photos = try store.collection("photos")
            for number in 1...4 { try photos.put(["id": .int(Int64(number))]) }
            try photos.put(["id": 5, "direction": [3, 4]])
            let entries = try allPairs(in: store.database).filter { $0.key.first == StoreKey.values.rawValue }
            #expect(entries.map { "\(hexadecimal($0.key)): \(hexadecimal($0.value))" } == documented[4])
        }
    }

    @Test func `The documented attachment matches what a store writes`() throws {
        let documented = try Self.documentedPairs()
        try #require(documented.count == 5)
        try withTemporaryStore(schema: Self.photosByYear) { store in
            let added = try store.attachments.add(Array("hello".utf8))
            try store.collection("photos").put(["id": "a", "x": .attachment(added), "y": .attachment(added)])
            let records = try allPairs(in: store.database).filter { [0x41, 0x42].contains($0.key.first) }
                .map { "\(hexadecimal($0.key)): \(hexadecimal($0.value))" }
            // The documentation abbreviates the digest.
            let digest = records.filter { $0.hasPrefix("41 2c f2 ") && $0.hasSuffix(" 24: 02 05 01") }
            #expect(digest.count == 1, "\(records)")
            #expect(records.filter { !digest.contains($0) } == documented[3])
        }
    }

    @Test func `The catalog matches the documented record, except for the epoch`() throws {
        try withTemporaryDirectory { directory in
            let text = try Self.documentation()
            let json = try #require(text.split(separator: "```").first { $0.hasPrefix("json\n") }).dropFirst(5)
            var documented = try #require(try DocumentValue(json: String(json)).objectValue)
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: Self.photosByYear)
            let bytes = try #require(try database.value(forKey: [0x4d]))
            let catalog = try #require(try JSONParser().parse(bytes).objectValue)
            #expect(catalog["epoch"] == .string(store.epoch.description))
            // A UUID, like the one shown.
            #expect(catalog["epoch"]?.stringValue?.count == documented["epoch"]?.stringValue?.count)
            documented["epoch"] = catalog["epoch"]
            #expect(catalog == documented)
            #expect(bytes == Array(DocumentValue.object(documented).json.utf8))
            try store.close()
        }
    }

    @Test func `Rows are never reused, and a replaced document keeps its row`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(
                on: database, schema: Schema(collections: [CollectionDefinition("c")]))
            let collection = try store.collection("c")
            func row(_ id: DocumentID) throws -> [UInt8]? { try database.value(forKey: StoreKey.id(1, id)) }
            try collection.put(["id": 1])
            try collection.put(["id": 2])
            try collection.put(["id": 1, "v": 2])
            #expect(try row(1) == [1])
            try collection.delete(2)
            // The position of the deletion among the changes: in the fourth commit, under its former row.
            #expect(try row(2) == [0, 4, 2])
            try collection.put(["id": 2])
            #expect(try row(2) == [3])
            let counters = try CollectionCounters.read(1, in: database)
            #expect(counters == CollectionCounters(nextRow: 4, documentCount: 2, nameCount: 2))
            try store.close()
        }
    }

    static let varints: [(UInt64, [UInt8])] = [
        (0, [0]), (1, [1]), (127, [0x7f]), (128, [0x80, 1]), (300, [0xac, 2]), (16_384, [0x80, 0x80, 1]),
        (.max, Array(repeating: 0xff, count: 9) + [1]), (1 << 63, Array(repeating: 0x80, count: 9) + [1]),
    ]

    @Test(arguments: varints) func `Varints have seven bits per byte`(value: UInt64, bytes: [UInt8]) {
        var written: [UInt8] = [9]
        Varint.append(value, to: &written)
        #expect(written == [9] + bytes)
        var offset = 1
        let read = Varint.read(written.span, &offset)
        #expect(read == value)
        #expect(offset == written.count)
        #expect(Varint.readAll(bytes + bytes) == [value, value])
    }

    @Test func `Varints that are truncated or exceed 64 bits are rejected`() {
        for bytes: [UInt8] in [
            [0x80], [0xff, 0xff], Array(repeating: 0xff, count: 9) + [2], Array(repeating: 0x80, count: 10) + [0],
            Array(repeating: 0xff, count: 20),
        ] {
            #expect(Varint.readAll(bytes) == nil, "\(bytes)")
        }
        #expect(Varint.readAll([]) == [])
    }

    @Test(arguments: [0, 1, 255, 256, 65_535, 65_536, 1 << 32, .max] as [UInt64])
    func `A row at the end of a key is read back, and keys of other lengths have no row`(row: UInt64) {
        var key: [UInt8] = [1, 2]
        StoreKey.appendRow(row, to: &key)
        #expect(self.row(in: key, at: 2) == row)
        #expect(self.row(in: key + [0], at: 2) == nil)
        #expect(self.row(in: Array(key.dropLast()), at: 2) == nil)
        #expect(self.row(in: key, at: key.count) == nil)
        for first: UInt8 in [0, 0x13, 0x1d, 0xff] { #expect(self.row(in: [first], at: 0) == nil) }
    }

    // Outside the expectations: their macro and a span of a temporary crash the compiler (6.3.1).
    private func row(in key: [UInt8], at offset: Int) -> UInt64? { StoreKey.row(in: key.span, at: offset) }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(separator: " ")
    }
}
