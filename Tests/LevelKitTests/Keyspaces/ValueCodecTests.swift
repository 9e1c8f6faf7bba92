import Foundation
import LevelKit
import Testing

@Suite struct ValueCodecTests {
    private struct Photo: Codable, Equatable {
        var title: String
        var size: [Int]
        var taken: Date?
        var labels: [String: Double] = [:]
    }

    /// Checks that values round-trip, and that their bytes are as expected.
    private func check<Value: Equatable>(_ codec: ValueCodec<Value>, _ vectors: [(Value, [UInt8])]) throws {
        for (value, bytes) in vectors {
            #expect(try codec.encode(value) == bytes)
            #expect(try codec.decode(bytes) == value)
        }
    }

    /// Returns the error for bytes that are not a valid value.
    private func failure<Value>(_ codec: ValueCodec<Value>, _ bytes: [UInt8]) throws -> LevelError {
        let error = try levelError { _ = try codec.decode(bytes) }
        #expect(error.code == .malformedEntry)
        return error
    }

    @Test func `Byte, text and empty values are stored verbatim`() throws {
        try check(.bytes, [([], []), ([0, 0xff], [0, 0xff])])
        try check(.text, [("", []), ("\u{E9}", [0xc3, 0xa9]), ("e\u{301}", [0x65, 0xcc, 0x81])])
        #expect(try ValueCodec.empty.encode(()) == [])
        try ValueCodec.empty.decode([])
        #expect(try failure(.empty, [1]).cause == "1 bytes instead of none")
        #expect(try failure(.text, [0x61, 0xff]).cause == "the bytes from position 1 are not UTF-8")
        #expect(ValueCodec.bytes.name == "bytes" && ValueCodec.text.name == "text" && ValueCodec.empty.name == "empty")
    }

    @Test func `Fixed-width integers are little-endian`() throws {
        try check(
            .fixedWidth(Int64.self),
            [(1, [1, 0, 0, 0, 0, 0, 0, 0]), (-2, [0xfe] + [UInt8](repeating: 0xff, count: 7))])
        try check(.fixedWidth(UInt16.self), [(0x1234, [0x34, 0x12]), (.max, [0xff, 0xff])])
        try check(.fixedWidth(Int.self), [(.min, [0, 0, 0, 0, 0, 0, 0, 0x80])])
        try check(.fixedWidth(Int8.self), [(-1, [0xff])])
        #expect(ValueCodec.fixedWidth(Int.self).name == "int64-le")
        #expect(ValueCodec.fixedWidth(UInt16.self).name == "uint16-le")
        #expect(try failure(.fixedWidth(UInt16.self), [1, 2, 3]).cause == "3 bytes instead of 2")
    }

    @Test func `Varints use the minimum number of bytes`() throws {
        try check(.varint(UInt64.self), [(0, [0]), (127, [0x7f]), (128, [0x80, 1]), (300, [0xac, 2])])
        try check(.varint(UInt64.self), [(.max, [UInt8](repeating: 0xff, count: 9) + [1])])
        try check(.varint(Int.self), [(0, [0]), (-1, [1]), (1, [2]), (-64, [0x7f]), (64, [0x80, 1])])
        try check(.varint(Int64.self), [(.min, [UInt8](repeating: 0xff, count: 9) + [1])])
        try check(.varint(Int8.self), [(.min, [0xff, 1]), (.max, [0xfe, 1])])
        #expect(ValueCodec.varint(Int.self).name == "varint" && ValueCodec.varint(UInt8.self).name == "uvarint")
    }

    @Test func `Varints that are truncated, too long, not minimal or too large are rejected`() throws {
        let malformed: [[UInt8]] = [
            [], [0x80], [0x80, 0], [0x01, 0x01], [0xff, 0xff], [0x80, 2], [0xff, 3], [0x81, 0x80, 0],
            [UInt8](repeating: 0xff, count: 30) + [1],
        ]
        for bytes in malformed { _ = try failure(.varint(UInt8.self), bytes) }
        #expect(try ValueCodec.varint(UInt8.self).decode([0xff, 1]) == 255)
        _ = try failure(.varint(UInt64.self), [UInt8](repeating: 0xff, count: 9) + [2])
    }

    @Test func `Random integers round-trip through both encodings`() throws {
        var generator = TupleGenerator(seed: TupleTestPlan.seed)
        for _ in 0..<20_000 {
            let value = generator.int64()
            let narrow = Int32(truncatingIfNeeded: value)
            try check(.varint(Int64.self), [(value, ValueCodec.varint(Int64.self).encode(value))])
            try check(.fixedWidth(Int64.self), [(value, ValueCodec.fixedWidth(Int64.self).encode(value))])
            try check(
                .varint(UInt64.self),
                [(UInt64(bitPattern: value), ValueCodec.varint().encode(UInt64(bitPattern: value)))])
            try check(.varint(Int32.self), [(narrow, ValueCodec.varint(Int64.self).encode(Int64(narrow)))])
        }
    }

    @Test func `JSON values have sorted keys`() throws {
        let codec = ValueCodec.json(Photo.self)
        let photo = Photo(title: "a/b", size: [3, 4], taken: nil, labels: ["z": 1.5, "a": 2])
        #expect(
            try String(decoding: codec.encode(photo), as: UTF8.self)
                == #"{"labels":{"a":2,"z":1.5},"size":[3,4],"title":"a/b"}"#)
        #expect(try codec.decode(codec.encode(photo)) == photo)
        try check(.json(Int.self), [(5, Array("5".utf8))])
        #expect(ValueCodec.json(Photo.self, version: 3).version == 3)
    }

    @Test func `Property lists are binary and preserve dates`() throws {
        let codec = ValueCodec.propertyList(Photo.self)
        let photo = Photo(title: "a", size: [], taken: Date(timeIntervalSinceReferenceDate: 0.25))
        let bytes = try codec.encode(photo)
        #expect(bytes.starts(with: Array("bplist00".utf8)))
        #expect(try codec.decode(bytes) == photo)
        _ = try failure(codec, Array(bytes.dropLast(9)))
        _ = try failure(codec, [])
    }

    @Test func `Decoding errors name the position but reveal nothing of the value`() throws {
        let codec = ValueCodec.json(Photo.self)
        let cases: [(json: String, cause: String)] = [
            (#"{"title":"secret"}"#, "no value for size at the top"),
            (#"{"title":"secret","size":["secret"]}"#, "not a value of type Int at size.[0]"),
            (#"{"title":"secret","size":[1,null]}"#, "null instead of Int at size.[1]"),
            (#"{"title":"a","size":[],"labels":{"secret":"secret"}}"#, "not a value of type Double at labels.[…]"),
            (#"{"title":"a","size":[],"labels":{"secret":{"secret":1}}}"#, "not a value of type Double at labels.[…]"),
            (#"{"title":"secret"#, "invalid data at the top"), ("", "invalid data at the top"),
        ]
        for (json, cause) in cases {
            let error = try failure(codec, Array(json.utf8))
            #expect(error.cause == cause, "\(json)")
            #expect(!error.description.contains("secret"))
            #expect(error.message.contains("json v1"))
        }
        let photo = Photo(title: "a", size: [], labels: ["secret": .infinity])
        let error = try levelError { _ = try codec.encode(photo) }
        #expect(error.code == .invalidArgument)
        #expect(error.cause == "a value that this format cannot represent at labels.[…]")
    }

    @Test func `The error from a custom codec names only the type of the error it threw`() throws {
        struct Secret: Error { var content = "secret" }
        let codec = ValueCodec<Int>(
            "own", version: 2, encode: { _ in throw Secret() }, decode: { _ in throw Secret() })
        #expect(try failure(codec, [1]).cause == "an error of type Secret")
        let error = try levelError { _ = try codec.encode(1) }
        #expect(error.code == .invalidArgument)
        #expect(error.description.contains("own v2") && !error.description.contains("secret"))
    }

    @Test func `Random bytes decode to a value or throw`() throws {
        var generator = TupleGenerator(seed: TupleTestPlan.seed)
        let photo = Photo(title: "a", size: [1, 2], taken: Date(timeIntervalSinceReferenceDate: 5), labels: ["x": 1])
        let json = try ValueCodec.json(Photo.self).encode(photo)
        let list = try ValueCodec.propertyList(Photo.self).encode(photo)
        for _ in 0..<TupleTestPlan.rounds(1000, long: 100_000) {
            for var bytes in [json, list] {
                for _ in 0...generator.below(3) { bytes[generator.below(bytes.count)] = UInt8(generator.below(256)) }
                _ = try? ValueCodec.json(Photo.self).decode(bytes)
                _ = try? ValueCodec.propertyList(Photo.self).decode(bytes)
                _ = try? ValueCodec.text.decode(bytes)
                _ = try? ValueCodec.varint(Int.self).decode(Array(bytes.prefix(generator.below(12))))
            }
        }
    }
}
