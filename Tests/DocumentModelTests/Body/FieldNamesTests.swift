import DocumentModel
import TestSupport
import Testing

@Suite struct FieldNamesTests {
    static let names = ["id", "", "gps", "\u{e9}", "e\u{301}", "ExifIFD:ISO", "a name of more than eight bytes"]

    @Test func `Each name gets one number, in order of first occurrence`() {
        var table = FieldNames()
        for (number, name) in Self.names.enumerated() {
            #expect(table.number(of: name) == nil)
            #expect(table.add(name) == number)
            #expect(table.add(name) == number)
        }
        #expect(table.count == Self.names.count)
        for (number, name) in Self.names.enumerated() {
            #expect(table.number(of: name) == number)
            #expect(table[number].map { Array($0.utf8) } == Array(name.utf8))
        }
        #expect(table.number(of: "ids") == nil)
        #expect(table[Self.names.count] == nil)
    }

    @Test func `A copy of a name table does not contain names added later`() {
        var table = FieldNames()
        table.add("a")
        let copy = table
        table.add("b")
        #expect(copy.count == 1)
        #expect(copy.number(of: "b") == nil)
        #expect(copy != table)
    }

    @Test func `A name table finds every one of many names`() {
        var table = FieldNames()
        for number in 0..<5000 { table.add("name \(number)") }
        for number in 0..<5000 { #expect(table.number(of: "name \(number)") == number) }
    }

    @Test func `A name table is stored as the list of its names, either all or those added`() throws {
        var table = FieldNames()
        #expect(table.encoded() == [0])
        table.add("id")
        table.add("\u{e9}")
        #expect(table.encoded() == [2, 2, 0x69, 0x64, 2, 0xc3, 0xa9])
        #expect(table.encoded(from: 1) == [1, 2, 0xc3, 0xa9])
        #expect(table.encoded(from: 2) == [0])
        #expect(table.encoded(from: 9) == [0])
        let whole = try FieldNames(encoded: table.encoded())
        #expect(whole == table)
        #expect(whole.hashValue == table.hashValue)
        var parts = FieldNames()
        try parts.append(encoded: [1, 2, 0x69, 0x64])
        try parts.append(encoded: table.encoded(from: 1))
        #expect(parts == table)
    }

    @Test(
        arguments: [
            ([], 0), ([0x80], 0), ([1], 1), ([1, 2, 0x61], 1), ([0, 0], 1), ([1, 1, 0xff], 1), ([1, 1, 0x61, 0], 3),
            ([2, 1, 0x61, 1, 0x61], 3), ([1, 2, 0x69, 0x64], 1),
            ([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], 10),
            ([1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], 1),
            ([1, 0x80, 2] + Array(repeating: 0x61, count: 256), 1),
        ] as [([UInt8], Int)])
    func `Bytes that are not a list of new names are rejected, and the table is unchanged`(bytes: [UInt8], offset: Int)
    {
        var table = FieldNames()
        table.add("id")
        let error = #expect(throws: FieldNamesError.self) { try table.append(encoded: bytes) }
        #expect(error?.offset == offset)
        #expect(
            error?.description
                == "The table of field names is damaged at byte \(offset); verify the database and restore it from a backup."
        )
        #expect(table.count == 1)
        #expect(table.number(of: "id") == 0)
        #expect(table.number(of: "a") == nil)
    }

    @Test func `Reading a name table from random bytes never traps`() {
        var generator = DocumentGenerator()
        for _ in 0..<(DocumentGenerator.isLong ? 1_000_000 : 20_000) {
            var bytes: [UInt8] = []
            for _ in 0..<generator.number(below: 12) {
                bytes.append(
                    [0, 1, 2, 3, 0x61, 0x80, 0xff, UInt8(truncatingIfNeeded: generator.next())][
                        generator.number(below: 8)])
            }
            guard let table = try? FieldNames(encoded: bytes) else { continue }
            #expect(table.encoded().count <= bytes.count, "seed \(generator.seed)")
        }
    }
}
