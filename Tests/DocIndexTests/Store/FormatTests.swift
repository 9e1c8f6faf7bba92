import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// The keys and values of a store, byte for byte, as `docs/FORMAT.md` describes them. What is here must not change
/// without a new format version.
@Suite struct FormatTests {
    @Test func `The keys and values of a store are those of the documented format`() throws {
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
                ("44 15 01 15 01", "02 10 0a 02 00 01 00 02 81 61 03 94 1e"),
                ("44 15 01 15 02", nil),
                ("46 15 01 14", "02 02 69 64 04 79 65 61 72"),
                ("46 15 01 15 02", "02 04 74 61 67 73 05 74 69 74 6c 65"),
                ("49 15 01 02 61 00", "01"),
                ("49 15 01 15 07", "02"),
                ("4d", nil),
                ("4e 15 01", "03 02"),
                ("56 15 01 02 15 02", ""),
                ("56 15 01 0a c0 9e 28 00 15 01", ""),
                ("56 15 02 02 0a c0 9e 28 00 15 01", ""),
                ("56 15 02 0c 78 00 02 15 02", ""),
                ("56 15 02 0c 79 00 02 15 02", ""),
                ("58 15 03 14", "01 04"),
                ("58 15 03 15 01 02 61 6e 64 00 15 02", "01 04"),
                ("58 15 03 15 01 02 66 6f 67 00 15 02", "02 04"),
                ("58 15 03 15 01 02 72 61 69 6e 00 15 02", "01 04"),
            ]
            let pairs = try allPairs(in: database)
            #expect(pairs.map { hexadecimal($0.key) } == expected.map(\.0))
            for (pair, expected) in zip(pairs, expected) {
                if let value = expected.1 { #expect(hexadecimal(pair.value) == value, "\(expected.0)") }
            }
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `The catalog is the documented record`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let schema = Schema(collections: [CollectionDefinition("photos", indexes: [.value("year", on: "year")])])
            let store = try DocumentStore.open(on: database, schema: schema)
            let catalog = try #require(try database.value(forKey: [0x4d]))
            #expect(
                String(decoding: catalog, as: UTF8.self)
                    == #"{"docindex":1,"schemaVersion":1,"nextCollection":2,"nextIndex":2,"collections":[{"name":"photos","#
                    + #""number":1,"id":"id","indexes":[{"name":"year","number":1,"definition":{"type":"value","#
                    + #""fields":["year"]},"fingerprint":"47ed186fa0a4191c","ready":true}]}],"dropped":[]}"#)
            try store.close()
        }
    }

    @Test func `Rows are never used twice, and a replaced document keeps its row`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(
                on: database, schema: Schema(collections: [CollectionDefinition("c")]))
            let collection = try store.collection("c")
            func row(_ id: DocumentID) throws -> [UInt8]? { try database.value(forKey: StoreKeyspace.id(1, id)) }
            try collection.put(["id": 1])
            try collection.put(["id": 2])
            try collection.put(["id": 1, "v": 2])
            #expect(try row(1) == [1])
            try collection.delete(2)
            #expect(try row(2) == nil)
            try collection.put(["id": 2])
            #expect(try row(2) == [3])
            #expect(try CollectionCounters.read(1, in: database) == CollectionCounters(nextRow: 4, documentCount: 2))
            try store.close()
        }
    }

    static let varints: [(UInt64, [UInt8])] = [
        (0, [0]), (1, [1]), (127, [0x7f]), (128, [0x80, 1]), (300, [0xac, 2]), (16_384, [0x80, 0x80, 1]),
        (.max, Array(repeating: 0xff, count: 9) + [1]), (1 << 63, Array(repeating: 0x80, count: 9) + [1]),
    ]

    @Test(arguments: varints) func `Varints have seven bits a byte`(value: UInt64, bytes: [UInt8]) {
        var written: [UInt8] = [9]
        Varint.append(value, to: &written)
        #expect(written == [9] + bytes)
        var offset = 1
        let read = Varint.read(written.span, &offset)
        #expect(read == value)
        #expect(offset == written.count)
        #expect(Varint.readAll(bytes + bytes) == [value, value])
    }

    @Test func `Varints that end early or hold more than 64 bits are refused`() {
        for bytes: [UInt8] in [
            [0x80], [0xff, 0xff], Array(repeating: 0xff, count: 9) + [2], Array(repeating: 0x80, count: 10) + [0],
            Array(repeating: 0xff, count: 20),
        ] {
            #expect(Varint.readAll(bytes) == nil, "\(bytes)")
        }
        #expect(Varint.readAll([]) == [])
    }

    @Test(arguments: [0, 1, 255, 256, 65_535, 65_536, 1 << 32, .max] as [UInt64])
    func `A row at the end of a key is read back, and nothing longer or shorter is taken for one`(row: UInt64) {
        var key: [UInt8] = [1, 2]
        StoreKeyspace.appendRow(row, to: &key)
        #expect(self.row(in: key, at: 2) == row)
        #expect(self.row(in: key + [0], at: 2) == nil)
        #expect(self.row(in: Array(key.dropLast()), at: 2) == nil)
        #expect(self.row(in: key, at: key.count) == nil)
        for first: UInt8 in [0, 0x13, 0x1d, 0xff] { #expect(self.row(in: [first], at: 0) == nil) }
    }

    // Apart from the expectations: their macro and a span of a temporary break the compiler (6.3.1).
    private func row(in key: [UInt8], at offset: Int) -> UInt64? { StoreKeyspace.row(in: key.span, at: offset) }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(separator: " ")
    }
}
