import LevelKit
import Testing

@Suite struct WriteBatchTests {
    @Test func `The operations of a batch take effect in order`() throws {
        try withTemporaryDatabase { database in
            try database.write { batch in
                try batch.put("1", forKey: "put, deleted")
                try batch.delete("put, deleted")
                try batch.delete("deleted, put")
                try batch.put("1", forKey: "deleted, put")
                try batch.put("1", forKey: "put twice")
                try batch.put("2", forKey: "put twice")
            }
            #expect(try keys(of: database) == [utf8("deleted, put"), utf8("put twice")])
            #expect(try database.value(forKey: "put twice") == utf8("2"))
            #expect(try database.value(forKey: "put, deleted") == nil)
        }
    }

    @Test func `A batch whose body throws writes nothing`() throws {
        struct Mine: Error {}
        try withTemporaryDatabase { database in
            try database.put("1", forKey: "a")
            #expect(throws: Mine.self) {
                try database.write { batch in
                    try batch.put("2", forKey: "a")
                    try batch.put("2", forKey: "b")
                    throw Mine()
                }
            }
            #expect(try keys(of: database) == [utf8("a")])
            #expect(try database.value(forKey: "a") == utf8("1"))
        }
    }

    @Test func `Writing a batch returns the result of its body`() throws {
        try withTemporaryDatabase { database in
            let result = try database.write(durability: .synced) { batch in
                try batch.put("1", forKey: "a")
                return batch.count
            }
            #expect(result == 1)
            #expect(try database.contains(utf8("a")))
        }
    }

    @Test func `No part of a batch is visible before the batch is written`() throws {
        try withTemporaryDatabase { database in
            try database.write { batch in
                try batch.put("1", forKey: "a")
                #expect(try database.value(forKey: "a") == nil)
            }
            #expect(try database.value(forKey: "a") == utf8("1"))
        }
    }

    @Test func `A batch can be written again, extended and cleared`() throws {
        try withTemporaryDatabase { database in
            let batch = WriteBatch()
            try batch.put("1", forKey: "a")
            try database.write(batch)
            try database.delete("a")
            try database.write(batch)
            #expect(try keys(of: database) == [utf8("a")])
            try batch.delete("a")
            try batch.put("2", forKey: "b")
            #expect(batch.count == 3)
            try database.write(batch)
            #expect(try keys(of: database) == [utf8("b")])
            batch.removeAll()
            #expect(batch.count == 0)
            #expect(batch.byteCount == WriteBatch().byteCount)
            try database.write(batch)
            try batch.put("3", forKey: "c")
            try database.write(batch)
            #expect(try keys(of: database) == [utf8("b"), utf8("c")])
        }
    }

    @Test func `A batch can be written to several databases`() throws {
        try withTemporaryDirectory { directory in
            let batch = WriteBatch()
            try batch.put("1", forKey: "a")
            for name in ["/first", "/second"] {
                let database = try Database.open(at: directory + name)
                try database.write(batch)
                #expect(try keys(of: database) == [utf8("a")])
            }
        }
    }

    @Test func `Appending adds the operations of another batch after the existing ones`() throws {
        try withTemporaryDatabase { database in
            let (first, second) = (WriteBatch(), WriteBatch())
            try first.put("1", forKey: "a")
            try first.put("1", forKey: "b")
            try second.put("2", forKey: "b")
            try second.delete("a")
            let byteCount = first.byteCount + second.byteCount
            try first.append(second)
            try first.append(WriteBatch())
            #expect(first.count == 4)
            #expect(second.count == 2)
            #expect(first.byteCount == byteCount - WriteBatch().byteCount)
            second.removeAll()
            try database.write(first)
            #expect(try entries(of: database) == [Entry(key: utf8("b"), value: utf8("2"))])
        }
    }

    @Test func `A batch can be appended to itself`() throws {
        try withTemporaryDatabase { database in
            let batch = WriteBatch()
            for number in 0..<50 { try batch.put(numberedKey(number), forKey: numberedKey(number)) }
            try batch.append(batch)
            #expect(batch.count == 100)
            try database.write(batch)
            #expect(try keys(of: database).count == 50)
        }
    }

    @Test func `The byte count of a batch is not less than its size in the log`() throws {
        try withTemporaryDatabase { database in
            let before = try Self.logByteCount(of: database)
            let batch = WriteBatch()
            for number in 0..<1000 {
                try batch.put(Array(repeating: 1, count: number), forKey: numberedKey(number))
                try batch.delete(numberedKey(number))
            }
            try database.write(batch)
            let grown = try Self.logByteCount(of: database) - before
            // The log adds seven bytes to each of its 32 KiB blocks.
            let recordCount = grown / (32 << 10) + 1
            #expect(grown - 7 * recordCount <= batch.byteCount)
            #expect(grown > batch.byteCount * 9 / 10)
        }
    }

    @Test func `An empty batch is not written`() throws {
        try withTemporaryDatabase { database in
            try database.put("1", forKey: "a")
            let before = try Self.logByteCount(of: database)
            #expect(before > 0)
            for _ in 0..<10 {
                try database.write(WriteBatch(), durability: .synced)
                try database.write { _ in }
                try database.write { batch in
                    try batch.put("1", forKey: "b")
                    batch.removeAll()
                }
            }
            #expect(try Self.logByteCount(of: database) == before)
            try database.put("1", forKey: "b")
            #expect(try Self.logByteCount(of: database) > before)
        }
    }

    @Test func `A large batch is complete after reopening`() throws {
        try withTemporaryDirectory { directory in
            var options = DatabaseOptions()
            options.writeBufferByteCount = 64 << 10
            let first = try Database.open(at: directory + "/db", options: options)
            try first.write { batch in
                for number in 0..<5000 { try batch.put(numberedKey(number), forKey: numberedKey(number)) }
            }
            try first.close()
            #expect(try keys(of: Database.open(at: directory + "/db")) == (0..<5000).map(numberedKey))
        }
    }

    @Test(arguments: [Durability.buffered, .synced, .flushed])
    func `A write of any durability is visible at once and after reopening`(durability: Durability) throws {
        try withTemporaryDirectory { directory in
            let first = try Database.open(at: directory + "/db")
            try first.put("1", forKey: "deleted")
            try first.put("1", forKey: "put", durability: durability)
            try first.delete("deleted", durability: durability)
            try first.write(durability: durability) { try $0.put("1", forKey: "written") }
            #expect(try keys(of: first) == [utf8("put"), utf8("written")])
            // Flushed writes are in tables, and the new log contains none.
            #expect(try files(ofKind: "ldb", in: first.path).isEmpty == (durability != .flushed))
            try first.flush()
            #expect(try !files(ofKind: "ldb", in: first.path).isEmpty)
            try first.close()
            #expect(try keys(of: Database.open(at: directory + "/db")) == [utf8("put"), utf8("written")])
        }
    }

    private static func logByteCount(of database: Database) throws -> Int {
        try files(ofKind: "log", in: database.path).reduce(0) { try $0 + content(of: $1).count }
    }
}
