import DocumentModel
import TestSupport
import Testing

/// The stored form of attachments.
@Suite struct AttachmentBodyTests {
    private static let digest = [0x0b] + Attachments.digest.bytes
    private static let jpeg: [UInt8] = [0x8a] + Array("image/jpeg".utf8)
    private static let name: [UInt8] = [0x89] + Array("IMG_1.jpg".utf8)

    /// A body that consists of an attachment with these parts.
    private static func body(_ parts: [UInt8]..., length: Int? = nil) -> [UInt8] {
        let rest = Array(parts.joined())
        return [2, 0x0a] + varint(length ?? rest.count) + rest
    }

    private static func varint(_ number: Int) -> [UInt8] {
        number < 128 ? [UInt8(number)] : [UInt8(number & 127) | 128, UInt8(number >> 7)]
    }

    @Test func `An attachment is stored as its digest, size, type and name`() throws {
        let body = Self.body(Self.digest, [0x43], Self.jpeg, Self.name)
        var names = FieldNames()
        #expect(try BodyEncoder.encode(.attachment(Attachments.image), names: &names) == body)
        #expect(try BodyDecoder.decode(body, names: names) == .attachment(Attachments.image))
        let nameless = try #require(Attachment(digest: Attachments.digest, byteCount: 400, type: "a"))
        let other = Self.body(Self.digest, [3, 0xa0, 6], [0x81, 0x61], [0])
        #expect(try BodyEncoder.encode(.attachment(nameless), names: &names) == other)
        #expect(try BodyDecoder.decode(other, names: names) == .attachment(nameless))
        #expect(names.count == 0)
    }

    private static let long: [UInt8] = [5, 0x81, 8] + Array(repeating: 0x61, count: 1025)

    static let refused: [([UInt8], BodyError.Code, Int)] = [
        // Parts missing, of a different kind, out of order, or too many.
        ([2, 0x0a], .truncated, 2), (body(), .invalidAttachment, 3), (body(digest), .invalidAttachment, 1),
        (body(digest, [0x43]), .invalidAttachment, 1), (body(digest, [0x43], jpeg), .invalidAttachment, 1),
        (body([0x43], digest, jpeg, name), .invalidAttachment, 3),
        (body(digest, jpeg, name, [0x43]), .invalidAttachment, 1),
        (body(digest, [0x43], [0x43], name), .invalidAttachment, 1),
        (body(digest, [0x43], [0], name), .invalidAttachment, 1),
        (body(digest, [0x43], jpeg, [0x43]), .invalidAttachment, 1),
        (body(digest, [0x43], jpeg, [7, 1, 0]), .invalidAttachment, 1),
        (body(digest, [0x43], jpeg, digest), .invalidAttachment, 1),
        (body(digest, [0x43], jpeg, [0x0a, 0]), .invalidAttachment, 1),
        (body(digest, [0x43], jpeg, name, [0]), .invalidLength, 58),
        // A negative size, an empty or too long type or name.
        (body(digest, [3, 1], jpeg, name), .invalidAttachment, 1),
        (body(digest, [0x43], [0x80], name), .invalidAttachment, 1),
        (body(digest, [0x43], jpeg, [0x80]), .invalidAttachment, 1),
        (body(digest, [0x43], long, name), .invalidAttachment, 1),
        (body(digest, [0x43], jpeg, long), .invalidAttachment, 1),
        // Not the shortest form, not UTF-8.
        (body(digest, [3, 6], jpeg, name), .notShortest, 36),
        (body(digest, [0x43], [5, 1, 0x61], name), .notShortest, 37),
        (body(digest, [0x43], [0x81, 0xff], name), .invalidUTF8, 38),
        ([2, 0x0a, 0xb6, 0] + digest + [0x43] + jpeg + name, .invalidVarint, 2),
        // Lengths that are too large or too small.
        (body(digest, [0x43], jpeg, name, length: 56), .truncated, 2),
        (body(digest, [0x43], jpeg, name, length: 54), .invalidLength, 48),
        (body(Array(digest.dropLast(20))), .truncated, 3),
        // A digest outside of an attachment.
        ([2] + digest, .unsupportedTag, 1), ([2, 7, 34, 1] + digest, .unsupportedTag, 4),
    ]

    @Test(arguments: refused) func `Bytes that are not an attachment are rejected with the offset of the fault`(
        bytes: [UInt8], code: BodyError.Code, offset: Int
    ) {
        let error = #expect(throws: BodyError.self) { try BodyDecoder.decode(bytes, names: FieldNames()) }
        #expect(error?.code == code)
        #expect(error?.offset == offset)
    }

    @Test func `A body error about an attachment states the problem and a remedy`() {
        let error = #expect(throws: BodyError.self) { try BodyDecoder.decode([2, 0x0a, 0], names: FieldNames()) }
        #expect(
            error?.description
                == "Document body, byte 3: The digest, size, type or name of an attachment is missing or invalid; "
                + BodyTests.advice)
    }

    /// `{"a": …}` with an encoded value.
    private static func object(_ value: [UInt8]) -> [UInt8] {
        [2, 0x10] + varint(value.count + 3) + [1, 0, 0] + value
    }

    @Test(
        arguments: [
            // The size is a string, the type a number, the name an array.
            ("a.bytes", object(Array(body(digest, jpeg, jpeg, name).dropFirst()))),
            ("a.type", object(Array(body(digest, [0x43], [0x43], name).dropFirst()))),
            ("a.name", object(Array(body(digest, [0x43], jpeg, [7, 1, 0]).dropFirst()))),
            // Parts missing.
            ("a.sha256", object([0x0a, 0])), ("a.sha256", object(Array(body([0x43]).dropFirst()))),
            ("a.bytes", object(Array(body(digest).dropFirst()))),
            ("a.name", object(Array(body(digest, [0x43], jpeg).dropFirst()))),
            ("a.type", object([0x0a, 99])), ("a.sha256", object(Array(body(Array(digest.dropLast())).dropFirst()))),
            // A digest that is not within an attachment.
            ("a", object(digest)), ("a[]", object(digest)),
        ] as [(FieldPath, [UInt8])])
    func `Damage to the member of an attachment that a path leads to throws`(path: FieldPath, body: [UInt8]) throws {
        #expect(throws: BodyError.self) {
            _ = try BodyReader(body.span, names: BodyTests.table(["a"])).value(at: path)
        }
    }
}
