import LevelKit
import Testing

@Suite struct KeyOrderTests {
    /// Case-insensitive letters; keys that differ only in case are the same key.
    private static let caseInsensitive = KeyOrder.custom("test.case-insensitive") { a, b in
        func folded(_ bytes: Span<UInt8>) -> [UInt8] {
            bytes.copied().map { (0x41...0x5a).contains($0) ? $0 + 32 : $0 }
        }
        let (a, b) = (folded(a), folded(b))
        return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }

    private static func options(_ order: KeyOrder) -> DatabaseOptions {
        var options = DatabaseOptions()
        options.order = order
        options.bloomFilterBitsPerKey = 0
        return options
    }

    @Test func `Opening with a different order is rejected, and the error names both in the right roles`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let orders = [KeyOrder.bytewise, .reverseBytewise, Self.caseInsensitive]
            for stored in orders {
                let path = directory + "/" + stored.name
                try Database.open(at: path, options: Self.options(stored)).close()
                for given in orders where given != stored {
                    let error = thrownError { _ = try Database.open(at: path, options: Self.options(given)) }
                    #expect(error?.code == .comparatorMismatch)
                    #expect(error?.message.contains("ordered by the comparator \(stored.name)") == true)
                    #expect(error?.message.contains("opened with \(given.name)") == true)
                }
                let again = try Database.open(at: path, options: Self.options(stored))
                #expect(again.order == stored)
            }
        }
    }

    @Test func `Keys that compare equal are the same key`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            for path in [directory + "/memory", directory + "/tables"] {
                let database = try Database.open(at: path, options: Self.options(Self.caseInsensitive))
                for name in ["b", "A", "c", "B", "C"] { try database.put(name, forKey: name) }
                if path.hasSuffix("tables") { try database.compact() }
                #expect(try database.value(forKey: "a") == utf8("A"))
                #expect(try database.value(forKey: "b") == utf8("B"))
                #expect(try entries(of: database).map(\.value) == [utf8("A"), utf8("B"), utf8("C")])
                let range = KeyRange(lower: .excluded(utf8("a")), upper: .included(utf8("b")))
                #expect(try entries(of: database, in: range).map(\.value) == [utf8("B")])
                #expect(try entries(of: database, in: range, reverse: true).map(\.value) == [utf8("B")])
                try database.delete("C")
                #expect(try database.value(forKey: "c") == nil)
            }
        }
    }

    @Test func `A custom order rejects a Bloom filter, a name reserved by LevelDB and an empty name`() {
        for (name, bitsPerKey) in [("test", 10), ("leveldb.mine", 0), ("", 0), ("a\0b", 0)] {
            var options = DatabaseOptions()
            options.order = .custom(name) { _, _ in 0 }
            options.bloomFilterBitsPerKey = bitsPerKey
            #expect(code { try options.validate() } == .invalidArgument, "\(name)")
        }
    }

}
