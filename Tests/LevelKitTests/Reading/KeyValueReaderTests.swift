import LevelKit
import Testing

@Suite struct KeyValueReaderTests {
    @Test func `A value is returned as it was put, from memory, from a table and after reopening`() throws {
        try withTemporaryDirectory { directory in
            let allBytes = (0...255).map { UInt8($0) }
            var expected: [[UInt8]: [UInt8]] = [
                []: [], [0]: [], [0, 0]: [0], [0xff]: allBytes, [0xff, 0xff]: [0xff], utf8("empty"): [],
                utf8("large"): (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) },
                Array(repeating: 0x61, count: 100_000): utf8("long key"),
            ]
            for byte in allBytes { expected[[0x10, byte]] = [byte] }
            let first = try Database.open(at: directory + "/db")
            for (key, value) in expected { try first.put(value, forKey: key) }
            try Self.expect(first, toHold: expected)
            try first.compact()
            try Self.expect(first, toHold: expected)
            try first.close()
            try Self.expect(Database.open(at: directory + "/db"), toHold: expected)
        }
    }

    private static func expect(_ database: Database, toHold expected: [[UInt8]: [UInt8]]) throws {
        for reader in [database, try database.snapshot()] as [any KeyValueReader] {
            for (key, value) in expected {
                #expect(try reader.value(forKey: key) == value)
                #expect(try reader.contains(key))
                let count = try reader.withValue(forKey: key) { (bytes) throws(LevelError) in bytes.count }
                #expect(count == value.count)
                #expect(try reader.value(forKey: key + [0x7e]) == nil)
            }
            let found = try entries(of: reader)
            #expect(found.count == expected.count)
            #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.value) }) == expected)
        }
    }

    @Test func `A missing key is nil, and its body is not called`() throws {
        try withTemporaryDatabase { database in
            #expect(try database.value(forKey: []) == nil)
            try database.put("1", forKey: "b")
            for reader in [database, try database.snapshot()] as [any KeyValueReader] {
                for key in [[], [0], utf8("a"), utf8("b\0"), utf8("c"), [0xff]] {
                    #expect(try reader.value(forKey: key) == nil)
                    #expect(try !reader.contains(key))
                    let result = try reader.withValue(forKey: key) { (_) throws(LevelError) -> Int in
                        Issue.record("body was called")
                        return 1
                    }
                    #expect(result == nil)
                }
            }
        }
    }

    @Test func `A body may itself return nil`() throws {
        try withTemporaryDatabase { database in
            try database.put("1", forKey: "a")
            let found: Int?? = try database.withValue(forKey: utf8("a")) { (_) throws(LevelError) -> Int? in nil }
            let missing: Int?? = try database.withValue(forKey: utf8("b")) { (_) throws(LevelError) -> Int? in nil }
            #expect(found == .some(.none))
            #expect(missing == .none)
        }
    }

    @Test func `An error thrown by a body is rethrown, and the database stays usable`() throws {
        try withTemporaryDatabase { database in
            try database.put("1", forKey: "a")
            for reader in [database, try database.snapshot()] as [any KeyValueReader] {
                let error = thrownError {
                    try reader.withValue(forKey: utf8("a")) { (_) throws(LevelError) in
                        throw LevelError(.tooLarge, "mine")
                    }
                }
                #expect(error == LevelError(.tooLarge, "mine"))
            }
            #expect(try database.value(forKey: "a") == utf8("1"))
            try database.put("2", forKey: "a")
        }
    }

    @Test func `A body can read from and write to the database itself`() throws {
        try withTemporaryDatabase { database in
            try database.put("b", forKey: "a")
            try database.put("c", forKey: "b")
            let value = try database.withValue(forKey: utf8("a")) { (key) throws(LevelError) in
                try database.put("d", forKey: "c")
                return try database.value(forKey: key.copied())
            }
            #expect(value == utf8("c"))
            #expect(try database.value(forKey: "c") == utf8("d"))
        }
    }

    @Test func `Strings are equal as keys and values if their UTF-8 is, even if they look alike`() throws {
        try withTemporaryDatabase { database in
            try database.put("composed", forKey: "caf\u{e9}")
            try database.put("decomposed", forKey: "cafe\u{301}")
            #expect(try database.value(forKey: "caf\u{e9}") == utf8("composed"))
            #expect(try database.value(forKey: utf8("cafe\u{301}")) == utf8("decomposed"))
            #expect(try keys(of: database).count == 2)
            try database.delete("caf\u{e9}")
            #expect(try keys(of: database) == [utf8("cafe\u{301}")])
        }
    }

    @Test func `A deleted key is gone from memory, from tables and after reopening`() throws {
        try withTemporaryDirectory { directory in
            let first = try Database.open(at: directory + "/db")
            for number in 0..<100 { try first.put([1], forKey: numberedKey(number)) }
            try first.compact()
            for number in stride(from: 0, to: 100, by: 2) { try first.delete(numberedKey(number)) }
            try first.delete(utf8("never there"))
            let expected = stride(from: 1, to: 100, by: 2).map(numberedKey)
            #expect(try keys(of: first) == expected)
            #expect(try first.value(forKey: numberedKey(2)) == nil)
            try first.compact()
            #expect(try keys(of: first) == expected)
            try first.close()
            let second = try Database.open(at: directory + "/db")
            #expect(try keys(of: second) == expected)
            #expect(try second.value(forKey: numberedKey(2)) == nil)
        }
    }
}
