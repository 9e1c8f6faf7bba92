import DocumentModel
import TestSupport
import Testing

@Suite struct BodyTests {
    /// Values, their bodies, and the names in the table afterwards.
    static let bodies: [(DocumentValue, [UInt8], [String])] = [
        (nil, [2, 0], []), (false, [2, 1], []), (true, [2, 2], []), (0, [2, 0x40], []), (63, [2, 0x7f], []),
        (-1, [2, 3, 1], []), (64, [2, 3, 0x80, 1], []), (400, [2, 3, 0xa0, 6], []),
        (.int(.max), [2, 3, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], []),
        (.int(.min), [2, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], []),
        (1.0, [2, 4, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f], []), (.double(-0.0), [2, 4, 0, 0, 0, 0, 0, 0, 0, 0x80], []),
        (.double(-.nan), [2, 4, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f], []), ("", [2, 0x80], []),
        ("é", [2, 0x82, 0xc3, 0xa9], []),
        (.string(longest), [2, 0xff] + Array(repeating: 0x61, count: 127), []),
        (.string(longest + "a"), [2, 5, 0x80, 1] + Array(repeating: 0x61, count: 128), []),
        (.bytes([7, 8]), [2, 6, 2, 7, 8], []), (.bytes([]), [2, 6, 0], []), ([], [2, 7, 1, 0], []),
        ([nil, true], [2, 7, 3, 2, 0, 2], []), ([[]], [2, 7, 4, 1, 7, 1, 0], []), ([:], [2, 0x10, 1, 0], []),
        (.date(DocumentDate(milliseconds: -1)), [2, 8, 1], []),
        (.date(DocumentDate(utcMilliseconds: 1)), [2, 9, 2, 0], []),
        (date("1970-01-01T02:00:00.064+02:00"), [2, 9, 0x80, 1, 0xf0, 1], []),
        (["a": 1], [2, 0x10, 4, 1, 0, 0, 0x41], ["a"]),
        // The example in the format description.
        (
            ["id": "a", "year": 1930],
            [2, 0x10, 0x0a, 2, 0, 1, 0, 2, 0x81, 0x61, 3, 0x94, 0x1e], ["id", "year"]
        ),
        // Names are numbered in order of occurrence, those of an object before those of the objects in it.
        (
            ["b": ["a": nil, "c": nil], "c": ["b": true]],
            [
                2, 0x10, 0x14, 2, 0, 1, 0, 9, 0x10, 7, 2, 1, 2, 1, 0, 0, 0, 0x10, 4, 1, 0, 0, 2,
            ], ["b", "c", "a"]
        ),
    ]

    static let longest = String(repeating: "a", count: 127)

    static func date(_ text: String) -> DocumentValue { DocumentDate(iso8601: text).map(DocumentValue.date) ?? nil }

    static func table(_ names: some Sequence<String>) -> FieldNames {
        var table = FieldNames()
        for name in names { table.add(name) }
        return table
    }

    @Test(arguments: bodies) func `A value has exactly one body, and the body decodes to that value`(
        value: DocumentValue, body: [UInt8], names: [String]
    ) throws {
        var table = FieldNames()
        #expect(try BodyEncoder.encode(value, names: &table) == body)
        #expect(table == Self.table(names))
        #expect(try BodyDecoder.decode(body, names: table) == value)
        // Again, now that all names are known, and appended to existing bytes.
        var bytes: [UInt8] = [9]
        try BodyEncoder.append(value, names: &table, to: &bytes)
        #expect(bytes == [9] + body)
        #expect(table.count == names.count)
    }

    @Test func `Members keep their order whatever the numbers of their names`() throws {
        var names = Self.table(["c", "b", "a"])
        let value: DocumentValue = ["a": 1, "b": "x", "c": nil]
        let body = try BodyEncoder.encode(value, names: &names)
        #expect(body == [2, 0x10, 0x0b, 3, 0, 1, 2, 3, 1, 0, 0x41, 0x81, 0x78, 0])
        let again = try BodyDecoder.decode(body, names: names)
        #expect(again.json == #"{"a":1,"b":"x","c":null}"#)
        #expect(try BodyEncoder.encode(["c": nil, "b": "x", "a": 1], names: &names) != body)
    }

    @Test(arguments: [(0, 250), (0, 251), (300, 250), (0, 65_530), (200, 65_530), (0, 65_531), (300, 100_000)])
    func `Numbers and offsets have the width that the largest one needs`(firstNumber: Int, byteCount: Int) throws {
        var names = Self.table((0..<firstNumber).map { "n\($0)" })
        let value: DocumentValue = [
            "z": .bytes(Array(repeating: 1, count: byteCount)), "y": 2, "x": ["z": 3],
        ]
        let body = try BodyEncoder.encode(value, names: &names)
        let prefix = byteCount < 128 ? 2 : byteCount < 16_384 ? 3 : 4
        let offsetByteCount = prefix + byteCount + 1 <= 0xff ? 1 : prefix + byteCount + 1 <= 0xffff ? 2 : 4
        let numberByteCount = firstNumber + 2 <= 0xff ? 1 : 2
        let expectedTag = 0x10 + UInt8(numberByteCount - 1) + [1: 0, 2: 2, 4: 4][offsetByteCount, default: 9]
        #expect(body[1] == expectedTag)
        #expect(try BodyDecoder.decode(body, names: names) == value)
        let reader = try BodyReader(body.span, names: names)
        let found = try reader.value(at: "x.z")
        #expect(found == 3)
    }

    @Test func `Every value round-trips through its body, and encodes to the same bytes again`() throws {
        var generator = DocumentGenerator()
        var names = FieldNames()
        for round in 0..<(DocumentGenerator.isLong ? 200_000 : 5_000) {
            if round % 100 == 0 { names = FieldNames() }
            let value = generator.value()
            let body = try BodyEncoder.encode(value, names: &names)
            let again = try BodyDecoder.decode(body, names: names)
            #expect(again == value, "seed \(generator.seed)")
            #expect(try BodyEncoder.encode(again, names: &names) == body, "seed \(generator.seed)")
        }
    }

    @Test func `Random documents round-trip through bodies that share a name table`() throws {
        var documents = RandomDocuments(TestRun.random(stream: 21))
        documents.hasAttachments = true
        var names = FieldNames()
        var stored: [(value: DocumentValue, body: [UInt8])] = []
        for _ in 0..<TestRun.rounds(2000, long: 100_000) {
            let value = DocumentValue.object(documents.document(id: documents.id()))
            stored.append((value, try BodyEncoder.encode(value, names: &names)))
        }
        // Bodies written with an earlier table are readable with the latest one.
        for (value, body) in stored {
            #expect(try BodyDecoder.decode(body, names: names) == value, "\(TestRun.repetition)")
            #expect(try BodyEncoder.encode(value, names: &names) == body, "\(TestRun.repetition)")
        }
    }

    @Test func `A value nested too deeply is not encoded, and neither bytes nor names are added`() throws {
        var value: DocumentValue = []
        for _ in 1..<DocumentValue.maximumDepth { value = [value] }
        var names = FieldNames()
        _ = try BodyEncoder.encode(value, names: &names)
        let deeper: DocumentValue = ["a": value]
        var bytes: [UInt8] = [9]
        let error = #expect(throws: BodyError.self) {
            try BodyEncoder.append(deeper, names: &names, to: &bytes)
        }
        #expect(error?.code == .tooDeep)
        #expect(error?.message == "Arrays and objects are nested more than 512 deep; flatten the value.")
        #expect(bytes == [9])
        #expect(names.count == 0)
    }

    static let refused: [([UInt8], BodyError.Code, Int)] = [
        ([], .truncated, 0), ([2], .truncated, 1), ([0, 0], .unsupportedVersion, 0), ([1, 0], .unsupportedVersion, 0),
        ([3, 0], .unsupportedVersion, 0), ([2, 12], .unsupportedTag, 1), ([2, 15], .unsupportedTag, 1),
        ([2, 0x16], .unsupportedTag, 1), ([2, 0x3f], .unsupportedTag, 1), ([2, 7, 2, 1, 12], .unsupportedTag, 4),
        ([2, 0, 0], .trailingBytes, 2), ([2, 3], .truncated, 2), ([2, 3, 0x80], .truncated, 3),
        ([2, 3, 0x80, 0], .invalidVarint, 2), ([2, 3, 0], .notShortest, 1), ([2, 3, 126], .notShortest, 1),
        ([2, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2], .invalidVarint, 2),
        ([2, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80, 1], .invalidVarint, 2),
        ([2, 4, 0, 0, 0, 0, 0, 0, 0], .truncated, 2), ([2, 0x81], .truncated, 1), ([2, 0x81, 0xff], .invalidUTF8, 2),
        ([2, 0x83, 0x61, 0xc3, 0x28], .invalidUTF8, 3), ([2, 5, 1, 0x61], .notShortest, 1),
        ([2, 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], .truncated, 2),
        ([2, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], .truncated, 2), ([2, 7, 0], .truncated, 3),
        ([2, 7, 2, 0, 0], .invalidLength, 4), ([2, 7, 1, 1], .invalidLength, 3), ([2, 7, 1, 0, 0], .trailingBytes, 4),
        ([2, 7, 2, 0xff, 1], .invalidLength, 3), ([2, 7, 3, 1, 0, 0], .invalidLength, 5),
        ([2, 7, 4, 1, 7, 2, 0, 0], .invalidLength, 5), ([2, 7, 5, 1, 0x82, 0x61, 0x61], .truncated, 2),
        ([2, 7, 3, 1, 0x82, 0x61, 0x61], .invalidLength, 4), ([2, 7, 2, 1, 3, 1], .invalidLength, 4),
        ([2, 7, 3, 2, 3, 1, 0], .invalidLength, 6), ([2, 8], .truncated, 2), ([2, 9, 0], .truncated, 3),
        ([2, 9, 0, 0xc0, 0x16], .invalidDate, 3), ([2, 9, 0, 0xbf, 0x16], .invalidDate, 3),
        // Objects: too short for their table, names out of order, invalid offsets, unknown numbers.
        ([2, 0x10, 9, 0], .truncated, 2), ([2, 0x10, 1, 1], .invalidLength, 3),
        ([2, 0x10, 3, 1, 0, 0], .invalidLength, 4),
        ([2, 0x10, 7, 2, 1, 0, 0, 1, 0, 0], .invalidObjectTable, 5),
        ([2, 0x10, 7, 2, 0, 0, 0, 1, 0, 0], .invalidObjectTable, 5),
        ([2, 0x10, 4, 1, 0, 1, 0], .invalidObjectTable, 6),
        ([2, 0x10, 7, 2, 0, 1, 0, 0, 0, 0], .invalidObjectTable, 9),
        ([2, 0x10, 7, 2, 0, 1, 0, 2, 0, 0], .invalidObjectTable, 9), ([2, 0x10, 4, 1, 2, 0, 0], .unknownName, 6),
        ([2, 0x10, 5, 1, 0, 0, 0, 0], .invalidLength, 7), ([2, 0x11, 5, 1, 0, 0, 0, 0], .invalidObjectTable, 1),
        ([2, 0x12, 5, 1, 0, 0, 0, 0], .invalidObjectTable, 1),
        ([2, 0x14, 7, 1, 0, 0, 0, 0, 0, 0], .invalidObjectTable, 1),
        ([2, 0x12, 1, 0], .invalidObjectTable, 1),
        // Names written out: one in the table, one that the table would accept, one above all numbers.
        ([2, 0x11, 7, 1, 0xff, 0x7f, 0, 1, 0x61, 0], .invalidName, 7),
        ([2, 0x11, 7, 1, 0xff, 0x7f, 0, 1, 0x7a, 0], .invalidName, 7),
        ([2, 0x11, 7, 1, 0x00, 0x80, 0, 1, 0x7a, 0], .unknownName, 7),
    ]

    @Test(arguments: refused) func `Bytes that are not a body are rejected with the offset of the fault`(
        bytes: [UInt8], code: BodyError.Code, offset: Int
    ) {
        let error = #expect(throws: BodyError.self) {
            try BodyDecoder.decode(bytes, names: Self.table(["a", "b"]))
        }
        #expect(error?.code == code)
        #expect(error?.offset == offset)
    }

    static let advice = "the body is damaged; verify the database and restore the document from a backup."

    @Test(
        arguments: [
            ([2], "Document body, byte 1: The body ends inside a value; \(advice)"),
            (
                [7, 0],
                "Document body, byte 0: The body has format version 7, but this library reads version 2; "
                    + "update the library, or check the database if no newer one wrote it."
            ),
            (
                [2, 12],
                "Document body, byte 1: A value has the type tag 12, which this library does not read; "
                    + "update the library, or check the database if no newer one wrote it."
            ),
            (
                [2, 3, 0x80, 0],
                "Document body, byte 2: An integer is not in its shortest form or exceeds 64 bits; \(advice)"
            ),
            ([2, 3, 0], "Document body, byte 1: A value is not in its shortest form; \(advice)"),
            (
                [2, 7, 1, 1],
                "Document body, byte 3: A length or count reaches beyond the value that contains it; \(advice)"
            ),
            ([2, 7, 2, 0, 0], "Document body, byte 4: An array or object ends before its stated length; \(advice)"),
            ([2, 0x81, 0xff], "Document body, byte 2: A string is not valid UTF-8; \(advice)"),
            (
                [2, 9, 0, 0xc0, 0x16],
                "Document body, byte 3: A date has an offset from UTC of a day or more; \(advice)"
            ),
            (
                [2, 0x10, 4, 1, 0, 1, 0],
                "Document body, byte 6: The table of an object does not fit its values; \(advice)"
            ),
            (
                [2, 0x10, 4, 1, 9, 0, 0],
                "Document body, byte 6: The table of names has no name with number 9; "
                    + "read the body with the current field names of the same collection."
            ),
            (
                [2, 0x11, 7, 1, 0xff, 0x7f, 0, 1, 0x61, 0],
                "Document body, byte 7: A name is inlined that belongs in the table of names; \(advice)"
            ),
            ([2, 0, 0], "Document body, byte 2: Bytes follow the value; \(advice)"),
        ] as [([UInt8], String)])
    func `A body error states the problem and a remedy`(bytes: [UInt8], description: String) {
        let error = #expect(throws: BodyError.self) { try BodyDecoder.decode(bytes, names: FieldNames()) }
        #expect(error?.description == description)
    }

    @Test func `Nesting beyond the limit is rejected on a small stack`() throws {
        // One level too deep: the encoder's bytes for the deepest value, wrapped in one more array by hand.
        var value: DocumentValue = []
        for _ in 1..<DocumentValue.maximumDepth { value = [value] }
        var names = FieldNames()
        let inner = try BodyEncoder.encode(value, names: &names).dropFirst()
        let outer = [2] + [7] + varint(inner.count + 1) + [1] + inner
        let error = withSmallStack {
            do throws(BodyError) {
                _ = try BodyDecoder.decode(outer, names: FieldNames())
                return nil as BodyError?
            } catch {
                return error
            }
        }
        #expect(error??.code == .tooDeep)
    }

    private func varint(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f) | 0x80] + varint(value >> 7)
    }
}
