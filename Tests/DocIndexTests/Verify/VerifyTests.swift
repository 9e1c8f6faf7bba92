import Dispatch
import LevelKit
import TestSupport
import Testing

@testable import DocIndex
@testable import TextIndexing

/// One kind of damage at a time, made without the store's knowledge, and what verify reports about it.
@Suite struct VerifyTests {
    static let schema = Schema(collections: [
        CollectionDefinition(
            "photos",
            indexes: [
                .value("year", on: "year"), .value("tags", on: "tags[]", "year"), .text("text", on: "title", "tags[]"),
            ]),
        CollectionDefinition("albums", id: "name", indexes: [.value("size", on: "size")]),
    ])

    /// A store of 200 documents, created once: each damage is applied to a copy of its pairs.
    private static let pairs: [(key: [UInt8], value: [UInt8])]? = try? withTemporaryDirectory { directory in
        let database = try Database.open(at: directory + "/s")
        let store = try DocumentStore.open(on: database, schema: schema)
        try store.write { transaction in
            for id in 1...180 {
                let tag = DocumentValue.string("t\(id % 4)")
                try transaction.put(
                    [
                        "id": .int(Int64(id)), "year": .int(Int64(1900 + id % 9)), "tags": [tag, "all"],
                        "title": "fog over fog",
                    ],
                    in: "photos")
            }
            for id in 1...20 {
                try transaction.put(["name": .string("album \(id)"), "size": .int(Int64(id))], in: "albums")
            }
        }
        // Unused rows are not damage.
        try store.write { transaction in
            for id in 171...180 { try transaction.delete(.int(Int64(id)), in: "photos") }
        }
        try store.flushTextIndexes()
        let pairs = try allPairs(in: database)
        try store.close()
        return pairs
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Parts of the expected descriptions, each of a separate problem.
        let problems: [String]
        /// The total number of problems.
        let count: Int
        let apply: @Sendable (Database) throws -> Void

        init(
            _ name: String, _ problems: [String], count: Int? = nil,
            _ apply: @escaping @Sendable (Database) throws -> Void
        ) {
            testDescription = name
            self.problems = problems
            self.count = count ?? problems.count
            self.apply = apply
        }
    }

    private static let year = StoreKey.values.prefix(1)
    private static let tags = StoreKey.values.prefix(2)

    /// Returns the record of a photo with one member changed; the first commit wrote it.
    private static func body(_ row: UInt64, of database: Database, _ name: String, _ value: DocumentValue?) throws
        -> [UInt8]
    {
        let stored = try #require(try database.value(forKey: StoreKey.document(1, row: row)))
        var names = try storedNames(in: database)
        var content = try #require(try BodyDecoder.decode(Array(stored.dropFirst()), names: names).objectValue)
        content[name] = value
        return try [1] + BodyEncoder.encode(.object(content), names: &names)
    }

    private static func storedNames(in database: Database) throws -> FieldNames {
        let names = CollectionNames()
        try names.load(Catalog.CollectionEntry(name: "photos", number: 1, idField: "id", indexes: []), from: database)
        return names.current
    }

    static let indexDamages: [Damage] = [
        Damage("an index entry is gone", ["photos.year: an entry of the document 7 is missing"]) {
            try $0.delete(year + OrderedValue.encoded(1907) + [0x15, 7])
        },
        Damage("one of the entries of an array is gone", ["photos.tags: an entry of the document 7 is missing"]) {
            try $0.delete(tags + OrderedValue.encoded("t3") + OrderedValue.encoded(1907) + [0x15, 7])
        },
        Damage("an index entry of no document", ["photos.year: an entry belongs to no document"]) {
            try $0.put([], forKey: year + OrderedValue.encoded(1907) + [0x16, 0x27, 0x10])
        },
        Damage("an index entry of a different value", ["photos.year: an entry belongs to no document"]) {
            try $0.put([], forKey: year + OrderedValue.encoded(1950) + [0x15, 7])
        },
        Damage("an index entry that cannot be read", ["photos.year: an entry belongs to no document"]) {
            try $0.put([], forKey: year + [0xff, 0xff])
        },
        Damage("an index entry with a value", ["photos.year: an entry does not match the document 7"]) {
            try $0.put([1], forKey: year + OrderedValue.encoded(1907) + [0x15, 7])
        },
        Damage(
            "an index entry at another place",
            [
                "photos.year: an entry of the document 7 is missing",
                "photos.year: an entry belongs to no document",
            ]
        ) {
            try $0.delete(year + OrderedValue.encoded(1907) + [0x15, 7])
            try $0.put([], forKey: year + OrderedValue.encoded(1908) + [0x15, 7])
        },
        Damage(
            "the index entries of a whole index are gone",
            ["albums.size: an entry of the document album 7 is missing"], count: 20
        ) {
            for pair in try allPairs(in: $0) where pair.key.starts(with: StoreKey.values.prefix(4)) {
                try $0.delete(pair.key)
            }
        },
        Damage("the statistics are wrong", ["photos.text: the document or word count of the index is wrong"]) {
            try changeStructure($0) { $0.statistics.words += 1 }
        },
        Damage(
            "a slot is gone",
            [
                "photos.text: the document 7 is missing",
                "photos.text: there are 170 live slots for 169 documents",
                "photos.text: the document or word count of the index is wrong",
                "photos.text: segment 1 does not contain the words of its documents",
            ]
        ) { try $0.delete(TextIndexKey.slots.key(3, 7)) },
        Damage(
            "a slot says another number of words",
            ["photos.text: the document 7 is in the index with a different number of words"]
        ) {
            let key = TextIndexKey.slots.key(3, 7)
            let slot = try numbers(key, in: $0)
            try $0.put([UInt8(slot[0]), UInt8(slot[1]) + 1], forKey: key)
        },
        Damage("a term is gone", ["photos.text: segment 1 does not contain the words of its documents"]) {
            try $0.delete(TextIndexKey.terms.term(3, 1, Array("over".utf8)))
        },
        Damage("a term is counted wrong", ["photos.text: the document count of a term is wrong"]) {
            let key = TextIndexKey.terms.term(3, 1, Array("t3".utf8))
            var record = try $0.value(forKey: key) ?? []
            try #require(record.count > 1)
            record[1] = 2
            try $0.put(record, forKey: key)
        },
        Damage(
            "a term cannot be read",
            [
                "photos.text: the text index text is damaged: the record of a term cannot be read (segment 1); "
                    + "run verify, then rebuild the index"
            ]
        ) { try $0.put([0x80], forKey: TextIndexKey.terms.term(3, 1, Array("fog".utf8))) },
        Damage("a norm is wrong", ["photos.text: the norm of the document 7 is wrong"]) {
            let key = TextIndexKey.norms.key(3, 0)
            let slot = Int(try numbers(TextIndexKey.slots.key(3, 7), in: $0)[0])
            var norms = try $0.value(forKey: key) ?? []
            norms[slot] += 1
            try $0.put(norms, forKey: key)
        },
    ]

    static func numbers(_ key: [UInt8], in database: Database) throws -> [UInt64] {
        let bytes = try database.value(forKey: key) ?? []
        return try #require(Varint.readAll(bytes))
    }

    static func changeStructure(_ database: Database, _ body: (inout TextStructure) -> Void) throws {
        let key = TextIndexKey.structure.prefix(3)
        let bytes = try database.value(forKey: key) ?? []
        var structure = try #require(TextStructure(encoded: bytes))
        body(&structure)
        try database.put(structure.encoded, forKey: key)
    }

    /// The description if a change exists but its document is missing or unreadable.
    private static let surplusChange =
        "the feed has 200 changes instead of 199, one for each document and deletion"

    static let documentDamages: [Damage] = [
        Damage(
            "an id is gone",
            ["photos: the document 7 in row 7 is not found by its id", "photos: there are 169 ids for 170 documents"]
        ) {
            try $0.delete(StoreKey.id(1, 7))
        },
        Damage("an id leads to another row", ["photos: the document 7 in row 7 is not found by its id"]) {
            try $0.put([8], forKey: StoreKey.id(1, 7))
        },
        Damage(
            "an id leads to a row that is not there",
            [
                "photos: the document 7 in row 7 is not found by its id",
                "photos: the id 7 leads to row 9999, which holds no document",
            ]
        ) { try $0.put([0x8f, 0x4e], forKey: StoreKey.id(1, 7)) },
        Damage("an id too many", ["photos: there are 171 ids for 170 documents"]) {
            try $0.put([7], forKey: StoreKey.id(1, "seven"))
        },
        Damage(
            "an id that leads nowhere",
            [
                "photos: the id ghost leads to row 9999, which holds no document",
                "photos: there are 171 ids for 170 documents",
            ]
        ) {
            try $0.put([0x8f, 0x4e], forKey: StoreKey.id(1, "ghost"))
        },
        Damage(
            "a document is gone",
            [
                "photos: the id 7 leads to row 7, which holds no document",
                "photos: there are 170 ids for 169 documents",
                "photos: the counter says 170 documents, but there are 169",
                "photos.year: an entry belongs to no document",
                "photos.tags: an entry belongs to no document",
                "photos.text: the document or word count of the index is wrong", surplusChange,
            ], count: 11
        ) { try $0.delete(StoreKey.document(1, row: 7)) },
        Damage(
            "a document cannot be read",
            [
                "photos: the document in row 7 cannot be read", "photos.year: an entry belongs to no document",
                "photos.tags: an entry belongs to no document",
                "photos.text: the document or word count of the index is wrong", surplusChange,
            ], count: 9
        ) { try $0.put([1, 2, 0xff], forKey: StoreKey.document(1, row: 7)) },
        Damage(
            "a document was changed without its indexes",
            [
                "photos.year: an entry of the document 7 is missing",
                "photos.year: an entry belongs to no document",
                "photos.tags: an entry of the document 7 is missing",
                "photos.tags: an entry belongs to no document",
            ], count: 6
        ) { try $0.put(body(7, of: $0, "year", 1999), forKey: StoreKey.document(1, row: 7)) },
        Damage(
            "a document has a different id",
            [
                "photos: the document 8 in row 7 is not found by its id",
                "photos: the last change of the document 8 in commit 1 is wrong in the feed",
            ]
        ) {
            try $0.put(body(7, of: $0, "id", 8), forKey: StoreKey.document(1, row: 7))
        },
        Damage(
            "a document has lost its id", ["photos: the document in row 7 cannot be read", surplusChange], count: 9
        ) {
            try $0.put(body(7, of: $0, "id", nil), forKey: StoreKey.document(1, row: 7))
        },
        Damage("a document under a key that is no row", ["photos: a document has a key that cannot be read"]) {
            try $0.put([2, 0x10, 1, 0], forKey: StoreKey.documents.prefix(1) + [0x16, 1])
        },
        Damage("the count of documents is wrong", ["photos: the counter says 169 documents, but there are 170"]) {
            try $0.put([0xb5, 1, 0xa9, 1, 1], forKey: CollectionCounters.key(1))
        },
        Damage("the next row is taken", ["photos: the next row is 170, but row 170 is taken"]) {
            try $0.put([0xaa, 1, 0xaa, 1, 1], forKey: CollectionCounters.key(1))
        },
        Damage(
            "the counters are gone",
            [
                "albums: the counter says 0 documents, but there are 20",
                "albums: the next row is 1, but row 20 is taken",
            ]
        ) { try $0.delete(CollectionCounters.key(2)) },
    ]

    /// Unreadable records are problems of the store, not failures of verify.
    static let unreadable: [Damage] = [
        Damage("the counters cannot be read", ["photos: the counters cannot be read"]) {
            try $0.put([0x80], forKey: CollectionCounters.key(1))
        },
        Damage(
            "the statistics cannot be read",
            [
                "photos.text: the text index text is damaged: its structure cannot be read; run verify, then rebuild the index"
            ]
        ) {
            try $0.put([1, 2, 3], forKey: TextIndexKey.structure.prefix(3))
        },
        Damage(
            "an id holds no row",
            ["photos: the document 7 in row 7 is not found by its id", "photos: the id 7 leads to no row"]
        ) { try $0.put([], forKey: StoreKey.id(1, 7)) },
    ]

    static let nameDamages: [Damage] = [
        Damage("the field names are damaged", ["photos: the field names cannot be read", differing], count: 2) {
            try $0.put([2, 1, 0x61], forKey: StoreKey.names(1, from: 0))
        },
        Damage(
            "there are no field names in their record", ["photos: the field names cannot be read", differing], count: 2
        ) {
            try $0.put([0], forKey: StoreKey.names(1, from: 0))
        },
        Damage(
            "a record of field names too many", ["photos: only 1 of 2 records of field names are consistent"], count: 1
        ) { try $0.put([1, 1, 0x61], forKey: StoreKey.names(1, from: 99)) },
    ]

    private static let differing = "photos: a record of field names differs from its copy"

    static let copyDamages: [Damage] = [
        Damage("field names are lost", ["photos: a record of field names is lost, and its copy in use"], count: 1) {
            try $0.delete(StoreKey.names(1, from: 0))
        },
        Damage("the catalog is lost", ["the catalog is lost, and its copy in use"], count: 1) {
            try $0.delete(StoreKey.catalogKey)
        },
        Damage("the copy of the catalog is another one", ["the catalog differs from its copy"], count: 1) {
            try $0.put([0x7b], forKey: StoreKey.copy(of: StoreKey.catalogKey))
        },
        Damage("a copy of something else", ["there is a copy of an unknown record"], count: 1) {
            try $0.put([1], forKey: StoreKey.copy(of: StoreKey.stateKey))
        },
    ]

    @Test func `Names that are not stored are a problem, even if they are in memory`() throws {
        let verification = try Self.verification {
            try $0.delete(StoreKey.names(1, from: 0))
            try $0.delete(StoreKey.copy(of: StoreKey.names(1, from: 0)))
        }
        #expect(verification.problems == ["photos: the field names cannot be read"])
    }

    static let unknownKeys: [Damage] = [
        [0x00], [], [0x20], [0xff], [0xff, 0xff, 0xff], [0x41], [0x5a], StoreKey.documents.prefix(3) + [0x15, 1],
        StoreKey.ids.prefix(9) + [0x15, 1],
        StoreKey.counters.prefix(3), StoreKey.values.prefix(3) + [2, 0x15, 1],
        StoreKey.values.prefix(5) + [2, 0x15, 1], StoreKey.text.prefix(1) + [0x14],
        StoreKey.text.prefix(9) + [0x15, 1, 2, 0], [0x44], [0x56, 0x14], StoreKey.values.prefix(256) + [2],
        StoreKey.progress.prefix(1), StoreKey.migrationProgress("names"), [0x50],
        // After keys that stand alone.
        StoreKey.stateKey + [0],
        StoreKey.catalogKey + [0], StoreKey.catalogKey + [0xff], CollectionCounters.key(1) + [0],
        TextIndexKey.structure.prefix(3) + [0],
        StoreKey.text.prefix(3) + [0x15, 10], StoreKey.text.prefix(3),
    ].map { key in
        Damage("a key \(key)", ["a key of \(key.count) bytes belongs to no collection and no index"]) {
            try $0.put([], forKey: key)
        }
    }

    @Test(arguments: indexDamages + documentDamages + nameDamages + copyDamages + unreadable + unknownKeys)
    func `Verify names each kind of damage`(
        damage: Damage
    )
        throws
    {
        let verification = try Self.verification(after: damage.apply)
        #expect(!verification.isSound)
        for part in damage.problems {
            #expect(verification.problems.contains(part), "\(verification.problems.sorted())")
        }
        #expect(verification.problemCount == damage.count, "\(verification.problems.sorted())")
        #expect(verification.problems.count == damage.count)
        for finding in verification.findings {
            // The description starts with the location as far as it has a name, and every finding has one.
            let place = finding.problem.prefix { $0 != ":" }.split(separator: ".").map(String.init)
            if place.first == "photos" {
                #expect(finding.collection == "photos", "\(finding)")
                #expect(finding.index == (place.count > 1 ? place[1] : nil), "\(finding)")
            }
            if finding.problem.contains(/the document (?!count|or word count)/) {
                #expect(finding.documentID != nil || finding.row != nil, "\(finding)")
                #expect(finding.key != nil, "\(finding)")
            }
        }
    }

    private static func verification(after damage: (Database) throws -> Void) throws -> Verification {
        let pairs = try #require(Self.pairs)
        return try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            try database.write { batch in
                for pair in pairs { try batch.put(pair.value, forKey: pair.key) }
            }
            let store = try DocumentStore.open(on: database)
            try damage(database)
            let verification = try store.verify()
            try store.close()
            return verification
        }
    }

    @Test func `An undamaged store has no problems, and everything in it was read`() throws {
        let verification = try Self.verification { _ in }
        #expect(verification.problems.isEmpty)
        #expect(verification.isSound)
        #expect(verification.documentCount == 190)
        // One for each year, two for each pair of tags, four words, and one for each album.
        #expect(verification.entryCount == 170 + 340 + 170 * 4 + 20)
    }

    @Test func `An empty store is sound`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let verification = try store.verify()
            #expect(verification == Verification(limit: Verification.problemLimit))
        }
    }

    @Test func `Problems are described up to a limit, but all are counted`() throws {
        let verification = try Self.verification { database in
            for pair in try allPairs(in: database) where pair.key.starts(with: Self.year) {
                try database.delete(pair.key)
            }
        }
        #expect(verification.problemCount == 170)
        #expect(verification.problems.count == Verification.problemLimit)
    }

    @Test func `No problem description reveals document content`() throws {
        let verification = try Self.verification { database in
            for pair in try allPairs(in: database) where pair.key.first == StoreKey.text.rawValue {
                try database.delete(pair.key)
            }
        }
        #expect(verification.problems.allSatisfy { !$0.contains("fog") && !$0.contains("over") })
    }

    @Test func `Any lost or changed key is detected`() throws {
        var random = TestRun.random(stream: 30)
        let pairs = try #require(Self.pairs)
        for _ in 0..<TestRun.rounds(40, long: 3000) {
            var pair = random.pick(pairs)
            // Without the catalog it is not a store.
            if pair.key == StoreKey.catalogKey { continue }
            let isLost = random.once(in: 2) || pair.value.isEmpty
            let verification = try Self.verification { database in
                if isLost {
                    try database.delete(pair.key)
                } else {
                    let position = random.number(below: pair.value.count)
                    pair.value[position] ^= UInt8(1 << random.number(below: 8))
                    try database.put(pair.value, forKey: pair.key)
                }
            }
            // Three changes may be undetectable: an unindexed member of a document, a larger next row, which skips
            // rows, and a later last commit, which skips commits. So is the loss of a copy: stores of earlier versions
            // have none.
            let mayBeSound: Set = [
                StoreKey.documents.rawValue, StoreKey.counters.rawValue, StoreKey.state.rawValue,
            ]
            if isLost ? pair.key[0] != StoreKey.copies.rawValue : !mayBeSound.contains(pair.key[0]) {
                #expect(!verification.isSound, "\(pair.key) lost: \(isLost), \(TestRun.repetition)")
            }
        }
    }

    @Test func `Every changed copy is detected, and a rebuild adds a lost one`() throws {
        let copies = try #require(Self.pairs).filter { $0.key.first == StoreKey.copies.rawValue }
        #expect(copies.count == 3)
        for copy in copies {
            let changed = try Self.verification { try $0.put(copy.value.dropLast() + [0xff], forKey: copy.key) }
            #expect(changed.problemCount == 1, "\(copy.key): \(changed.problems)")
            try withTemporaryStore(schema: Self.schema) { store in
                try store.collection("photos").put(["id": 1, "title": "fog"])
                try store.collection("albums").put(["name": "a"])
                try store.database.delete(copy.key)
                #expect(try store.verify().isSound)
                try store.rebuild()
                #expect(try store.database.value(forKey: copy.key) != nil, "\(copy.key)")
            }
        }
    }

    @Test func `Verify shows a single point in time while others write`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let writing = DispatchGroup()
            DispatchQueue.global().async(group: writing) {
                do {
                    for round in 0..<200 {
                        try store.write { transaction in
                            for id in 0..<3 {
                                let title = DocumentValue.string("fog \(round)")
                                try transaction.put(
                                    ["id": .int(Int64(id + round)), "title": title, "year": .int(Int64(round))],
                                    in: "photos")
                            }
                            _ = try transaction.delete(.int(Int64(round - 3)), in: "photos")
                        }
                    }
                } catch { Issue.record(error) }
            }
            repeat { try expectSound(store) } while writing.wait(timeout: .now()) == .timedOut
        }
    }
}
