import DocumentModel
import Testing

/// Names that the table does not accept because it is full or they are too long.
@Suite struct InlineNameTests {
    static let full: FieldNames = {
        var names = FieldNames()
        for number in 0..<FieldNames.maximumCount { names.add("n\(number)") }
        return names
    }()

    static let long = String(repeating: "x", count: FieldNames.maximumNameByteCount + 1)

    @Test func `A full name table accepts no more names, and still finds those it has`() {
        var names = Self.full
        #expect(names.count == 32_767)
        #expect(names.add("one more") == nil)
        #expect(names.add("n32766") == 32_766)
        #expect(names[32_766] == "n32766")
        #expect(names[32_767] == nil)
        #expect(names[-1] == nil)
    }

    @Test func `A name that is too long is written inline, and the table is unchanged`() throws {
        var names = FieldNames()
        let body = try BodyEncoder.encode([Self.long: 1], names: &names)
        #expect(names.count == 0)
        #expect(
            body == [2, 0x11, 0x87, 2, 1, 0xff, 0x7f, 0, 0x80, 2] + Array(repeating: 0x78, count: 256) + [0x41])
        #expect(try BodyDecoder.decode(body, names: names) == [Self.long: 1])
    }

    @Test func `Names in the table and inline names can be mixed, in document order`() throws {
        var names = Self.full
        let value: DocumentValue = [
            "zz": ["inner": [1, ["deep": 2]], "n5": 3], "n300": nil, "aa": 4, "n1": [["aa": 5], ["zz": 6]],
            Self.long: 7,
        ]
        let body = try BodyEncoder.encode(value, names: &names)
        #expect(names == Self.full)
        let again = try BodyDecoder.decode(body, names: names)
        #expect(again == value)
        let reader = try BodyReader(body.span, names: names)
        for (path, expected) in [
            ("zz.n5", 3), ("aa", 4), ("n300", nil), ("n1[].aa", 5), ("n1[].zz", 6), ("zz.inner[].deep", 2),
            (Self.long, 7),
        ] as [(String, DocumentValue)] {
            let found = try reader.value(at: FieldPath(parsing: path))
            #expect(found == expected, "\(path)")
        }
        for path in ["bb", "zz.aa", "n2", "n1[].bb", "aa.aa"] {
            let found = try reader.value(at: FieldPath(parsing: path))
            #expect(found == nil, "\(path)")
        }
    }

    @Test func `Duplicate names in one object are rejected even if they are written inline`() throws {
        let bytes: [UInt8] = [2, 0x11, 13, 2, 0xff, 0x7f, 0xff, 0x7f, 0, 3, 1, 0x61, 0, 1, 0x61, 0]
        let error = #expect(throws: BodyError.self) { try BodyDecoder.decode(bytes, names: Self.full) }
        #expect(error?.code == .duplicateName)
        #expect(error?.offset == 13)
        var different = bytes
        different[14] = 0x62
        let both: DocumentValue = ["a": nil, "b": nil]
        #expect(try BodyDecoder.decode(different, names: Self.full) == both)
        // Swapped, they would be the same object again.
        different.replaceSubrange(8..<10, with: [3, 0])
        #expect(throws: BodyError.self) { try BodyDecoder.decode(different, names: Self.full) }
    }
}
