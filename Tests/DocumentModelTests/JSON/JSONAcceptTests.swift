import DocumentModel
import TestSupport
import Testing

/// Inputs that RFC 8259 allows, and what they mean.
@Suite struct JSONAcceptTests {
    static let scalars: [(String, DocumentValue)] = [
        ("null", nil), ("true", true), ("false", false), (" true ", true), ("\n\r\t null\t\r\n", nil),
        ("0", 0), ("7", 7), ("-1", -1), ("\"\"", ""), ("\"a\"", "a"), (" \"a\" ", "a"),
    ]

    static let strings: [(String, DocumentValue)] = [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
        (#""\u0000""#, "\0"), (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\u001F""#, "\u{1f}"),
        (#""\ud83d\ude00""#, "😀"), (#""\uD834\uDD1E x""#, "𝄞 x"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
        (#""\uFFFF\uFFFE""#, "\u{ffff}\u{fffe}"), (#""\u2028\u2029""#, "\u{2028}\u{2029}"),
        ("\"\u{2028}\u{2029}\"", "\u{2028}\u{2029}"), ("\"\u{7f}\"", "\u{7f}"), ("\"é€😀\"", "é€😀"),
        ("\"\u{feff}\"", "\u{feff}"), ("\"e\u{301}\"", "e\u{301}"), ("\"1234567\"", "1234567"),
        ("\"12345678\"", "12345678"), ("\"123456789012345\"", "123456789012345"),
        ("\"1234567890123456\"", "1234567890123456"), (#""12345678\n12345678""#, "12345678\n12345678"),
        (#""é\n€\\""#, "é\n€\\"), (#""\\u0041""#, "\\u0041"), (#""\\\"""#, "\\\""),
        ("\"a/b // c /* d */\"", "a/b // c /* d */"), ("\"{[,:]}\"", "{[,:]}"), ("\"'\"", "'"),
    ]

    static let arrays: [(String, DocumentValue)] = [
        ("[]", []), ("[ ]", []), ("[\n]", []), ("[1]", [1]), ("[ 1 , 2 ]", [1, 2]), ("[[]]", [[]]),
        ("[[],[]]", [[], []]), ("[[1],[2,[3]]]", [[1], [2, [3]]]), ("[null,true,false]", [nil, true, false]),
        ("[\"\",{}]", ["", [:]]), ("[1,1.0,\"1\"]", [1, 1.0, "1"]), ("[{\"a\":1},{\"a\":1}]", [["a": 1], ["a": 1]]),
    ]

    static let objects: [(String, DocumentValue)] = [
        ("{}", [:]), ("{ }", [:]), ("{\"a\":1}", ["a": 1]), ("{ \"a\" : 1 , \"b\" : 2 }", ["a": 1, "b": 2]),
        ("{\"b\":1,\"a\":2}", ["b": 1, "a": 2]), ("{\"\":0}", ["": 0]), ("{\"a\":{\"a\":{}}}", ["a": ["a": [:]]]),
        ("{\"a\":[]}", ["a": []]), (#"{"\u0061":1}"#, ["a": 1]), (#"{"\n\"":1}"#, ["\n\"": 1]),
        ("{\"a\":1,\"A\":2}", ["a": 1, "A": 2]), ("{\"\u{e9}\":1,\"e\u{301}\":2}", ["\u{e9}": 1, "e\u{301}": 2]),
        ("{\"a\":1,\"a \":2,\"a\\u0000\":3}", ["a": 1, "a ": 2, "a\0": 3]),
        ("{\"$gte\":4}", ["$gte": 4]), ("{\"$bytes\":\"AA==\"}", ["$bytes": "AA=="]),
        ("{\"$lit\":{\"$num\":1}}", ["$lit": ["$num": 1]]),
    ]

    @Test(arguments: scalars + strings + arrays + objects)
    func `A valid JSON text gives its value`(text: String, expected: DocumentValue) throws {
        #expect(try JSONParser().parse(text) == expected)
        #expect(try JSONParser().parse(Array(text.utf8)) == expected)
        #expect(try DocumentValue(json: text) == expected)
    }

    @Test func `A member name may occur again in another object`() throws {
        let value = try DocumentValue(json: #"[{"a":{"a":[{"a":1}]}},{"a":2}]"#)
        #expect(value == [["a": ["a": [["a": 1]]]], ["a": 2]])
    }

    @Test func `An object with many members keeps them in order`() throws {
        let names = (0..<1000).map { "name \($0 * 7 % 1000)" }
        let text = "{" + names.map { "\"\($0)\":\"\($0)\"" }.joined(separator: ",") + "}"
        let object = try #require(try DocumentValue(json: text).objectValue)
        #expect(object.map(\.name) == names)
        for name in names { #expect(object[name] == .string(name)) }
        #expect(object["name"] == .none)
    }

    @Test func `Nesting up to the limit is read on a small stack, and rejected beyond it`() {
        let limit = DocumentValue.maximumDepth
        let texts = [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]"), ("{\"$lit\":", "}")]
        for (open, close) in texts {
            let perText = open.hasPrefix("[{") ? 2 : 1
            func text(_ depth: Int) -> String {
                String(repeating: open, count: depth / perText) + "[]"
                    + String(repeating: close, count: depth / perText)
            }
            let fits = text(limit - perText)
            let exceeds = text(limit)
            let endless = String(repeating: open, count: 100_000)
            let codes = withSmallStack {
                [fits, exceeds, endless].map { text in
                    do throws(JSONError) {
                        _ = try JSONParser().parse(text)
                        return nil as JSONError?
                    } catch {
                        return error
                    }
                }
            }
            #expect(codes?.map { $0?.code } == [nil, .tooDeep, .tooDeep])
            // The bracket that opens level 513.
            let offset = open.utf8.count / perText * limit
            if perText == 1 { #expect(codes?.map { $0?.offset } == [nil, offset, offset]) }
        }
    }

    @Test func `A value at the start of the input is read, and its end is returned`() throws {
        let cases: [(String, DocumentValue, Int)] = [
            ("1,2", 1, 1), (" {\"a\":1}\n{\"b\":2}", ["a": 1], 8), ("[1]]", [1], 3), ("\"a\"b", "a", 3),
            ("null", nil, 4),
            ("-1.5e3x", -1500.0, 6),
        ]
        for (text, expected, end) in cases {
            let (value, byteCount) = try JSONParser().parsePrefix(of: text.utf8Span.span)
            #expect(value == expected)
            #expect(byteCount == end)
        }
        let error = #expect(throws: JSONError.self) { try JSONParser().parsePrefix(of: " ".utf8Span.span) }
        #expect(error?.code == .unexpectedEnd)
    }

    @Test func `JSON may be part of a larger buffer`() throws {
        let bytes = Array("xx[1,\"ab\"]yy".utf8)
        let value = try JSONParser().parse(bytes.span.extracting(2..<10))
        #expect(value == [1, "ab"])
    }
}
