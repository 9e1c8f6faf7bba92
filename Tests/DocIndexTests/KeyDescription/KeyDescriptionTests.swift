import LevelKit
import TestSupport
import Testing

@testable import DocIndex
@testable import TextIndexing

@Suite struct `Key description` {
    /// Returns the bytes of the parts that were read.
    private func encoded(_ key: StoreKeyParts) -> [UInt8] {
        var bytes = [key.kind.rawValue]
        for part in key.parts {
            switch part.value {
            case .number(let number): TupleEncoder.append(number, to: &bytes)
            case .element(let element): bytes += Tuple([element]).packed()
            case .ordered(let value), .key(let value): bytes += value
            }
            #expect(part.end == bytes.count)
        }
        return bytes
    }

    // MARK: - The keys of a store

    private static let schema = Schema(collections: [
        CollectionDefinition(
            "things",
            indexes: [
                .value("one", on: "a", counts: true), .value("down", on: .field("b", order: .descending), "c"),
                .value("natural", on: .field("a", order: .descending, collation: .natural), "b"),
                .value("tags", on: .field("tags[]", collation: .caseInsensitive)),
                .value("date", on: .field("date", dates: [.iso8601])),
                .value("month", on: .field("date", dates: [.iso8601], part: .month), "a"),
                .value("path", on: .field("path", split: "|")), .value("cover", on: "n.x", cover: ["c"]),
                .geo("place", on: "place"), .text("text", on: "a", "words"),
                .vector("vector", on: "vector", dimensions: 64),
            ]), CollectionDefinition("others", id: "key", history: .init(versions: 3)),
    ])

    private static func document(_ number: Int, _ documents: inout RandomDocuments) -> DocumentObject {
        var document = documents.document(id: number.isMultiple(of: 2) ? .int(Int64(number)) : .string("id\(number)"))
        document["date"] = documents.random.pick(
            ["2012-06-08T18:02:11", "2012-06-08T18:02:11Z", "soon", 5] as [DocumentValue])
        document["path"] = documents.random.pick(["Places|Paris", "Places", "", .null] as [DocumentValue])
        let places: [DocumentValue] = [["lat": 48.85, "lon": 2.35], ["lat": -1, "lon": 5], "nowhere", .null]
        document["place"] = documents.random.pick(places)
        document["words"] = .string("fog and word\(number)")
        document["vector"] = Vectors.value(Vectors.random(64, &documents.random))
        return document
    }

    /// Expects that each key of the store is described, and that its parts are those of its index.
    private func expectDescribed(_ store: DocumentStore, _ seen: inout Set<String>) throws {
        let describer = try KeyDescriber(store.database) { "\"\(String(decoding: $0, as: UTF8.self))\"" }
        let indexes = store.currentCatalog.collections.flatMap(\.indexes)
        for (bytes, _) in try allPairs(in: store.database) {
            let key = try #require(StoreKeyParts(bytes), "\(bytes)")
            #expect(key.isComplete && encoded(key) == bytes, "\(bytes)")
            let text = try #require(describer.description(of: bytes), "\(bytes)")
            for end in [1] + key.parts.map(\.end) {
                #expect(describer.description(ofPrefix: Array(bytes[..<end])) != nil, "\(bytes), \(end)")
            }
            seen.insert(String(text.prefix { $0 != ":" }))
            guard key.kind == .values, case .number(let number) = key.parts[0].value else { continue }
            let index = try #require(indexes.first { $0.number == UInt32(number) })
            let valueCount = [.geo, .vector].contains(index.definition.kind) ? 1 : index.definition.components.count
            #expect(key.parts.map(\.name) == [.index] + Array(repeating: .value, count: valueCount) + [.row])
        }
    }

    @Test func `Text indexes write their keys under the first byte that the store reserves for them`() {
        #expect(TextIndexKey.firstByte == StoreKey.text.rawValue)
    }

    @Test func `Every key that a store writes is described, with the parts of its index`() throws {
        try withTemporaryDirectory { directory in
            var options = DocumentStore.Options()
            options.textMaintenance.pendingDocumentCount = 100_000
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema, options: options)
            let things = try store.collection("things")
            var documents = RandomDocuments(TestRun.random(stream: 0x6e1))
            var seen: Set<String> = []
            try store.write { transaction in
                for number in 0..<300 { try transaction.put(Self.document(number, &documents), in: "things") }
                try transaction.put(["key": "other"], in: "others")
                try transaction.setMarker("import/things", to: [1])
            }
            try expectDescribed(store, &seen)
            // A term in more than 4,096 documents has further groups of postings.
            try store.write { transaction in
                for number in 1_000..<5_500 {
                    try transaction.put(["id": .int(Int64(number)), "words": "fog"], in: "things")
                }
            }
            try store.flushTextIndexes()
            try expectDescribed(store, &seen)
            for number in 0..<20 {
                try things.delete(number.isMultiple(of: 2) ? .int(Int64(number)) : .string("id\(number)"))
            }
            try expectDescribed(store, &seen)
            try store.flushTextIndexes()

            struct Stop: Error {}
            var larger = Self.schema
            larger.collections[1].indexes = [.value("late", on: "a")]
            larger.collections[0].indexes.append(.value("later", on: "c"))
            #expect(throws: Stop.self) { try store.apply(larger) { _ in throw Stop() } }
            try expectDescribed(store, &seen)
            try store.finishSchemaChange()
            let migration = Migration("b becomes \"d\"", of: "things") { document in
                var document = document
                document["d"] = document["b"] ?? .null
                return document
            }
            #expect(throws: Stop.self) { try store.migrate([migration]) { _ in throw Stop() } }
            for key in [StoreKey.document(1, row: 7), [9, 9], [], [StoreKey.setAside.rawValue, 1]] where !key.isEmpty {
                try store.database.put([1], forKey: [StoreKey.setAside.rawValue] + key)
            }
            try expectDescribed(store, &seen)
            let expected = [
                "catalog", "copy", "last commit", "change", "counters", "progress", "marker", "id", "document", "names",
                "entry",
                "count", "former version", "set aside", "structure", "term", "postings", "positions", "norms", "dead",
                "rows", "slot",
                "pending", "removed terms",
            ]
            #expect(Set(expected).symmetricDifference(seen) == [])
            try store.close()
        }
    }

    // MARK: - Any bytes

    private func value(_ documents: inout RandomDocuments, isFirst: Bool) -> [UInt8] {
        var bytes = OrderedValue.encoded(documents.value())
        switch documents.random.number(below: 8) {
        case 0: bytes = [OrderedValue.Kind.cell.rawValue] + (0..<8).map { _ in documents.random.pick([0, 0x15, 0xff]) }
        case 1: bytes = [OrderedValue.Kind.other.rawValue] + bytes
        case 2: bytes = [OrderedValue.Kind.missing.rawValue]
        case 3: bytes = Array("\u{d}\u{2}Places\0\u{2}Paris\0\0".utf8)
        case 4: bytes = Array("\u{b}img_\0IMG_2\0".utf8)
        default: break
        }
        return documents.random.once(in: 3) ? bytes.map { ~$0 } : bytes
    }

    @Test func `The values and the row of an entry are told apart, whatever their bytes`() throws {
        var documents = RandomDocuments(TestRun.random(stream: 0x6e2))
        for _ in 0..<TestRun.rounds(5_000, long: 1_000_000) {
            let values = (0...documents.random.number(below: 3)).map { value(&documents, isFirst: $0 == 0) }
            var row = documents.random.next() >> UInt64(documents.random.number(below: 64))
            // Row bytes that are also kinds of values.
            if documents.random.once(in: 2) {
                row = documents.random.pick([0x15, 0x1501, 0x1300, 0x1616, 0x18_0000_0001])
            }
            var key = StoreKey.values.prefix(documents.random.pick([1, 0x15, 0x1616])) + values.flatMap { $0 }
            StoreKey.appendRow(max(1, row), to: &key)
            let parts = try #require(StoreKeyParts(key))
            let read = parts.parts.compactMap { if case .ordered(let value) = $0.value { value } else { nil } }
            #expect(parts.isComplete && read == values, "\(key), \(TestRun.repetition)")
            guard case .number(let last)? = parts.parts.last?.value else { continue }
            #expect(last == max(1, row), "\(key), \(TestRun.repetition)")
        }
    }

    @Test func `Arbitrary bytes are described or rejected, and the parts re-encode to their bytes`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let describer = try KeyDescriber(store.database) { "\($0)" }
            var documents = RandomDocuments(TestRun.random(stream: 0x6e3))
            let kinds = Array("MSCHNPLIDFVGXQ".utf8)
            for _ in 0..<TestRun.rounds(20_000, long: 2_000_000) {
                var key = [documents.random.pick(kinds)]
                let codes: [UInt8] = [0, 1, 2, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x13, 0x14, 0x15, 0x16, 0x18, 0x1d, 0xff]
                for _ in 0..<documents.random.number(below: 16) {
                    key.append(
                        documents.random.once(in: 4)
                            ? UInt8.random(in: 0...255, using: &documents.random) : documents.random.pick(codes))
                }
                let parts = try #require(StoreKeyParts(key))
                #expect(key.starts(with: encoded(parts)), "\(key), \(TestRun.repetition)")
                #expect(!parts.isComplete || encoded(parts) == key, "\(key), \(TestRun.repetition)")
                #expect((describer.description(of: key) != nil) == parts.isComplete, "\(key), \(TestRun.repetition)")
                _ = describer.description(ofPrefix: key)
                #expect(parts.levelEnd(behind: key.count) == nil)
            }
            #expect(StoreKeyParts([]) == nil && StoreKeyParts([0x5a]) == nil)
            let nested = Array(repeating: StoreKey.setAside.rawValue, count: 1 << 20)
            #expect(describer.description(of: nested) != nil)
        }
    }

    // MARK: - Text

    @Test func `A description names the collection, the index and the values`() throws {
        let schema = Schema(collections: [
            CollectionDefinition("photos", indexes: [.value("year", on: "year"), .text("text", on: "title")])
        ])
        try withTemporaryStore(schema: schema) { store in
            let describer = try KeyDescriber(store.database) { "\"\(String(decoding: $0, as: UTF8.self))\"" }
            let entry = StoreKey.values.prefix(1)
            let cases: [([UInt8], String, String)] = [
                (StoreKey.document(1, row: 5), "document: photos, row 5", "documents of photos"),
                (StoreKey.id(1, "a"), "id: photos, \"a\"", "ids of photos"),
                (StoreKey.id(9, 7), "id: collection 9, 7", "ids of collection 9"),
                (StoreKey.names(1, from: 3), "names: photos, from 3 on", "field names of photos"),
                (
                    StoreKey.copy(of: StoreKey.names(1, from: 3)), "copy: names: photos, from 3 on",
                    "copies of the catalog and of field names"
                ),
                (
                    StoreKey.change(4, collection: 1, row: 5), "change: commit 4, photos, row 5",
                    "changes of commit 4"
                ),
                (
                    StoreKey.history(4, collection: 1, row: 5), "former version: commit 4, photos, row 5",
                    "history of commit 4"
                ), (StoreKey.marker("load"), "marker: \"load\"", "markers of loads"),
                (StoreKey.progress.prefix(1), "progress: photos.year", "progress"),
                (StoreKey.migrationProgress("m"), "progress: migration \"m\"", "progress"),
                (
                    entry + OrderedValue.encoded(1930) + [0x15, 5], "entry: photos.year = 1930, row 5",
                    "index entries of photos.year = 1930"
                ),
                (
                    entry + OrderedValue.encoded(["x", ["y": 1]]) + OrderedValue.encoded("sea").map { ~$0 } + [
                        0x15, 5,
                    ],
                    "entry: photos.year = [\"x\",{\"y\":1}], \"sea\" descending, row 5",
                    "index entries of photos.year = [\"x\",{\"y\":1}], \"sea\" descending"
                ),
                (
                    TextIndexKey.terms.term(2, 3, Array("fog".utf8)), "term: photos.text, segment 3, \"fog\"",
                    "terms of photos.text, 3, \"fog\""
                ), (TextIndexKey.deleted.key(2, 0), "dead: photos.text, chunk 0", "dead slots of photos.text, 0"),
                (
                    [StoreKey.setAside.rawValue] + StoreKey.document(1, row: 5),
                    "set aside: document: photos, row 5", "set aside"
                ),
            ]
            for (key, text, prefixText) in cases {
                #expect(describer.description(of: key) == text)
                #expect(describer.description(ofPrefix: key) == prefixText)
            }
            #expect(describer.description(ofPrefix: StoreKey.text.prefix(2)) == "text index photos.text")
        }
    }
}
