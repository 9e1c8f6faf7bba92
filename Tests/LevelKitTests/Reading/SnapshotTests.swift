import LevelKit
import Testing

@Suite struct SnapshotTests {
    @Test func `A snapshot shows no later write, even after compactions`() throws {
        try withTemporaryDatabase { database in
            try database.put("1", forKey: "a")
            try database.put("1", forKey: "b")
            let old = try database.snapshot()
            try database.put("2", forKey: "a")
            try database.delete("b")
            try database.put("2", forKey: "c")
            let new = try database.snapshot()
            try database.write { batch in
                for name in ["a", "b", "c"] { try batch.put("3", forKey: name) }
            }
            for _ in 0..<2 {
                #expect(try Self.text(of: old) == "a=1 b=1")
                #expect(try Self.text(of: new) == "a=2 c=2")
                #expect(try Self.text(of: database) == "a=3 b=3 c=3")
                #expect(try old.value(forKey: "c") == nil)
                #expect(try new.value(forKey: "b") == nil)
                #expect(try old.contains(utf8("b")))
                try database.compact()
            }
        }
    }

    @Test func `A snapshot of an empty database stays empty`() throws {
        try withTemporaryDatabase { database in
            let snapshot = try database.snapshot()
            try database.put("1", forKey: "")
            try database.compact()
            #expect(try Self.text(of: snapshot) == "")
            #expect(try snapshot.value(forKey: "") == nil)
        }
    }

    @Test func `A cursor shows the state at its creation`() throws {
        try withTemporaryDatabase { database in
            try database.put("1", forKey: "b")
            try database.put("1", forKey: "c")
            var cursor = try database.cursor()
            try database.put("2", forKey: "a")
            try database.put("2", forKey: "b")
            try database.delete("c")
            try database.compact()
            var seen: [String] = []
            for _ in 0..<2 {
                while try cursor.advance() {
                    seen.append(String(decoding: cursor.key.copied() + cursor.value.copied(), as: UTF8.self))
                }
                cursor.seek(to: [])
            }
            #expect(seen == ["b1", "c1", "b1", "c1"])
            #expect(try Self.text(of: database) == "a=2 b=2")
        }
    }

    @Test func `A cursor continues after its snapshot has ended`() throws {
        try withTemporaryDatabase { database in
            for number in 0..<2000 { try database.put([1], forKey: numberedKey(number)) }
            var cursor = try database.snapshot().cursor(in: .all, cache: .bypass)
            for number in 0..<2000 { try database.put([2], forKey: numberedKey(number)) }
            try database.compact()
            var count = 0
            while try cursor.advance() { if cursor.value.copied() == [1] { count += 1 } }
            #expect(count == 2000)
        }
    }

    private static func text(of reader: some KeyValueReader) throws -> String {
        try entries(of: reader).map {
            String(decoding: $0.key, as: UTF8.self) + "=" + String(decoding: $0.value, as: UTF8.self)
        }.joined(separator: " ")
    }
}
