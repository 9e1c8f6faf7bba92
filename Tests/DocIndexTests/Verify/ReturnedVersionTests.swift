import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Stores in which LevelDB 1.23 has brought back old versions of keys: a rebuild restores them.
@Suite struct ReturnedVersionTests {
    /// Creates a store with some changed and some deleted documents, and the database as it was before.
    private static func withStore(
        _ body: (_ database: Database, _ store: DocumentStore, _ old: Database) throws -> Void
    ) throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: DamageTests.schema)
            try put(1...40, rating: 1, title: "fog over the bridge", in: store)
            try database.checkpoint(to: directory + "/old")
            try put(11...20, rating: 5, title: "snow on the hill", in: store)
            try store.write { for id in 31...40 { try $0.delete(.int(Int64(id)), in: "photos") } }
            let old = try Database.open(at: directory + "/old")
            try body(database, store, old)
            try old.close()
            let verification = try store.verify()
            #expect(verification.problems == [])
            try store.close()
            let again = try DocumentStore.open(at: directory + "/s")
            #expect(try again.verify().isSound)
            try again.close()
        }
    }

    private static func put(_ ids: ClosedRange<Int>, rating: Int64, title: String, in store: DocumentStore) throws {
        try store.write { transaction in
            for id in ids {
                try transaction.put(
                    [
                        "id": .int(Int64(id)), "year": .int(1900 + rating), "rating": .int(rating),
                        "title": .string(title),
                    ],
                    in: "photos")
            }
        }
    }

    /// Restores the earlier values of keys with a prefix, including those deleted since.
    private static func bringBack(_ prefix: [UInt8], from old: Database, to database: Database) throws -> Int {
        var count = 0
        var cursor = try old.cursor(in: .prefix(prefix))
        while try cursor.advance() {
            let value = cursor.value.copied()
            if try database.value(forKey: cursor.key.copied()) == value { continue }
            try database.put(value, forKey: cursor.key.copied())
            count += 1
        }
        return count
    }

    @Test func `A rebuild removes resurrected entries, counts, words and sums, and results are correct`()
        throws
    {
        let prefixes: [[UInt8]] = [
            StoreKey.values.prefix(1), StoreKey.valueCounts.prefix(1), StoreKey.text.prefix(3),
            CollectionCounters.key(1), StoreKey.ids.prefix(1), [StoreKey.changes.rawValue],
        ]
        for prefix in prefixes {
            try Self.withStore { database, store, old in
                let count = try Self.bringBack(prefix, from: old, to: database)
                #expect(count > 0, "\(prefix)")
                #expect(try store.verify().isSound == false, "\(prefix)")
                let report = try store.rebuild()
                #expect(report.documentCount == 30, "\(prefix)")
                #expect(report.unreadableRows.isEmpty && report.shadowedRows.isEmpty, "\(prefix)")
                let photos = try store.collection("photos")
                #expect(try photos.count() == 30, "\(prefix)")
                #expect(try photos.count(where: .init(parsing: "year = 1905")) == 10, "\(prefix)")
                #expect(try photos.count(where: .init(parsing: "year = 1901")) == 20, "\(prefix)")
                #expect(try photos.count(matching: TextQuery(parsing: "snow")) == 10, "\(prefix)")
                #expect(try photos.count(matching: TextQuery(parsing: "fog")) == 20, "\(prefix)")
            }
        }
    }

    @Test func `An outdated version of a document is kept, and the rebuild names it`() throws {
        try Self.withStore { database, store, old in
            let key = StoreKey.document(1, row: 12)
            try database.put(try #require(try old.value(forKey: key)), forKey: key)
            #expect(try store.verify().isSound == false)
            let report = try store.rebuild()
            #expect(report.outdatedRows == ["photos row 12"] && report.returnedRows == [])
            #expect(try store.collection("photos").document(12)?.content["rating"] == 1)
            #expect(try store.collection("photos").count(where: .init(parsing: "year = 1905")) == 9)
        }
    }

    @Test func `A resurrected document is deleted again by a rebuild`() throws {
        try Self.withStore { database, store, old in
            // With its ID and its change, and without them.
            let keys = [
                StoreKey.document(1, row: 35), StoreKey.document(1, row: 36), StoreKey.id(1, 36),
            ]
            for key in keys { try database.put(try #require(try old.value(forKey: key)), forKey: key) }
            #expect(try store.verify().isSound == false)
            let report = try store.rebuild()
            #expect(report.returnedRows.sorted() == ["photos row 35", "photos row 36"] && report.outdatedRows == [])
            #expect(try store.collection("photos").document(35) == nil)
            #expect(try store.collection("photos").document(36) == nil)
            #expect(try store.collection("photos").count() == 30)
            #expect(try store.changes(since: 0).filter(\.isDeletion).count == 10)
        }
    }

    @Test func `Entries of an index in no catalog are removed, and other unknown keys are set aside`()
        throws
    {
        try Self.withStore { database, store, _ in
            try database.put([], forKey: StoreKey.values.prefix(77) + [0x15, 1, 0x15, 1])
            try database.put([9], forKey: StoreKey.document(55, row: 1))
            #expect(try store.verify().problemCount == 2)
            let report = try store.rebuild()
            #expect(report.unknownKeyCount == 2)
            let kept = [StoreKey.setAside.rawValue] + StoreKey.document(55, row: 1)
            #expect(try database.value(forKey: kept) == [9])
        }
    }
}
