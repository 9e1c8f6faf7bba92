import LevelKit
import Testing

@Suite struct KeyspaceCatalogTests {
    private static let byDate = KeySchema(
        "byDate", KeyComponent<Int64>("taken", .descending), KeyComponent<String>("id"))

    @Test func `A keyspace exists after reopening, with the same keys`() throws {
        try withDatabasePath { path in
            var database = try Database.open(at: path)
            try database.keyspace("other", key: Int.self, value: .empty).insert(1)
            try database.keyspace(Self.byDate, value: .text).put("x", forKey: (7, "a"))
            try database.close()
            database = try Database.open(at: path)
            let keyspace = try database.keyspace(Self.byDate, value: .text)
            #expect(try keyspace.entries().map(\.value) == ["x"])
            #expect(
                try database.keyspaces().map(\.description) == [
                    "byDate: byDate v1 (taken: int64 descending, id: string) → text v1",
                    "other: key v1 (key: int64) → empty v1",
                ])
            #expect(keyspace.description == (try database.keyspaces()[0]))
            try database.close()
        }
    }

    @Test func `Another schema or codec is rejected, and the message names both`() throws {
        try withDatabasePath { path in
            let database = try Database.open(at: path)
            _ = try database.keyspace(Self.byDate, value: .text)
            try database.close()
            let reopened = try Database.open(at: path)
            let ascending = KeySchema("byDate", KeyComponent<Int64>("taken"), KeyComponent<String>("id"))
            let error = try levelError { _ = try reopened.keyspace(ascending, value: .text) }
            #expect(error.code == .schemaMismatch)
            #expect(
                error.message
                    == "could not open the keyspace byDate of \(reopened.path): its keys are \(Self.byDate.definition) "
                    + "[\(Self.byDate.fingerprint)], but were given as \(ascending.definition) [\(ascending.fingerprint)]. "
                    + "Open it as recorded, or copy its entries to another keyspace")
            let codec = try levelError { _ = try reopened.keyspace(Self.byDate, value: .bytes) }
            #expect(codec.code == .schemaMismatch)
            #expect(codec.message.contains("its values are text v1, but were given as bytes v1"))
            #expect(!codec.message.contains("its keys are"))
            let version = KeySchema(
                "byDate", version: 2, KeyComponent<Int64>("taken", .descending), KeyComponent<String>("id"))
            #expect(try levelError { _ = try reopened.keyspace(version, value: .text) }.code == .schemaMismatch)
            _ = try reopened.keyspace("ratings", key: String.self, value: .json(Rating.self))
            let newer = try levelError {
                _ = try reopened.keyspace("ratings", key: String.self, value: .json(Rating.self, version: 2))
            }
            #expect(newer.message.contains("its values are json v1, but were given as json v2"))
            // None of this has changed the catalog records.
            #expect(try reopened.keyspaces().map(\.name) == ["byDate", "ratings"])
            _ = try reopened.keyspace(Self.byDate, value: .text)
            try reopened.close()
        }
    }

    @Test func `The bytes of keyspace catalog records are stable`() throws {
        let database = try Database.temporary()
        let keyspace = try database.keyspace("k", key: Int.self, value: .bytes)
        try keyspace.put([9], forKey: 1)
        var entries: [[UInt8]: [UInt8]] = [:]
        var cursor = try database.cursor()
        while try cursor.advance() { entries[cursor.key.copied()] = cursor.value.copied() }
        let bits = keyspace.schema.fingerprint.bits
        let fingerprint = (0..<8).map { index -> UInt8 in UInt8(truncatingIfNeeded: bits >> (56 - 8 * index)) }
        let record = Tuple(["key v1 (key: int64)", .bytes(fingerprint), "bytes", 1, 1])
        let expected: [[UInt8]: [UInt8]] = [
            [0xfe, 0x4b, 0x53, 0x00]: [0x15, 0x01, 0x15, 0x02],
            [0xfe, 0x4b, 0x53, 0x02, 0x6b, 0x00]: record.packed(),
            [0xfe, 0x4b, 0x53, 0x15, 0x01, 0x15, 0x01]: [9],
        ]
        #expect(entries == expected)
    }

    @Test func `Nothing is written before the first keyspace, whose keys follow tuples and strings`() throws {
        let database = try Database.temporary()
        #expect(try database.keyspaces().isEmpty)
        #expect(try database.count() == 0)
        let keyspace = try database.keyspace("k", key: Int.self, value: .empty)
        var generator = TupleGenerator(seed: TupleTestPlan.seed)
        for _ in 0..<1000 {
            let tuple = generator.tuple().packed()
            let text = Array(generator.string().utf8)
            for key in [tuple, text] { #expect(key.lexicographicallyPrecedes(keyspace.subspace.prefix)) }
        }
    }

    @Test func `Existing keys in the catalog's range are neither overwritten nor read as records`() throws {
        for key in [[0xfe, 0x4b, 0x53], [0xfe, 0x4b, 0x53, 0x15, 1], [0xfe, 0x4b, 0x53, 0xff]] as [[UInt8]] {
            let database = try Database.temporary()
            try database.put([1], forKey: key)
            let error = try levelError { _ = try database.keyspace("k", key: Int.self, value: .empty) }
            #expect(error.code == .schemaMismatch)
            #expect(error.message.contains("other keys"))
            #expect(try levelError { _ = try database.keyspaces() }.code == .schemaMismatch)
            #expect(try database.count() == 1)
        }
        let neighbours = try Database.temporary()
        try neighbours.put([1], forKey: [0xfe, 0x4b, 0x52, 0xff])
        try neighbours.put([1], forKey: [0xfe, 0x4b, 0x54])
        #expect(try neighbours.keyspace("k", key: Int.self, value: .empty).count() == 0)
    }

    @Test func `Damaged catalog records, and records of later versions, are errors`() throws {
        let header: [UInt8] = [0xfe, 0x4b, 0x53, 0x00]
        let record: [UInt8] = [0xfe, 0x4b, 0x53, 0x02, 0x6b, 0x00]
        let good = Tuple(["key v1 (key: int64)", .bytes([]), "empty", 1, 1]).packed()
        let cases: [(key: [UInt8], value: [UInt8], code: LevelError.Code)] = [
            (header, Tuple([2, 1]).packed(), .notSupported), (header, [], .corruption), (header, [0x99], .corruption),
            (header, Tuple([1]).packed(), .corruption), (header, Tuple([1, 0]).packed(), .corruption),
            (header, Tuple([1, "2"]).packed(), .corruption), (record, [], .corruption), (record, good, .corruption),
            (record, Array(good.dropLast()), .corruption), (record, [0xff], .corruption),
        ]
        for (key, value, code) in cases {
            let database = try Database.temporary()
            _ = try database.keyspace("k", key: Int.self, value: .empty)
            try database.put(value, forKey: key)
            let opening = try levelError { _ = try database.keyspace("k", key: Int.self, value: .empty) }
            #expect(opening.code == code)
            #expect(try levelError { _ = try database.keyspaces() }.code == code)
            #expect(try levelError { try database.removeKeyspace("k") }.code == code)
        }
    }

    @Test func `Every byte of a catalog record is checked`() throws {
        let database = try Database.temporary()
        _ = try database.keyspace("k", key: Int.self, value: .text)
        let key: [UInt8] = [0xfe, 0x4b, 0x53, 0x02, 0x6b, 0x00]
        let record = try #require(try database.value(forKey: key))
        // The last byte is the number of the keyspace, which has no redundancy.
        for index in record.indices.dropLast() {
            var changed = record
            changed[index] ^= 0x01
            try database.put(changed, forKey: key)
            let error = try levelError { _ = try database.keyspace("k", key: Int.self, value: .text) }
            #expect(error.code == .corruption || error.code == .schemaMismatch, "byte \(index)")
        }
    }

    @Test func `A removed keyspace is empty when created again, under another prefix`() throws {
        let database = try Database.temporary()
        let old = try database.keyspace("k", key: Int.self, value: .text)
        let other = try database.keyspace("other", key: Int.self, value: .text)
        for number in 0..<100 { try old.put("x", forKey: number) }
        try other.put("y", forKey: 1)
        #expect(try database.removeKeyspace("k"))
        #expect(try !database.removeKeyspace("k"))
        #expect(try database.keyspaces().map(\.name) == ["other"])
        let new = try database.keyspace("k", key: String.self, value: .empty)
        #expect(new.subspace != old.subspace)
        #expect(try new.count() == 0)
        #expect(try database.count(in: old.subspace.range) == 0)
        #expect(try other.value(forKey: 1) == "y")
    }

    @Test func `Keyspace names that are empty or too long are rejected`() throws {
        let database = try Database.temporary()
        for name in ["", String(repeating: "é", count: 128)] {
            let error = try levelError { _ = try database.keyspace(name, key: Int.self, value: .empty) }
            #expect(error.code == .invalidArgument)
        }
        _ = try database.keyspace(String(repeating: "é", count: 127) + "\n", key: Int.self, value: .empty)
    }

    @Test func `A database with a different key order cannot have keyspaces`() throws {
        var options = DatabaseOptions()
        options.order = .reverseBytewise
        let database = try Database.temporary(options: options)
        let error = try levelError { _ = try database.keyspace("k", key: Int.self, value: .empty) }
        #expect(error.code == .notSupported)
        #expect(error.message.contains("levelkit.ReverseBytewiseComparator"))
    }

    @Test func `Threads that open the same new keyspace get the same one`() async throws {
        let database = try Database.temporary()
        let prefixes = try await withThrowingTaskGroup(of: (String, [UInt8]).self) { group in
            for index in 0..<32 {
                group.addTask {
                    let name = "k\(index % 4)"
                    return (name, try database.keyspace(name, key: Int.self, value: .empty).subspace.prefix)
                }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1.1) }
        }
        #expect(prefixes.count == 4)
        #expect(try database.keyspaces().count == 4)
    }
}
