import Foundation
import LevelKit
import Testing

@Suite struct TupleDecoderTests {
    /// Returns the error that reading throws, or `nil` if it succeeds.
    private func error(
        _ decoder: inout TupleDecoder, _ read: (inout TupleDecoder) throws(TupleError) -> Void
    ) -> TupleError? {
        do throws(TupleError) {
            try read(&decoder)
            return nil
        } catch {
            return error
        }
    }

    @Test func `Typed readers return what was written, to the end`() throws {
        let uuid = UUID()
        let stamp = Tuple.Versionstamp.incomplete(userVersion: 3)
        let tuple: Tuple = [
            "text\0", .bytes([0, 9]), nil, -7, .integer(UInt64.max), .bigInteger(0x1_0000_0000_0000_0000), .float(-2.5),
            2.5, true, .uuid(uuid), .versionstamp(stamp), [1, nil], "skipped",
        ]
        let key = tuple.packed()
        var decoder = TupleDecoder(key.span)
        #expect(try decoder.decodeString() == "text\0")
        #expect(try decoder.decodeBytes() == [0, 9])
        try decoder.decodeNull()
        #expect(try decoder.decodeInt64() == -7)
        #expect(try decoder.decodeUInt64() == .max)
        #expect(try decoder.decodeBigInteger() == 0x1_0000_0000_0000_0000)
        #expect(try decoder.decodeFloat() == -2.5)
        #expect(try decoder.decodeDouble() == 2.5)
        #expect(try decoder.decodeBool())
        #expect(try decoder.decodeUUID() == uuid)
        #expect(try decoder.decodeVersionstamp() == stamp)
        #expect(try decoder.decodeTuple() == [1, nil])
        #expect(decoder.isAtEnd == false)
        #expect(error(&decoder) { (d) throws(TupleError) in try d.requireEnd() }?.code == .trailingElements)
        try decoder.skipElement()
        #expect(decoder.isAtEnd == true)
        #expect(decoder.offset == key.count)
        try decoder.requireEnd()
        #expect(error(&decoder) { (d) throws(TupleError) in try d.skipElement() }?.code == .endOfTuple)
    }

    @Test func `Each integer reader accepts the integers in its range`() {
        let cases: [(Tuple.BigInteger, Int64?, UInt64?)] = [
            (0, 0, 0), (-1, -1, nil), (Tuple.BigInteger(Int64.min), .min, nil),
            (Tuple.BigInteger(Int64.max), .max, 1 << 63 - 1),
            (0x8000_0000_0000_0000, nil, 1 << 63), (-0x8000_0000_0000_0001, nil, nil),
            (0xffff_ffff_ffff_ffff, nil, .max), (0x1_0000_0000_0000_0000, nil, nil),
            (-0x1_0000_0000_0000_0000, nil, nil),
        ]
        for (value, signed, unsigned) in cases {
            let key = Tuple([.integer(value)]).packed()
            var decoder = TupleDecoder(key.span)
            let hasSigned = error(&decoder) { (d) throws(TupleError) in #expect(try d.decodeInt64() == signed) }
            #expect(hasSigned?.code == (signed == nil ? .outOfRange : nil))
            decoder = TupleDecoder(key.span)
            let hasUnsigned = error(&decoder) { (d) throws(TupleError) in #expect(try d.decodeUInt64() == unsigned) }
            #expect(hasUnsigned?.code == (unsigned == nil ? .outOfRange : nil))
            decoder = TupleDecoder(key.span)
            #expect((try? decoder.decodeBigInteger()) == value)
        }
    }

    @Test func `Reading the wrong type does not move the decoder`() throws {
        let key = Tuple(["a", 1]).packed()
        var decoder = TupleDecoder(key.span)
        try decoder.skipElement()
        let mismatch = error(&decoder) { (d) throws(TupleError) in _ = try d.decodeString() }
        #expect(mismatch?.code == .typeMismatch)
        #expect(mismatch?.offset == 3)
        #expect(decoder.offset == 3)
        #expect(try decoder.decodeInt64() == 1)
    }

    @Test func `The type of the next element is known before it is read`() {
        for (element, kind) in zip(
            [nil, .bytes([]), "", [], 0, .float(0), 0.0, true, .uuid(UUID()), .versionstamp(.incomplete())]
                as [Tuple.Element],
            Tuple.Element.Kind.allCases
        ) {
            #expect(element.kind == kind)
            #expect(TupleDecoder(Tuple([element]).packed().span).nextKind == kind)
        }
        #expect(TupleDecoder(Tuple([.descending(1)]).packed().span).nextKind == .descending)
        for key: [UInt8] in [[], [0xff]] { #expect(TupleDecoder(key.span).nextKind == nil) }
    }

    @Test func `A decoder can start after a key's prefix`() throws {
        let key: [UInt8] = [0xaa, 0xbb, 0x15, 0x05]
        var decoder = TupleDecoder(key.span, from: 2)
        #expect(try decoder.decodeInt64() == 5)
        #expect(decoder.offset == 4)
        let beyond = TupleDecoder(key.span, from: 9)
        #expect(beyond.isAtEnd == true)
        #expect(beyond.offset == 4)
    }

    @Test func `A copy of a decoder reads ahead without moving the original`() throws {
        let key = Tuple([1, 2]).packed()
        let decoder = TupleDecoder(key.span)
        var copy = decoder
        try copy.skipElement()
        #expect(copy.offset == 2)
        #expect(decoder.offset == 0)
    }

    @Test func `Skipping ignores content that decoding rejects`() throws {
        let key = bytes("02 ff 00 15 00 14")
        var decoder = TupleDecoder(key.span)
        try decoder.skipElement()
        try decoder.skipElement()
        #expect(try decoder.decodeInt64() == 0)
    }

    // MARK: - Container elements

    @Test func `A nested tuple is read element by element, and unread elements are skipped`() throws {
        let key = Tuple([[nil, "x", [nil]], [1, 2, 3], 9]).packed()
        var decoder = TupleDecoder(key.span)
        let names = try decoder.decodeNested { (decoder) throws(TupleError) in
            var names: [String] = []
            while !decoder.isAtEnd {
                if decoder.nextKind == .string {
                    names.append(try decoder.decodeString())
                } else {
                    try decoder.skipElement()
                }
            }
            return names
        }
        #expect(names == ["x"])
        let first = try decoder.decodeNested { (decoder) throws(TupleError) in try decoder.decodeInt64() }
        #expect(first == 1)
        #expect(try decoder.decodeInt64() == 9)
    }

    @Test func `A descending element is read by the readers of its content`() throws {
        let key = Tuple([.descending("a\0b"), .descending(7), .descending([nil, -1]), .descending("skipped"), nil])
            .packed()
        var decoder = TupleDecoder(key.span)
        #expect(try decoder.decodeDescending { (d) throws(TupleError) in try d.decodeString() } == "a\0b")
        #expect(try decoder.decodeDescending { (d) throws(TupleError) in try d.decodeInt64() } == 7)
        #expect(try decoder.decodeDescending { (d) throws(TupleError) in try d.decodeTuple() } == [nil, -1])
        try decoder.decodeDescending { (_) throws(TupleError) in }
        try decoder.decodeNull()
        #expect(decoder.isAtEnd == true)
    }

    @Test func `A descending element contains exactly one element`() throws {
        let key = Tuple([.descending(7), 8]).packed()
        var decoder = TupleDecoder(key.span)
        let failure = error(&decoder) { (decoder) throws(TupleError) in
            try decoder.decodeDescending { (decoder) throws(TupleError) in
                #expect(try decoder.decodeInt64() == 7)
                #expect(decoder.isAtEnd == true)
                try decoder.skipElement()
            }
        }
        #expect(failure?.code == .endOfTuple)
        #expect(decoder.offset == 0)
        #expect(try decoder.decodeElement() == .descending(7))
        #expect(try decoder.decodeElement() == 8)
    }

    @Test func `A failure inside a nested tuple returns the decoder to the tuple's start`() throws {
        let key = Tuple([["x", 1]]).packed()
        var decoder = TupleDecoder(key.span)
        let failure = error(&decoder) { (decoder) throws(TupleError) in
            try decoder.decodeNested { (decoder) throws(TupleError) in
                try decoder.skipElement()
                _ = try decoder.decodeString()
            }
        }
        #expect(failure?.code == .typeMismatch)
        #expect(failure?.offset == 4)
        #expect(decoder.offset == 0)
        #expect(try decoder.decodeTuple() == ["x", 1])
    }
}
