import DocumentModel
import TestSupport
import Testing

/// The notation of find, export and import; see ``DocumentValue/JSONNotation``.
@Suite struct JSONTaggedTests {
    private static let writer = JSONWriter(notation: .tagged)

    static let forms: [(DocumentValue, String)] = [
        (.bytes([0, 255]), #"{"$bytes":"AP8="}"#),
        (.date(DocumentDate(milliseconds: 0)), #"{"$date":"1970-01-01T00:00:00.000"}"#),
        (.double(.nan), #"{"$num":"nan"}"#), (.double(-.infinity), #"{"$num":"-inf"}"#),
        (9_007_199_254_740_992, "9007199254740992"), (9_007_199_254_740_993, #"{"$num":"9007199254740993"}"#),
        (-9_007_199_254_740_992, "-9007199254740992"), (.int(.min), #"{"$num":"-9223372036854775808"}"#),
        (.double(0x1p53), "9007199254740992.0"), (.double(0x1p63), #"{"$num":"9.223372036854776e+18"}"#),
        (.attachment(Attachments.image), Attachments.imageJSON),
        (["$attachment": ["a": 1]], #"{"$lit":{"$attachment":{"a":1}}}"#),
        (
            ["$attachment": .attachment(Attachments.image), "b": 1],
            #"{"$attachment":"# + Attachments.imageJSON + #","b":1}"#
        ),
        (1.0, "1.0"), (.double(-0.0), "-0.0"), (1e-5, "1e-05"),
        (["$date": "x"], #"{"$lit":{"$date":"x"}}"#), (["$bytes": "AA=="], #"{"$lit":{"$bytes":"AA=="}}"#),
        (["$num": 1], #"{"$lit":{"$num":1}}"#), (["$lit": 1], #"{"$lit":{"$lit":1}}"#),
        (["$lit": ["$lit": [:]]], #"{"$lit":{"$lit":{"$lit":{"$lit":{}}}}}"#),
        (["a": 1, "$lit": 2], #"{"$lit":{"a":1,"$lit":2}}"#),
        (["$date": .date(DocumentDate(milliseconds: 0))], #"{"$lit":{"$date":{"$date":"1970-01-01T00:00:00.000"}}}"#),
        (["$gte": 4], #"{"$gte":4}"#), (["$oid": "5"], #"{"$oid":"5"}"#),
        (["$date": "x", "a": 1], #"{"$date":"x","a":1}"#), (["a": 1, "$num": "1"], #"{"a":1,"$num":"1"}"#),
        ("$lit", #""$lit""#), ([:], "{}"),
    ]

    @Test(arguments: forms)
    func `Values that plain JSON cannot carry are written as tagged forms and read back`(
        value: DocumentValue, text: String
    ) throws {
        #expect(value.json(Self.writer) == text)
        #expect(try DocumentValue(json: text, notation: .tagged) == value)
    }

    @Test(arguments: [#"{"$gte":4}"#, #"{"$date":"x","b":1}"#, #"{"$schema":"y","$id":{"$ref":1}}"#])
    func `Objects with other names are ordinary objects in tagged notation`(text: String) throws {
        #expect(try DocumentValue(json: text, notation: .tagged) == DocumentValue(json: text))
    }

    @Test(arguments: [
        #"{"$date":"2012-06-08"}"#, #"{"$date":1}"#, #"{"$bytes":"A"}"#, #"{"$num":"x"}"#, #"{"$num":" 1"}"#,
        #"{"$num":"[1]"}"#, #"{"$num":"18446744073709551615"}"#, #"{"$lit":1}"#, #"{"$lit":{"a":1},"b":2}"#,
        #"{"a":1,"$lit":{"b":2}}"#,
    ])
    func `A malformed tagged form is rejected at the start of its object`(text: String) {
        let error = #expect(throws: JSONError.self) { try DocumentValue(json: "[0," + text + "]", notation: .tagged) }
        #expect(error?.code == .invalidExtendedForm && error?.offset == 3)
    }

    @Test(arguments: [("1", 1), ("-7", -7), ("1.5", 1.5), ("1.0", 1.0), ("1e3", 1000.0)] as [(String, DocumentValue)])
    func `A $num form with a number string is read as that number`(text: String, value: DocumentValue) throws {
        #expect(try DocumentValue(json: "{\"$num\":\"\(text)\"}", notation: .tagged) == value)
        #expect(try DocumentValue(json: "{\"$num\":\"\(text)\"}", notation: .dump) == value)
    }

    @Test func `The nesting limit counts decoded levels, not tagged wrappers`() throws {
        let limit = DocumentValue.maximumDepth
        let attachment = DocumentValue.attachment(Attachments.image)
        for innermost in [
            [:], [], .bytes([1]), ["$bytes": 1], ["$date": "x", "a": 1], attachment, [attachment],
            ["$attachment": attachment],
            ["$attachment": 1, "a": 1], ["$attachment": attachment, "a": 1],
        ] as [DocumentValue] {
            let own = innermost.arrayValue != nil || innermost.objectValue != nil ? 1 : 0
            for wrapper in ["$lit", "$x", "a"] {
                var value = innermost
                for _ in own..<limit { value = [wrapper: value] }
                #expect(try DocumentValue(json: value.json(Self.writer), notation: .tagged) == value)
                let error = #expect(throws: JSONError.self) {
                    try DocumentValue(json: DocumentValue.array([value]).json(Self.writer), notation: .tagged)
                }
                #expect(error?.code == .tooDeep)
            }
        }
    }

    /// Independent of member order, because other programs sort members.
    @Test func `Every value round-trips through tagged JSON, even with its names sorted`() throws {
        var generator = DocumentGenerator()
        for _ in 0..<(DocumentGenerator.isLong ? 100_000 : 1_000) {
            let value = generator.value()
            let text = value.json(Self.writer)
            #expect(try DocumentValue(json: text, notation: .tagged) == value, "seed \(generator.seed): \(text)")
            let sorted = try DocumentValue(json: value.json(JSONWriter(sortsNames: true)))
            let plain = try DocumentValue(json: text).json(JSONWriter(sortsNames: true))
            let again = try DocumentValue(json: plain, notation: .tagged)
            #expect(
                again.json(JSONWriter(sortsNames: true)) == sorted.json(JSONWriter(sortsNames: true)),
                "seed \(generator.seed): \(plain)")
        }
    }
}
