import LevelKit
import Testing

@Suite struct KeyspaceCursorTests {
    private func keyspace() throws -> Keyspace<Int, String> {
        let database = try Database.temporary()
        let keyspace = try database.keyspace("numbers", key: Int.self, value: .text)
        for number in stride(from: 0, to: 10, by: 2) { try keyspace.put("n\(number)", forKey: number) }
        return keyspace
    }

    /// Returns the keys that a cursor visits.
    private func keys(
        _ range: TypedKeyRange<Int>, reverse: Bool = false, from start: Int? = nil
    ) throws -> [Int] {
        var cursor = try keyspace().cursor(in: range, direction: reverse ? .descending : .ascending)
        if let start { cursor.seek(to: start) }
        var keys: [Int] = []
        while try cursor.advance() {
            #expect(try cursor.value == "n\(cursor.key)")
            keys.append(try cursor.key)
        }
        #expect(try !cursor.advance())
        return keys
    }

    @Test func `A keyspace cursor visits a range in both directions, from its start or from a key`() throws {
        #expect(try keys(.all) == [0, 2, 4, 6, 8])
        #expect(try keys(.all, reverse: true) == [8, 6, 4, 2, 0])
        #expect(try keys(.range(2..<6)) == [2, 4])
        #expect(try keys(.range(2...6), reverse: true) == [6, 4, 2])
        #expect(try keys(.range(...3)) == [0, 2])
        #expect(try keys(.range(3...), reverse: true) == [8, 6, 4])
        #expect(try keys(.only(4)) == [4])
        #expect(try keys(.only(5)) == [])
        #expect(try keys(.range(6..<6)) == [])
        #expect(try keys(.range(from: 6, to: 2)) == [])
        #expect(try keys(.range(after: 4)) == [6, 8])
        #expect(try keys(.all, from: 3) == [4, 6, 8])
        #expect(try keys(.all, reverse: true, from: 3) == [2, 0])
        #expect(try keys(.range(2..<6), from: 0) == [2, 4])
        #expect(try keys(.range(2..<6), from: 9) == [])
    }

    @Test func `Keys and values are decoded on request, and next decodes both`() throws {
        var cursor = try keyspace().cursor()
        let first = try cursor.next()
        #expect(first?.key == 0 && first?.value == "n0")
        #expect(cursor.keyBytes.copied() == [0xfe, 0x4b, 0x53, 0x15, 0x01, 0x14])
        #expect(cursor.valueBytes.copied() == Array("n0".utf8))
    }

    @Test func `The error for a foreign key or value names it without revealing its content`() throws {
        let keyspace = try keyspace()
        try keyspace.database.put([0x73, 0x65, 0x63, 0xff], forKey: keyspace.packed(2))
        try keyspace.database.put([], forKey: keyspace.subspace.pack([3, "secret"]))
        var cursor = try keyspace.cursor()
        var read: [Int] = []
        var errors: [LevelError] = []
        while try cursor.advance() {
            do throws(LevelError) {
                let (key, _) = (try cursor.key, try cursor.value)
                read.append(key)
            } catch {
                errors.append(error)
            }
        }
        #expect(read == [0, 4, 6, 8])
        #expect(errors.map(\.code) == [.malformedEntry, .malformedEntry])
        #expect(errors.allSatisfy { $0.message.contains("keyspace numbers") && !$0.description.contains("sec") })
        #expect(try levelError { _ = try keyspace.entries() }.code == .malformedEntry)
        #expect(try levelError { _ = try keyspace.value(forKey: 2) }.code == .malformedEntry)
        #expect(try keyspace.count() == 6)
    }

    @Test func `A keyspace cursor throws after its database is closed`() throws {
        let keyspace = try keyspace()
        for number in [1, 2] { try keyspace.put("v", forKey: number) }
        var cursor = try keyspace.cursor()
        #expect(try cursor.advance())
        #expect(try levelError { try keyspace.database.close() }.code == .cursorsAlive)
        #expect(throws: LevelError.self) { try cursor.advance() }
    }
}
