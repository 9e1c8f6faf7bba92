import Foundation
import LevelKit
import Testing

/// At least one tuple of each type code and of each rule; needs no file.
@Suite struct TupleCoreVectorTests {
    static let vectors: [(tuple: Tuple, hex: String)] = [
        ([], ""),
        ([nil], "00"),
        ([nil, nil], "0000"),
        ([.bytes([])], "0100"),
        ([.bytes([0x00, 0x2a, 0x00, 0xff])], "01 00ff 2a 00ff ff 00"),
        ([""], "0200"),
        (["hi"], "02 6869 00"),
        (["a\0b"], "02 61 00ff 62 00"),
        (["\u{E9}"], "02 c3a9 00"),
        (["e\u{301}"], "02 65cc81 00"),
        (["\u{10FFFF}"], "02 f48fbfbf 00"),
        ([[]], "05 00"),
        ([[nil]], "05 00ff 00"),
        ([[nil, "x", [0, nil]], nil], "05 00ff 027800 05 14 00ff 00 00 00"),
        ([0], "14"),
        ([1, -1], "1501 13fe"),
        ([255, 256], "15ff 160100"),
        ([-255, -256], "1300 12feff"),
        ([.int(.max)], "1c 7fffffffffffffff"),
        ([.int(.min)], "0c 7fffffffffffffff"),
        ([.integer(UInt64.max)], "1c ffffffffffffffff"),
        ([.bigInteger(-0x1_0000_0000_0000_0000)], "0b f6 feffffffffffffffff"),
        ([.bigInteger(-0xffff_ffff_ffff_ffff)], "0c 0000000000000000"),
        ([.bigInteger(0x1_0000_0000_0000_0000)], "1d 09 010000000000000000"),
        ([.float(1)], "20 bf800000"),
        ([.float(-42)], "20 3dd7ffff"),
        ([1.0, -0.0], "21 bff0000000000000 21 7fffffffffffffff"),
        ([.double(-.infinity)], "21 000fffffffffffff"),
        ([false, true], "26 27"),
        (
            [.uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255)))],
            "30 000102030405060708090a0b0c0d0eff"
        ),
        (
            [
                .versionstamp(
                    Tuple.Versionstamp(commitVersion: 0x0102_0304_0506_0708, batchNumber: 0x090a, userVersion: 657))
            ],
            "33 0102030405060708 090a 0291"
        ),
        ([.versionstamp(.incomplete(userVersion: 1))], "33 ffffffffffffffffffff 0001"),
        ([.descending(nil)], "40 ff"),
        ([.descending(1)], "40 ea fe"),
        ([.descending("a")], "40 fd 9e ffff"),
        ([.descending("a\0")], "40 fd 9e ff00 ffff"),
        ([.descending([nil]), nil], "40 fa ff00 ff ff 00"),
        ([.descending(.descending("a"))], "40 bf 02 61 0000"),
        ([[.descending("a"), nil]], "05 40fd9effff 00ff 00"),
    ]

    @Test(arguments: vectors.indices)
    func `A tuple encodes to its expected bytes and decodes from them`(index: Int) throws {
        let (tuple, hexadecimal) = Self.vectors[index]
        #expect(hex(tuple.packed()) == hex(bytes(hexadecimal)))
        #expect(try Tuple(packed: bytes(hexadecimal)) == tuple)
    }

    /// Bytes, the expected error code, and the offset of the faulty element.
    static let malformed: [(hex: String, code: TupleError.Code, offset: Int)] = [
        ("14 01 61", .unterminated, 1),
        ("02 61 00ff", .unterminated, 0),
        ("05 14", .unterminated, 2),
        ("05 00ff", .unterminated, 3),
        ("40", .unterminated, 1),
        ("40 fd 9e ff", .unterminated, 0),
        ("40 fd 9e ff fe", .unterminated, 0),
        ("16 01", .truncated, 0),
        ("1d", .truncated, 0),
        ("1d 09 0102", .truncated, 0),
        ("0b 00", .truncated, 0),
        ("20 000000", .truncated, 0),
        ("21 00000000000000", .truncated, 0),
        ("14 30 00", .truncated, 1),
        ("33 00000000000000000000 00", .truncated, 0),
        ("02 c0 00", .invalidUTF8, 0),
        ("02 eda080 00", .invalidUTF8, 0),
        ("05 14 02 ff 00 00", .invalidUTF8, 2),
        ("15 00", .nonCanonical, 0),
        ("16 0001", .nonCanonical, 0),
        ("13 ff", .nonCanonical, 0),
        ("12 ff00", .nonCanonical, 0),
        ("1d 00", .nonCanonical, 0),
        ("1d 01 05", .nonCanonical, 0),
        ("1d 08 fffffffffffffffe", .nonCanonical, 0),
        ("1d 09 00ffffffffffffffff", .nonCanonical, 0),
        ("0b f7 0000000000000001", .nonCanonical, 0),
        ("03", .unknownCode, 0),
        ("25", .unknownCode, 0),
        ("41", .unknownCode, 0),
        ("27 f0", .unknownCode, 1),
        ("ff", .unknownCode, 0),
    ]

    @Test(arguments: malformed.indices)
    func `Bytes that are not a tuple throw an error with code and offset`(index: Int) throws {
        let (hexadecimal, code, offset) = Self.malformed[index]
        let error = try #require(throws: TupleError.self) { try Tuple(packed: bytes(hexadecimal)) }
        #expect(error.code == code)
        #expect(error.offset == offset)
    }

    @Test func `Python's encodings of the largest eight-byte integers decode, even when descending`() throws {
        let largest = Tuple([.integer(UInt64.max)])
        #expect(try Tuple(packed: bytes("1d08ffffffffffffffff")) == largest)
        #expect(try Tuple(packed: bytes("0bf70000000000000000")) == [.bigInteger(-0xffff_ffff_ffff_ffff)])
        #expect(try Tuple(packed: bytes("40e2f70000000000000000")) == [.descending(largest[0])])
    }
}
