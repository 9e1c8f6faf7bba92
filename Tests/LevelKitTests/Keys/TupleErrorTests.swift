import LevelKit
import Testing

@Suite struct TupleErrorTests {
    /// For each code, bytes that cause it and words that its message must contain.
    static let cases: [(code: TupleError.Code, hex: String, words: String)] = [
        (.truncated, "1601", "ends inside an integer"),
        (.unterminated, "0261", "terminator of a string"),
        (.unknownCode, "f0", "type code f0"),
        (.invalidUTF8, "02ff00", "not valid UTF-8"),
        (.nonCanonical, "1500", "more bytes than it needs"),
        (.tooDeep, String(repeating: "05", count: 65), "more than 64 levels"),
        (.trailingElements, "14", "continues after the last expected element"),
        (.endOfTuple, "", "no further element"),
        (.typeMismatch, "026100", "a string, not an integer"),
        (.outOfRange, "1cffffffffffffffff", "does not fit into Int64"),
    ]

    private func error(_ index: Int) throws(TupleError) {
        let (code, hexadecimal, _) = Self.cases[index]
        let key = bytes(hexadecimal)
        var decoder = TupleDecoder(key.span)
        switch code {
        case .trailingElements: try decoder.requireEnd()
        case .endOfTuple, .typeMismatch, .outOfRange: _ = try decoder.decodeInt64()
        default: _ = try decoder.decodeElement()
        }
    }

    @Test(arguments: cases.indices)
    func `A tuple error states the problem, the position and a remedy`(index: Int) throws {
        let thrown = try #require(throws: TupleError.self) { try error(index) }
        #expect(thrown.code == Self.cases[index].code)
        #expect(thrown.message.contains(Self.cases[index].words))
        #expect(thrown.message.hasSuffix("."))
        #expect(thrown.description.hasPrefix("Byte \(thrown.offset) of a tuple key: "))
    }

    @Test func `Every tuple error code has a test case`() {
        #expect(Set(Self.cases.map(\.code)) == Set(TupleError.Code.allCases))
    }

    @Test func `A tuple error does not reveal values of the key`() throws {
        let error = try #require(throws: TupleError.self) { try Tuple(packed: bytes("02 736563726574 ff 00")) }
        #expect(!error.description.contains("secret"))
    }
}
