import LevelKit
import TestSupport
import Testing

@testable import DocIndex
@testable import TextIndexing

/// One kind of damage at a time in a store of thousands of documents: verify names exactly what is wrong, a rebuild
/// fixes it, and the documents are unchanged.
@Suite struct DamageTests {
    static let schema = Schema(collections: [
        CollectionDefinition(
            "photos",
            indexes: [
                .value("year", on: "year", cover: ["rating"], counts: true), .value("tags", on: "tags[]"),
                .text("text", on: "title"), .geo("place", on: "gps"),
            ])
    ])

    /// Documents stored in ten commits; the eleventh deletes the last hundredth of them.
    private static let count = TestRun.rounds(2000, long: 10_000)
    private static let deleted = count / 100
    private static let left = count - deleted

    private static func makeStore(at path: String) throws {
        let store = try DocumentStore.open(at: path, schema: schema)
        for commit in 0..<10 {
            try store.write { transaction in
                for number in commit * count / 10..<(commit + 1) * count / 10 {
                    let id = Int64(number + 1)
                    try transaction.put(
                        [
                            "id": .int(id), "year": .int(1900 + id % 100), "rating": .int(id % 5),
                            "tags": ["all", .string("t\(id % 10)")], "title": .string("fog over w\(id % 7)"),
                            "gps": ["lat": .double(Double(id % 90)), "lon": .double(Double(id % 180))],
                        ], in: "photos")
                }
            }
        }
        try store.write { transaction in
            for id in left..<count { try transaction.delete(.int(Int64(id + 1)), in: "photos") }
        }
        try store.close()
    }

    private struct Damage: Sendable {
        let name: String
        let problems: [String]
        /// The number of problems, if not all of them are described.
        var problemCount: Int?
        /// The number of repairs that a rebuild reports, not counting index entries.
        let repairs: Int
        /// Whether the change feed loses deletions.
        var losesDeletion = false
        let apply: @Sendable (Database) throws -> Void
    }

    // Row 1234 was stored by commit 7 of 2,000 documents, and by commit 2 of 10,000.
    private static let row: UInt64 = 1234
    private static let commit = UInt64(1233 / (count / 10) + 1)
    private static let rowBytes: [UInt8] = [0x16, 0x04, 0xd2]
    private static let year = StoreKey.values.prefix(1) + OrderedValue.encoded(1934)
    private static let changeKey = StoreKey.change(commit, collection: 1, row: row)

    private static func encoded(_ numbers: UInt64...) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in numbers { Varint.append(number, to: &bytes) }
        return bytes
    }

    private static let missingEntry = "photos.year: an entry of the document 1234 is missing"
    private static let surplusEntry = "photos.year: an entry belongs to no document"
    private static let wrongCount = "photos.year: a counter of a value is wrong"
    private static let notNamed = "photos: the document 1234 in row 1234 is not found by its id"

    private static let indexDamages: [Damage] = [
        Damage(name: "an entry is gone", problems: [missingEntry, wrongCount], repairs: 0) {
            try $0.delete(year + rowBytes)
        },
        Damage(name: "an entry too many", problems: [surplusEntry, wrongCount], repairs: 0) {
            try $0.put([], forKey: year + [0x15, 1])
        },
        Damage(
            name: "the entry of an element is gone",
            problems: ["photos.tags: an entry of the document 1234 is missing"], repairs: 0
        ) { try $0.delete(StoreKey.values.prefix(2) + OrderedValue.encoded("t4") + rowBytes) },
        Damage(
            name: "a covered value is wrong", problems: ["photos.year: an entry does not match the document 1234"],
            repairs: 0
        ) {
            try $0.put(CoveredValues.encode(["rating"], of: ["rating": 3]), forKey: year + rowBytes)
        },
        Damage(
            name: "a location is wrong", problems: ["photos.place: an entry does not match the document 1234"],
            repairs: 0
        ) {
            var cursor = try $0.cursor(in: .prefix(StoreKey.values.prefix(4)))
            while try cursor.advance() {
                guard cursor.key.copied().suffix(3) == rowBytes[...] else { continue }
                var location = cursor.value.copied()
                location[7] ^= 1
                return try $0.put(location, forKey: cursor.key.copied())
            }
        },
        Damage(name: "a counter of a value is wrong", problems: [wrongCount], repairs: 0) {
            try $0.put([1], forKey: StoreKey.valueCounts.prefix(1) + OrderedValue.encoded(1934))
        },
        Damage(name: "a counter of a value is gone", problems: [wrongCount], repairs: 0) {
            try $0.delete(StoreKey.valueCounts.prefix(1) + OrderedValue.encoded(1934))
        },
        Damage(
            name: "a counter of a value that none has",
            problems: ["photos.year: a counter exists for a value without entries"], repairs: 0
        ) { try $0.put([1], forKey: StoreKey.valueCounts.prefix(1) + OrderedValue.encoded(1850)) },
        Damage(
            name: "a statistic is wrong",
            problems: ["photos.text: the document or word count of the index is wrong"], repairs: 0
        ) { try VerifyTests.changeStructure($0) { $0.statistics.words += 1 } },
        Damage(
            name: "the number of words of a document is wrong",
            problems: ["photos.text: the document 1234 is in the index with a different number of words"], repairs: 0
        ) {
            let key = TextIndexKey.slots.key(3, row)
            let slot = try VerifyTests.numbers(key, in: $0)
            try $0.put(encoded(slot[0], slot[1] + 1), forKey: key)
        },
    ]

    private static let recordDamages: [Damage] = [
        Damage(
            name: "the count of documents is wrong",
            problems: ["photos: the counter says 7 documents, but there are \(left)"], repairs: 1
        ) { try $0.put(encoded(UInt64(count + 1), 7, 7), forKey: CollectionCounters.key(1)) },
        Damage(
            name: "the next row is taken",
            problems: ["photos: the next row is \(left), but row \(left) is taken"], repairs: 1
        ) { try $0.put(encoded(UInt64(left), UInt64(left), 7), forKey: CollectionCounters.key(1)) },
        Damage(name: "the counters are garbage", problems: ["photos: the counters cannot be read"], repairs: 1) {
            try $0.put([0x80], forKey: CollectionCounters.key(1))
        },
        Damage(
            name: "an id is gone",
            problems: [notNamed, "photos: there are \(left - 1) ids for \(left) documents"], repairs: 1
        ) { try $0.delete(StoreKey.id(1, 1234)) },
        Damage(name: "an id leads to the row of another", problems: [notNamed], repairs: 1) {
            try $0.put(encoded(1235), forKey: StoreKey.id(1, 1234))
        },
        Damage(
            name: "an id is garbage", problems: [notNamed, "photos: the id 1234 leads to no row"], repairs: 1
        ) { try $0.put([0, 0x80], forKey: StoreKey.id(1, 1234)) },
        Damage(name: "the key of an id is garbage", problems: ["photos: an id cannot be read"], repairs: 1) {
            try $0.put(encoded(1234), forKey: StoreKey.ids.prefix(1) + [0xff])
        },
        Damage(
            name: "an id of a deleted document leads to its row",
            problems: [
                "photos: the id \(count) leads to row \(count), which holds no document",
                "photos: there are \(left + 1) ids for \(left) documents",
                "the feed has \(count) changes instead of \(count - 1), one for each document and deletion",
            ], repairs: 2, losesDeletion: true
        ) { try $0.put(encoded(UInt64(count)), forKey: StoreKey.id(1, .int(Int64(count)))) },
        Damage(
            name: "the record of a deletion is gone",
            problems: ["the feed has \(count) changes instead of \(count - 1), one for each document and deletion"],
            repairs: 1, losesDeletion: true
        ) { try $0.delete(StoreKey.id(1, .int(Int64(count)))) },
        Damage(
            name: "the record of a deletion is of another commit",
            problems: ["photos: the deletion of the document \(count) in commit 10 is missing from the feed"],
            repairs: 2, losesDeletion: true
        ) {
            try $0.put(encoded(0, 10, UInt64(count)), forKey: StoreKey.id(1, .int(Int64(count))))
        },
    ]

    private static let feedDamages: [Damage] = [
        Damage(
            name: "a change is gone",
            problems: [
                "photos: the last change of the document 1234 in commit \(commit) is missing from the feed",
                "the feed has \(count - 1) changes instead of \(count), one for each document and deletion",
            ], repairs: 1
        ) { try $0.delete(changeKey) },
        Damage(
            name: "a document is listed twice",
            problems: ["the feed has \(count + 1) changes instead of \(count), one for each document and deletion"],
            repairs: 1
        ) {
            try $0.put([0] + DocumentID.int(1234).encoded, forKey: StoreKey.change(9, collection: 1, row: row))
        },
        Damage(
            name: "a change says another thing",
            problems: ["photos: the last change of the document 1234 in commit \(commit) is wrong in the feed"],
            repairs: 1
        ) { try $0.put([1] + DocumentID.int(1234).encoded, forKey: changeKey) },
        Damage(
            name: "a change is garbage",
            problems: [
                "photos: the last change of the document 1234 in commit \(commit) is wrong in the feed",
                "a change cannot be read",
            ], repairs: 1
        ) { try $0.put([7], forKey: changeKey) },
        Damage(
            name: "the key of a change is garbage",
            problems: [
                "a change cannot be read",
                "the feed has \(count + 1) changes instead of \(count), one for each document and deletion",
            ], repairs: 1
        ) { try $0.put([], forKey: [StoreKey.changes.rawValue, 0xff]) },
        Damage(
            name: "the last commit is an earlier one",
            problems: ["the newest change is from commit 11, but the last commit is 10"], repairs: 1
        ) { try $0.put(encoded(10), forKey: StoreKey.stateKey) },
        Damage(
            name: "the last commit is garbage", problems: ["the sequence number of the last commit cannot be read"],
            repairs: 1
        ) { try $0.put([0x80], forKey: StoreKey.stateKey) },
        Damage(
            name: "the last commit is one that no store reaches",
            problems: ["the last commit number \(UInt64.max) exceeds the maximum"], repairs: 1
        ) { try $0.put(encoded(.max), forKey: StoreKey.stateKey) },
    ]

    /// Damages copies of one store, one after another.
    private func check(_ damages: [Damage]) throws {
        try withTemporaryDirectory { directory in
            let whole = directory + "/whole"
            try Self.makeStore(at: whole)
            let original = try DocumentStore.open(at: whole)
            let content = try StoreContent(of: original)
            let changes = try original.changes(since: 0)
            try expectSound(original)
            try original.close()
            for damage in damages {
                let path = directory + "/copy"
                try TestFiles.copy(whole, to: path)
                try check(damage, at: path, content: content, changes: changes)
                try TestFiles.remove(path)
            }
        }
    }

    private func check(
        _ damage: Damage, at path: String, content: StoreContent, changes: [StoreChange]
    ) throws {
        let comment = Comment(rawValue: damage.name)
        let database = try Database.open(at: path)
        try damage.apply(database)
        let store = try DocumentStore.open(on: database)
        let verification = try store.verify()
        #expect(verification.problems.sorted() == damage.problems.sorted(), comment)
        #expect(verification.problemCount == damage.problemCount ?? damage.problems.count, comment)
        let report = try store.rebuild()
        #expect(report.repairCount == damage.repairs, comment)
        #expect(report.documentCount == Self.left, comment)
        #expect(report.shadowedRows.isEmpty && report.unreadableRows.isEmpty, comment)
        let after = try store.verify()
        #expect(after.problems == [], comment)
        #expect(after.isSound, comment)
        #expect(try StoreContent(of: store) == content, comment)
        if damage.losesDeletion {
            // All other changes are present.
            let left = Set(try store.changes(since: 0)).symmetricDifference(changes)
            #expect(left.allSatisfy { $0.id == .int(Int64(Self.count)) && $0.isDeletion }, comment)
        } else {
            #expect(try store.changes(since: 0) == changes, comment)
        }
        // The commit numbers continue.
        #expect(try store.sequence() == 11, comment)
        try store.collection("photos").put(["id": "new", "year": 1934])
        #expect(try store.collection("photos").document("new")?.sequence == 12, comment)
        let found = try store.collection("photos").count(where: .init(parsing: "year = 1934"))
        #expect(found == (1...Self.left).count { $0 % 100 == 34 } + 1, comment)
        #expect(try store.collection("photos").entryCount(of: [1934], in: "year") == found, comment)
        try store.close()
        let again = try DocumentStore.open(at: path)
        try expectSound(again)
        try again.close()
    }

    @Test func `Damaged index entries, counters and statistics are named, and fixed by a rebuild`() throws {
        try check(Self.indexDamages)
    }

    @Test func `Damaged counters and IDs are named, and fixed by a rebuild`() throws {
        try check(Self.recordDamages)
    }

    @Test func `Damage of the change feed is named, and fixed by a rebuild`() throws {
        try check(Self.feedDamages)
    }

    @Test func `Damaged member names are fixed while the store is open, and rejected at opening`() throws {
        let damages: [([String], (Database) throws -> Void)] = [
            (
                ["photos: a record of field names differs from its copy", "photos: the field names cannot be read"],
                { try $0.put([2, 1], forKey: StoreKey.names(1, from: 0)) }
            ),
            (
                ["photos: a record of field names is lost, and its copy in use"],
                { try $0.delete(StoreKey.names(1, from: 0)) }
            ),
            (
                ["photos: only 2 of 3 records of field names are consistent"],
                { try $0.put([1, 1, 0x61], forKey: StoreKey.names(1, from: 99)) }
            ),
        ]
        for (problems, damage) in damages {
            try withTemporaryDirectory { directory in
                let database = try Database.open(at: directory + "/s")
                let store = try DocumentStore.open(on: database, schema: Self.schema)
                let photos = try store.collection("photos")
                try photos.put(["id": 1, "year": 1930, "title": "fog"])
                try photos.put(["id": 2, "rating": 5])
                let content = try StoreContent(of: store)
                try damage(database)
                let verification = try store.verify()
                #expect(verification.problems == problems)
                // Readers already know the names.
                #expect(try StoreContent(of: store) == content)
                let report = try store.rebuild()
                #expect(report.repairCount > 0)
                try expectSound(store)
                try photos.put(["id": 3, "another": true])
                try store.close()
                let again = try DocumentStore.open(at: directory + "/s")
                try expectSound(again)
                #expect(try again.collection("photos").document(2)?.content == ["id": 2, "rating": 5])
                try again.close()
            }
        }
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            try store.collection("photos").put(["id": 1])
            try store.close()
            let database = try Database.open(at: directory + "/s")
            try database.put([2, 1], forKey: StoreKey.names(1, from: 0))
            expectFailure(.corruption, containing: "field names", "photos", "backup") {
                try DocumentStore.open(on: database)
            }
            try database.close()
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64], [1, 2, 3] as [UInt64])
    func `A rebuild keeps the last of several documents with one ID and gives the others new IDs`(
        named: UInt64, last: UInt64
    )
        throws
    {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(
                on: database, schema: Schema(collections: [CollectionDefinition("photos")]))
            let photos = try store.collection("photos")
            for id in 1...3 { try photos.put(["id": .int(Int64(id))]) }
            // All three rows contain document 1, and one of them was written by the last commit.
            let body = try #require(try database.value(forKey: StoreKey.document(1, row: 1))).dropFirst()
            for row in 1...3 as ClosedRange<UInt64> {
                try database.put([row == last ? 3 : 1] + body, forKey: StoreKey.document(1, row: row))
            }
            try database.put(Self.encoded(named), forKey: StoreKey.id(1, 1))
            let report = try store.rebuild()
            let shadowed = (1...3 as ClosedRange<UInt64>).filter { $0 != last }.map { "photos row \($0)" }
            #expect(Set(report.shadowedRows) == Set(shadowed))
            #expect(report.shadowedRows.count == 2)
            #expect(try photos.count() == 3)
            #expect(try photos.document(1)?.sequence == 3)
            #expect(try database.value(forKey: StoreKey.id(1, 1)) == Self.encoded(last))
            #expect(try photos.document(2) == nil)
            for row in 1...3 as ClosedRange<UInt64> where row != last {
                let recovered = try #require(try photos.document(.string("1 recovered from row \(row)")))
                #expect(recovered.sequence > 3)
            }
            // The change feed reports them.
            #expect(try store.changes(since: 0).map(\.sequence) == [3, 4, 5])
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `A last commit with the highest possible number is corruption, not a trap`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            try DocumentStore.open(on: database, schema: Self.schema).close()
            let damaged = try Database.open(at: directory + "/s")
            try damaged.put(Self.encoded(.max), forKey: StoreKey.stateKey)
            let store = try DocumentStore.open(on: damaged)
            expectFailure(.corruption) { try store.collection("photos").put(["id": 1]) }
            try store.close()
        }
    }

    @Test func `A rebuild sets unreadable records aside, and the store is sound again`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: Self.schema)
            let photos = try store.collection("photos")
            for id in 1...3 { try photos.put(["id": .int(Int64(id)), "year": 1930]) }
            let unreadable = StoreKey.document(1, row: 2)
            let keyless = StoreKey.documents.prefix(1) + [0xff]
            try database.put([1, 0xee, 0xee], forKey: unreadable)
            try database.put([1, 2, 3], forKey: keyless)
            let report = try store.rebuild()
            #expect(report.unreadableRows == ["photos row 2", "photos: a key that cannot be read"])
            try expectSound(store)
            #expect(try photos.count(where: .init(parsing: "year = 1930")) == 2)
            #expect(try database.value(forKey: [StoreKey.setAside.rawValue] + unreadable) == [1, 0xee, 0xee])
            #expect(try database.value(forKey: [StoreKey.setAside.rawValue] + keyless) == [1, 2, 3])
            let again = try store.rebuild()
            #expect(again.repairCount == 0 && again.unreadableRows.isEmpty)
            try store.close()
        }
    }

    @Test func `A store that has lost its catalog and its member names reads their copies until a rebuild`() throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            try store.collection("photos").put(["id": 1, "year": 1930])
            try store.collection("photos").put(["id": 2, "rating": 5])
            let content = try StoreContent(of: store)
            try store.close()
            let database = try Database.open(at: directory + "/s")
            for key in [StoreKey.catalogKey, StoreKey.names(1, from: 0), StoreKey.names(1, from: 2)] {
                try database.delete(key)
            }
            try database.close()
            for mode in [Database.Mode.readOnly, .readWrite] {
                let damaged = try DocumentStore.open(at: directory + "/s", mode: mode)
                #expect(try StoreContent(of: damaged) == content)
                #expect(try damaged.verify().problemCount == 3)
                if mode == .readWrite {
                    let report = try damaged.rebuild()
                    #expect(report.repairCount > 0 && report.unreadableRows.isEmpty)
                    #expect(try damaged.rebuild().repairCount == 0)
                    try expectSound(damaged)
                }
                try damaged.close()
            }
        }
    }

    @Test(arguments: [[StoreKey.names(1, from: 0), CollectionCounters.key(1)], [StoreKey.names(1, from: 2)]])
    func `Member names are read from their copies whatever the counters say`(lost: [[UInt8]]) throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            let photos = try store.collection("photos")
            try photos.put(["id": 1, "year": 1930])
            let early = try #require(try store.database.value(forKey: CollectionCounters.key(1)))
            try photos.put(["id": 2, "rating": 5])
            let expected = try [1, 2].map { try photos.document($0)?.content }
            try store.close()
            let database = try Database.open(at: directory + "/s")
            // As after a restored table file: the counters of an earlier state.
            try database.put(early, forKey: CollectionCounters.key(1))
            for key in lost { try database.delete(key) }
            try database.close()
            let damaged = try DocumentStore.open(at: directory + "/s")
            #expect(try [1, 2].map { try damaged.collection("photos").document($0)?.content } == expected)
            let report = try damaged.rebuild()
            #expect(report.repairCount > 0 && report.unreadableRows.isEmpty)
            try expectSound(damaged)
            #expect(try [1, 2].map { try damaged.collection("photos").document($0)?.content } == expected)
            try damaged.close()
        }
    }

    @Test func `A gap in the member names is found without counters`() throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            for member in ["year", "rating", "title"] { try store.collection("photos").put(["id": 1, "\(member)": 1]) }
            try store.close()
            let database = try Database.open(at: directory + "/s")
            let gap = StoreKey.names(1, from: 2)
            for key in [CollectionCounters.key(1), gap, StoreKey.copy(of: gap)] { try database.delete(key) }
            expectFailure(.corruption, containing: "field names", "photos") { try DocumentStore.open(on: database) }
            // The same if only a copy shows that there were more.
            try database.delete(StoreKey.names(1, from: 3))
            expectFailure(.corruption, containing: "field names", "photos") { try DocumentStore.open(on: database) }
            try database.close()
        }
    }

    @Test func `A store that has lost member names and their copy is not opened`() throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            try store.collection("photos").put(["id": 1, "year": 1930])
            try store.collection("photos").put(["id": 2, "rating": 5])
            try store.close()
            let database = try Database.open(at: directory + "/s")
            // The last record: the table before it is complete in itself, and would assign 2 to the next name again.
            try database.delete(StoreKey.names(1, from: 2))
            try database.delete(StoreKey.copy(of: StoreKey.names(1, from: 2)))
            expectFailure(.corruption, containing: "field names", "photos", "backup") {
                try DocumentStore.open(on: database)
            }
            try database.close()
        }
    }

    @Test func `Records with the largest possible numbers do not trap a rebuild`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: Self.schema)
            try store.collection("photos").put(["id": 1])
            let record = try #require(try database.value(forKey: StoreKey.document(1, row: 1)))
            try database.put(record, forKey: StoreKey.document(1, row: .max))
            try database.put(Self.encoded(0, .max, .max), forKey: StoreKey.id(1, "gone"))
            let verification = try store.verify()
            #expect(!verification.isSound)
            try store.rebuild()
            let document = try store.collection("photos").document(1)
            #expect(document?.content == ["id": 1])
            try store.collection("photos").put(["id": 2])
            try store.close()
        }
    }

    @Test func `An unreadable build progress record is a problem of the store, not a failure of verify`()
        throws
    {
        struct Stop: Error {}
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(
                on: database, schema: Schema(collections: [CollectionDefinition("photos")]))
            try store.write { transaction in
                for id in 0..<600 { try transaction.put(["id": .int(Int64(id)), "year": 1], in: "photos") }
            }
            let schema = Schema(collections: [CollectionDefinition("photos", indexes: [.value("year", on: "year")])])
            #expect(throws: Stop.self) { try store.apply(schema) { _ in throw Stop() } }
            try expectSound(store)
            try database.put([0x80], forKey: StoreKey.progress.prefix(1))
            let verification = try store.verify()
            #expect(verification.problems.contains("photos.year: the build progress of the index is unreadable"))
            try store.rebuild()
            try expectSound(store)
            #expect(try store.collection("photos").count(where: .init(parsing: "year = 1")) == 600)
            try store.close()
        }
    }
}
