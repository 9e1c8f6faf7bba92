import DocumentModel
import TestSupport
import Testing

@Suite struct JSONWriterTests {
    static let canonical: [(DocumentValue, String)] = [
        (nil, "null"), (true, "true"), (false, "false"), (0, "0"), (-1, "-1"), (.int(.max), "9223372036854775807"),
        (.int(.min), "-9223372036854775808"), (10, "10"), (1.0, "1.0"), (.double(-0.0), "-0.0"), (0.1, "0.1"),
        (100.0, "100.0"), (1e15, "1000000000000000.0"), (1e16, "1e+16"), (1e-5, "1e-05"), (1e100, "1e+100"),
        (.double(0x1p-1074), "5e-324"), (.double(.greatestFiniteMagnitude), "1.7976931348623157e+308"),
        (0.30000000000000004, "0.30000000000000004"), (40.842129, "40.842129"), ("", "\"\""), ("a/b", "\"a/b\""),
        ("\"\\", #""\"\\""#), ("\u{8}\u{c}\n\r\t", #""\b\f\n\r\t""#), ("\0\u{1f}\u{b}", #""\u0000\u001f\u000b""#),
        ("\u{7f}é€😀\u{2028}", "\"\u{7f}é€😀\u{2028}\""), ("e\u{301}", "\"e\u{301}\""),
        ("12345678\n12345678\"", #""12345678\n12345678\"""#), ([], "[]"), ([1, [2, []]], "[1,[2,[]]]"), ([:], "{}"),
        (["b": 1, "a": ["": nil]], #"{"b":1,"a":{"":null}}"#), (["a\"\n": 1], #"{"a\"\n":1}"#),
    ]

    @Test(arguments: canonical) func `A value has exactly one canonical text`(value: DocumentValue, text: String) {
        #expect(Array(value.json.utf8) == Array(text.utf8))
    }

    @Test func `JSON is appended to existing bytes`() {
        var text = Array("x=".utf8)
        DocumentValue.int(1).writeJSON(to: &text)
        #expect(text == Array("x=1".utf8))
    }

    @Test func `Pretty-printed JSON has one item per line`() {
        let value: DocumentValue = ["b": [1, [], [:], ["x"]], "a": ["c": nil], "$": ["$x": 1]]
        #expect(
            value.json(JSONWriter(layout: .pretty)) == """
                {
                  "b": [
                    1,
                    [],
                    {},
                    [
                      "x"
                    ]
                  ],
                  "a": {
                    "c": null
                  },
                  "$": {
                    "$x": 1
                  }
                }
                """)
    }

    @Test func `Sorted names are in byte order at every level`() {
        let value: DocumentValue = ["b": ["z": 1, "a": 2], "\u{e9}": 1, "e\u{301}": 2, "B": 3, "": 4]
        #expect(
            value.json(JSONWriter(sortsNames: true))
                == "{\"\":4,\"B\":3,\"b\":{\"a\":2,\"z\":1},\"e\u{301}\":2,\"\u{e9}\":1}")
    }

    @Test func `The first name in output order determines wrapping`() throws {
        let value: DocumentValue = ["a": 1, "$x": 2]
        let text = value.json(JSONWriter(sortsNames: true, notation: .dump))
        #expect(text == #"{"$lit":{"$x":2,"a":1}}"#)
        #expect(try DocumentValue(json: text, notation: .dump) == ["$x": 2, "a": 1])
        #expect(value.json(JSONWriter(notation: .dump)) == #"{"a":1,"$x":2}"#)
    }

    @Test func `Canonical JSON is read and written unchanged`() throws {
        var generator = DocumentGenerator()
        for _ in 0..<1_000 {
            let text = generator.value().description
            #expect(try DocumentValue(json: text, notation: .dump).description == text, "seed \(generator.seed)")
            #expect(try DocumentValue(json: text).json == text, "seed \(generator.seed)")
        }
    }
}
