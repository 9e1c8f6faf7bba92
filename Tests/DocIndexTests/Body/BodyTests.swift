import DocIndex
import Testing

@Suite struct BodyTests {
    static let bodies: [(DocumentValue, [UInt8])] = [
        (nil, [1, 0]), (false, [1, 1]), (true, [1, 2]), (0, [1, 3, 0]), (-1, [1, 3, 1]), (1, [1, 3, 2]),
        (63, [1, 3, 126]),
        (64, [1, 3, 0x80, 1]), (400, [1, 3, 0xa0, 6]),
        (.int(.max), [1, 3, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
        (.int(.min), [1, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
        (1.0, [1, 4, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]), (.double(-0.0), [1, 4, 0, 0, 0, 0, 0, 0, 0, 0x80]),
        (.double(.nan), [1, 4, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f]), ("", [1, 5, 0]), ("é", [1, 5, 2, 0xc3, 0xa9]),
        (.bytes([7, 8]), [1, 6, 2, 7, 8]), ([], [1, 7, 1, 0]), ([nil, true], [1, 7, 3, 2, 0, 2]), ([:], [1, 8, 1, 0]),
        ([[]], [1, 7, 4, 1, 7, 1, 0]), (["a": 1], [1, 8, 5, 1, 1, 0x61, 3, 2]),
        // The example of the format description.
        (
            ["iso": 400, "k": ["a"]],
            [
                0x01, 0x08, 0x10, 0x02, 0x03, 0x69, 0x73, 0x6f, 0x03, 0xa0, 0x06, 0x01, 0x6b, 0x07, 0x04, 0x01, 0x05,
                0x01,
                0x61,
            ]
        ),
    ]

    @Test(arguments: bodies) func `A value has one body, and the body that value`(value: DocumentValue, body: [UInt8])
        throws
    {
        #expect(try BodyEncoder.encode(value) == body)
        #expect(try BodyDecoder.decode(body) == value)
        // Outside of the macro, which cannot hold a span.
        let fromSpan = try BodyDecoder.decode(body.span)
        #expect(fromSpan == value)
    }

    @Test func `Every value comes back from its body, and is encoded the same again`() throws {
        var generator = DocumentGenerator()
        for _ in 0..<(DocumentGenerator.isLong ? 200_000 : 5_000) {
            let value = generator.value()
            let body = try BodyEncoder.encode(value)
            let again = try BodyDecoder.decode(body)
            #expect(again == value, "seed \(generator.seed)")
            #expect(try BodyEncoder.encode(again) == body, "seed \(generator.seed)")
        }
    }

    @Test func `A body is appended to what is there`() throws {
        var bytes: [UInt8] = [9, 9]
        try BodyEncoder.append(true, to: &bytes)
        try BodyEncoder.append(nil, to: &bytes)
        #expect(bytes == [9, 9, 1, 2, 1, 0])
    }

    @Test func `A value nested too deep is not encoded, and nothing is appended`() throws {
        var value: DocumentValue = []
        for _ in 1..<DocumentValue.maximumDepth { value = [value] }
        _ = try BodyEncoder.encode(value)
        let deeper: DocumentValue = ["a": value]
        var bytes: [UInt8] = [9]
        let error = #expect(throws: BodyError.self) { try BodyEncoder.append(deeper, to: &bytes) }
        #expect(error?.code == .tooDeep)
        #expect(error?.message == "Arrays and objects are nested more than 512 deep; flatten the value.")
        #expect(bytes == [9])
    }

    static let refused: [([UInt8], BodyError.Code, Int)] = [
        ([], .truncated, 0), ([1], .truncated, 1), ([0, 0], .unsupportedVersion, 0), ([2, 0], .unsupportedVersion, 0),
        ([1, 9], .unsupportedTag, 1), ([1, 10, 0], .unsupportedTag, 1), ([1, 11], .unsupportedTag, 1),
        ([1, 255], .unsupportedTag, 1), ([1, 7, 2, 1, 9], .unsupportedTag, 4), ([1, 0, 0], .trailingBytes, 2),
        ([1, 3], .truncated, 2), ([1, 3, 0x80], .truncated, 3), ([1, 3, 0x80, 0], .invalidVarint, 2),
        ([1, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2], .invalidVarint, 2),
        ([1, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80, 1], .invalidVarint, 2),
        ([1, 4, 0, 0, 0, 0, 0, 0, 0], .truncated, 2), ([1, 5, 1], .truncated, 2), ([1, 5, 1, 0xff], .invalidUTF8, 3),
        ([1, 5, 3, 0x61, 0xc3, 0x28], .invalidUTF8, 4),
        ([1, 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], .truncated, 2),
        ([1, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], .truncated, 2), ([1, 7, 0], .truncated, 3),
        ([1, 7, 2, 0, 0], .invalidLength, 4), ([1, 7, 1, 1], .invalidLength, 3), ([1, 7, 1, 0, 0], .trailingBytes, 4),
        ([1, 7, 2, 0xff, 1], .invalidLength, 3), ([1, 7, 3, 1, 0, 0], .invalidLength, 5),
        ([1, 7, 4, 1, 7, 2, 0, 0], .invalidLength, 5), ([1, 7, 4, 1, 5, 2, 0x61, 0x61], .invalidLength, 5),
        ([1, 7, 2, 1, 3, 2], .invalidLength, 4), ([1, 7, 3, 2, 3, 2, 0], .invalidLength, 6),
        ([1, 8, 9, 0], .truncated, 2), ([1, 8, 3, 1, 1, 0x61, 0], .invalidLength, 6),
        ([1, 8, 4, 1, 1, 0xff, 0], .invalidUTF8, 5), ([1, 8, 7, 2, 1, 0x61, 0, 1, 0x61, 0], .duplicateName, 7),
        ([1, 8, 3, 1, 9, 0x61], .truncated, 4), ([1, 7, 6, 2, 5, 9, 0x61, 0x61, 0, 0], .invalidLength, 5),
    ]

    @Test(arguments: refused) func `Bytes that are no body are refused at the right place`(
        bytes: [UInt8], code: BodyError.Code, offset: Int
    ) {
        let error = #expect(throws: BodyError.self) { try BodyDecoder.decode(bytes) }
        #expect(error?.code == code)
        #expect(error?.offset == offset)
    }

    static let advice = "the body is damaged, verify the database and restore the document from a backup."

    @Test(
        arguments: [
            ([1], "Document body, byte 1: The body ends inside a value; \(advice)"),
            (
                [7, 0],
                "Document body, byte 0: The body has format version 7 and this library reads version 1; "
                    + "update the library, or check the database if no newer one wrote it."
            ),
            (
                [1, 10],
                "Document body, byte 1: A value has the type tag 10, which this library does not read; "
                    + "update the library, or check the database if no newer one wrote it."
            ),
            (
                [1, 3, 0x80, 0],
                "Document body, byte 2: An integer is not in its shortest form or exceeds 64 bits; \(advice)"
            ),
            (
                [1, 7, 1, 1],
                "Document body, byte 3: A length or count reaches beyond the value that contains it; \(advice)"
            ),
            ([1, 7, 2, 0, 0], "Document body, byte 4: An array or object ends before its stated length; \(advice)"),
            ([1, 5, 1, 0xff], "Document body, byte 3: A string is not valid UTF-8; \(advice)"),
            (
                [1, 8, 7, 2, 1, 0x61, 0, 1, 0x61, 0],
                "Document body, byte 7: The name \"a\" occurs a second time in one object; \(advice)"
            ),
            ([1, 0, 0], "Document body, byte 2: Bytes follow the value; \(advice)"),
        ] as [([UInt8], String)])
    func `An error says what is wrong and what to do`(bytes: [UInt8], description: String) {
        let error = #expect(throws: BodyError.self) { try BodyDecoder.decode(bytes) }
        #expect(error?.description == description)
    }

    @Test func `Nesting beyond the limit is refused on a small stack`() throws {
        // Too deep by one: the encoder's bytes for the deepest value, put into one more array by hand.
        var value: DocumentValue = []
        for _ in 1..<DocumentValue.maximumDepth { value = [value] }
        let inner = try BodyEncoder.encode(value).dropFirst()
        let outer = [1] + [7] + varint(inner.count + 1) + [1] + inner
        let error = withSmallStack {
            do throws(BodyError) {
                _ = try BodyDecoder.decode(outer)
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
