import DocumentModel
import TestSupport
import Testing

/// Inputs that are rejected, with code and position. Lines and columns count from 1, columns in bytes.
@Suite struct JSONRejectTests {
    struct Refused: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let code: JSONError.Code
        let line: Int
        let column: Int

        init(_ text: String, _ code: JSONError.Code, _ line: Int, _ column: Int) {
            self.init(bytes: Array(text.utf8), code, line, column)
        }

        init(bytes: [UInt8], _ code: JSONError.Code, _ line: Int, _ column: Int) {
            self.bytes = bytes
            self.code = code
            self.line = line
            self.column = column
        }

        var testDescription: String { String(decoding: bytes.prefix(40), as: UTF8.self) }
    }

    static let ends: [Refused] = [
        .init("", .unexpectedEnd, 1, 1), .init(" ", .unexpectedEnd, 1, 2), .init("\n\n", .unexpectedEnd, 3, 1),
        .init("[", .unexpectedEnd, 1, 2), .init("[ \n", .unexpectedEnd, 2, 1), .init("[1", .unexpectedEnd, 1, 3),
        .init("[1,", .unexpectedEnd, 1, 4), .init("[1 ", .unexpectedEnd, 1, 4), .init("[[]", .unexpectedEnd, 1, 4),
        .init("{", .unexpectedEnd, 1, 2), .init("{\"a\"", .unexpectedEnd, 1, 5), .init("{\"a\":", .unexpectedEnd, 1, 6),
        .init("{\"a\":1", .unexpectedEnd, 1, 7), .init("{\"a\":1,", .unexpectedEnd, 1, 8),
        .init("{\"a\":1,\n", .unexpectedEnd, 2, 1), .init("\"", .unexpectedEnd, 1, 2),
        .init("\"abc", .unexpectedEnd, 1, 5),
        .init("\"é", .unexpectedEnd, 1, 4), .init("\"a\\", .unexpectedEnd, 1, 4), .init(#""\u"#, .unexpectedEnd, 1, 4),
        .init(#""\u12"#, .unexpectedEnd, 1, 6), .init(#""\u1234"#, .unexpectedEnd, 1, 8),
        .init("tru", .unexpectedEnd, 1, 4),
        .init("nul", .unexpectedEnd, 1, 4), .init("[f", .unexpectedEnd, 1, 3), .init("-", .unexpectedEnd, 1, 2),
        .init("1.", .unexpectedEnd, 1, 3), .init("1e", .unexpectedEnd, 1, 3), .init("1e+", .unexpectedEnd, 1, 4),
        .init("{\"a\":{\"b\":[1,{", .unexpectedEnd, 1, 15),
    ]

    static let structure: [Refused] = [
        .init("]", .unexpectedByte, 1, 1), .init("}", .unexpectedByte, 1, 1), .init(",", .unexpectedByte, 1, 1),
        .init(":", .unexpectedByte, 1, 1), .init("[,]", .unexpectedByte, 1, 2), .init("[,1]", .unexpectedByte, 1, 2),
        .init("[1,]", .unexpectedByte, 1, 4), .init("[1,\n ]", .unexpectedByte, 2, 2),
        .init("[1,,2]", .unexpectedByte, 1, 4),
        .init("[1 2]", .unexpectedByte, 1, 4), .init("[1:2]", .unexpectedByte, 1, 3),
        .init("[1}", .unexpectedByte, 1, 3),
        .init("[}", .unexpectedByte, 1, 2), .init("{]", .unexpectedByte, 1, 2), .init("{,}", .unexpectedByte, 1, 2),
        .init("{\"a\":1,}", .unexpectedByte, 1, 8), .init("{\"a\":1,,}", .unexpectedByte, 1, 8),
        .init("{\"a\":1]", .unexpectedByte, 1, 7), .init("{\"a\"}", .unexpectedByte, 1, 5),
        .init("{\"a\",1}", .unexpectedByte, 1, 5), .init("{\"a\":}", .unexpectedByte, 1, 6),
        .init("{\"a\"::1}", .unexpectedByte, 1, 6), .init("{\"a\" 1}", .unexpectedByte, 1, 6),
        .init("{a:1}", .unexpectedByte, 1, 2), .init("{1:1}", .unexpectedByte, 1, 2),
        .init("{null:1}", .unexpectedByte, 1, 2),
        .init("{'a':1}", .unexpectedByte, 1, 2), .init("{[]:1}", .unexpectedByte, 1, 2),
        .init("{\"a\":1 \"b\":2}", .unexpectedByte, 1, 8), .init("{\"a\":1;\"b\":2}", .unexpectedByte, 1, 7),
        .init("['a']", .unexpectedByte, 1, 2), .init("[a]", .unexpectedByte, 1, 2),
        .init("[\\n]", .unexpectedByte, 1, 2),
        .init("{\n  \"a\": 1,\n  \"b\" 2\n}", .unexpectedByte, 3, 7),
        .init("{\r\n  \"a\": x}", .unexpectedByte, 2, 8), .init("[\"é\", x]", .unexpectedByte, 1, 8),
        .init("[1,\u{a0}2]", .unexpectedByte, 1, 4), .init("\u{b}1", .unexpectedByte, 1, 1),
        .init("\u{c}1", .unexpectedByte, 1, 1), .init("[\u{2028}1]", .unexpectedByte, 1, 2),
        .init("\0", .unexpectedByte, 1, 1), .init("(1)", .unexpectedByte, 1, 1),
    ]

    static let words: [Refused] = [
        .init("True", .unexpectedByte, 1, 1), .init("NULL", .unexpectedByte, 1, 1),
        .init("trUe", .unexpectedByte, 1, 3),
        .init("nulL", .unexpectedByte, 1, 4), .init("[tru]", .unexpectedByte, 1, 5),
        .init("nan", .unexpectedByte, 1, 2),
        .init("NaN", .unexpectedByte, 1, 1), .init("Infinity", .unexpectedByte, 1, 1),
        .init("-Infinity", .invalidNumber, 1, 2),
        .init("undefined", .unexpectedByte, 1, 1), .init("// x\n1", .unexpectedByte, 1, 1),
        .init("[1, /* x */ 2]", .unexpectedByte, 1, 5), .init("# x\n1", .unexpectedByte, 1, 1),
        .init("[1] // x", .trailingContent, 1, 5),
    ]

    static let trailing: [Refused] = [
        .init("1 2", .trailingContent, 1, 3), .init("1,", .trailingContent, 1, 2), .init("[]]", .trailingContent, 1, 3),
        .init("{}{}", .trailingContent, 1, 3), .init("{}\n{}", .trailingContent, 2, 1),
        .init("nulll", .trailingContent, 1, 5),
        .init("\"a\"b", .trailingContent, 1, 4), .init("{}}", .trailingContent, 1, 3),
        .init("1\0", .trailingContent, 1, 2),
        .init("true false", .trailingContent, 1, 6), .init("\"a\" \"b\"", .trailingContent, 1, 5),
        .init("0x10", .trailingContent, 1, 2), .init("1_000", .trailingContent, 1, 2),
        .init("1a", .trailingContent, 1, 2),
    ]

    static let numbers: [Refused] = [
        .init("01", .invalidNumber, 1, 1), .init("-01", .invalidNumber, 1, 2), .init("00", .invalidNumber, 1, 1),
        .init("[1, 007]", .invalidNumber, 1, 5), .init("00.5", .invalidNumber, 1, 1),
        .init("+1", .unexpectedByte, 1, 1),
        .init(".5", .unexpectedByte, 1, 1), .init("-.5", .invalidNumber, 1, 2), .init("1.e5", .invalidNumber, 1, 3),
        .init("[1.]", .invalidNumber, 1, 4), .init("1.5.5", .trailingContent, 1, 4), .init("--1", .invalidNumber, 1, 2),
        .init("- 1", .invalidNumber, 1, 2), .init("-a", .invalidNumber, 1, 2), .init("[1e]", .invalidNumber, 1, 4),
        .init("1e1.5", .trailingContent, 1, 4), .init("1ee5", .invalidNumber, 1, 3),
        .init("1e-+5", .invalidNumber, 1, 4),
        .init("[-]", .invalidNumber, 1, 3), .init("1e5e5", .trailingContent, 1, 4),
        .init("1-2", .trailingContent, 1, 2), .init("[\u{ff11}]", .unexpectedByte, 1, 2),
        .init("1e400", .numberOutOfRange, 1, 1),
        .init("[\n12345678901234567890]", .numberOutOfRange, 2, 1),
    ]

    static let strings: [Refused] = [
        .init("\"a\nb\"", .controlCharacter, 1, 3), .init("\"a\tb\"", .controlCharacter, 1, 3),
        .init("\"\0\"", .controlCharacter, 1, 2), .init("\"1234567\u{1f}9\"", .controlCharacter, 1, 9),
        .init("\"12345678\u{1}\"", .controlCharacter, 1, 10), .init("{\"a\n\":1}", .controlCharacter, 1, 4),
        .init(#""\a""#, .invalidEscape, 1, 3), .init(#""\'""#, .invalidEscape, 1, 3),
        .init(#""\x41""#, .invalidEscape, 1, 3),
        .init(#""\U0041""#, .invalidEscape, 1, 3), .init(#""\0""#, .invalidEscape, 1, 3),
        .init("\"\\\n\"", .invalidEscape, 1, 3),
        .init(#""\é""#, .invalidEscape, 1, 3), .init(#""\u12g4""#, .invalidEscape, 1, 6),
        .init(#""\u{41}""#, .invalidEscape, 1, 4),
        .init(#""\u 041""#, .invalidEscape, 1, 4), .init(#""\u123""#, .invalidEscape, 1, 7),
        .init(#""\u+123""#, .invalidEscape, 1, 4),
        .init(#""\ud800""#, .loneSurrogate, 1, 2), .init(#""\ud83d x""#, .loneSurrogate, 1, 2),
        .init(#""ab\ude00""#, .loneSurrogate, 1, 4), .init(#""\ud800\ud800""#, .loneSurrogate, 1, 2),
        .init(#""\ud800\u0041""#, .loneSurrogate, 1, 2), .init(#""\ud800\n""#, .loneSurrogate, 1, 2),
        .init(#""\udc00\ud800""#, .loneSurrogate, 1, 2), .init(#"{"\udfff":1}"#, .loneSurrogate, 1, 3),
        .init(#""\ud83d\u""#, .invalidEscape, 1, 10),
    ]

    static let encodings: [Refused] = [
        .init(bytes: [0x22, 0x80, 0x22], .invalidUTF8, 1, 2),
        .init(bytes: [0x22, 0x61, 0xff, 0x22], .invalidUTF8, 1, 3),
        .init(bytes: [0x22, 0xc3, 0x22], .invalidUTF8, 1, 2),
        .init(bytes: [0x22, 0xc0, 0x80, 0x22], .invalidUTF8, 1, 2),
        .init(bytes: [0x22, 0xe2, 0x82, 0x22], .invalidUTF8, 1, 2),
        .init(bytes: [0x22, 0xed, 0xa0, 0x80, 0x22], .invalidUTF8, 1, 2),
        .init(bytes: [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], .invalidUTF8, 1, 2),
        .init(bytes: [0x22, 0xf8, 0x88, 0x80, 0x80, 0x80, 0x22], .invalidUTF8, 1, 2),
        .init(bytes: [0x22, 0xe0, 0x80, 0xaf, 0x22], .invalidUTF8, 1, 2),
        .init(bytes: [0x22, 0xc3, 0x5c, 0x6e, 0xa9, 0x22], .invalidUTF8, 1, 2),
        .init(bytes: [0x22, 0xe9, 0x22], .invalidUTF8, 1, 2),
        .init(bytes: [0x22, 0x80, 0x0a, 0x22], .invalidUTF8, 1, 2),
        .init(bytes: [0x22] + Array("12345678é".utf8) + [0xfe, 0x22], .invalidUTF8, 1, 12),
        .init(bytes: [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d], .invalidUTF8, 1, 3),
        .init(bytes: [0xc3, 0xa9], .unexpectedByte, 1, 1), .init(bytes: [0xff], .unexpectedByte, 1, 1),
        .init("\u{feff}{}", .byteOrderMark, 1, 1),
        .init(bytes: [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00], .byteOrderMark, 1, 1),
        .init(bytes: [0xfe, 0xff, 0x00, 0x7b], .byteOrderMark, 1, 1), .init(" \u{feff}{}", .unexpectedByte, 1, 2),
        .init(bytes: [0x7b, 0x00, 0x7d, 0x00], .unexpectedByte, 1, 2),
    ]

    static let duplicates: [Refused] = [
        .init(#"{"a":1,"a":1}"#, .duplicateName, 1, 8), .init(#"{"a":1,"\u0061":2}"#, .duplicateName, 1, 8),
        .init(#"{"":1,"":2}"#, .duplicateName, 1, 7), .init("[{\"x\":{\"b\":1,\n\"b\":2}}]", .duplicateName, 2, 1),
        .init(#"{"a":{"a":1},"b":[],"a":2}"#, .duplicateName, 1, 21),
        .init("{" + (0..<40).map { "\"n\($0)\":0," }.joined() + "\"n3\":1}", .duplicateName, 1, 312),
        .init("{" + (0..<16).map { "\"n\($0)\":0," }.joined(separator: "\n") + "\n\"n15\":1}", .duplicateName, 17, 1),
    ]

    @Test(arguments: ends + structure + words + trailing)
    func `Invalid JSON grammar is rejected at the right position`(_ refused: Refused) {
        Self.check(refused)
    }

    @Test(arguments: numbers + strings + encodings + duplicates)
    func `An invalid token is rejected at the right position`(_ refused: Refused) {
        Self.check(refused)
    }

    private static func check(_ refused: Refused) {
        for notation in [DocumentValue.JSONNotation.plain, .dump] {
            let parser = JSONParser(notation: notation)
            let error = #expect(throws: JSONError.self) { try parser.parse(refused.bytes) }
            #expect(error?.code == refused.code)
            #expect(error?.line == refused.line)
            #expect(error?.column == refused.column)
            // The offset agrees with line and column.
            guard let error else { continue }
            let before = refused.bytes.prefix(error.offset)
            #expect(before.count == error.offset)
            #expect(before.count { $0 == 10 } + 1 == error.line)
            #expect(before.count - ((before.lastIndex(of: 10) ?? -1) + 1) + 1 == error.column)
        }
    }

    @Test func `A truncated JSON object is rejected`() {
        let text = #"{"a":[1,-2.5e+3,true,false,null,"x\n\u00e9\ud83d\ude00é"],"b":{"c":{}}}"#
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            #expect(throws: JSONError.self) { try JSONParser().parse(Array(bytes[..<count])) }
        }
    }

    @Test func `Damaged JSON throws or is read, but never traps`() {
        let text = #"{"a":[1,-2.5e+3,true,false,null,"x\n\u00e9\ud83d\ude00é"],"$lit":{"$num":"nan"},"$bytes":"AA=="}"#
        var generator = DocumentGenerator()
        for _ in 0..<(DocumentGenerator.isLong ? 1_000_000 : 20_000) {
            var bytes = Array(text.utf8)
            for _ in 0...generator.number(below: 3) {
                bytes[generator.number(below: bytes.count)] = UInt8(truncatingIfNeeded: generator.next())
            }
            let value = try? JSONParser(notation: .dump).parse(bytes)
            if let value { #expect((try? DocumentValue(json: value.description, notation: .dump)) == value) }
        }
    }
}
