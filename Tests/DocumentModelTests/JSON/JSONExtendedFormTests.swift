import DocumentModel
import TestSupport
import Testing

@Suite struct JSONExtendedFormTests {
    static let forms: [(DocumentValue, String)] = [
        (.bytes([]), #"{"$bytes":""}"#), (.bytes([0]), #"{"$bytes":"AA=="}"#),
        (.bytes([0, 255]), #"{"$bytes":"AP8="}"#),
        (.bytes([1, 2, 3]), #"{"$bytes":"AQID"}"#), (.bytes([251, 240, 0, 63]), #"{"$bytes":"+/AAPw=="}"#),
        (.date(DocumentDate(milliseconds: 0)), #"{"$date":"1970-01-01T00:00:00.000"}"#),
        (.date(DocumentDate(utcMilliseconds: -1)), #"{"$date":"1969-12-31T23:59:59.999Z"}"#),
        (
            .date(DocumentDate(milliseconds: 1_339_171_331_000, offsetMinutes: 120) ?? DocumentDate(milliseconds: 0)),
            #"{"$date":"2012-06-08T18:02:11.000+02:00"}"#
        ),
        (["$date": "x"], #"{"$lit":{"$date":"x"}}"#),
        (.double(.nan), #"{"$num":"nan"}"#), (.double(.infinity), #"{"$num":"inf"}"#),
        (.double(-.infinity), #"{"$num":"-inf"}"#),
        (["$gte": 4], #"{"$lit":{"$gte":4}}"#), (["$": nil, "a": 1], #"{"$lit":{"$":null,"a":1}}"#),
        (["$bytes": "AA=="], #"{"$lit":{"$bytes":"AA=="}}"#), (["$num": "nan"], #"{"$lit":{"$num":"nan"}}"#),
        (["$lit": ["a": 1]], #"{"$lit":{"$lit":{"a":1}}}"#),
        (["$lit": ["$lit": [:]]], #"{"$lit":{"$lit":{"$lit":{"$lit":{}}}}}"#),
        (["a": 1, "$x": 2], #"{"a":1,"$x":2}"#),
        (["a": ["$x": .bytes([0])]], #"{"a":{"$lit":{"$x":{"$bytes":"AA=="}}}}"#),
        (.attachment(Attachments.image), Attachments.imageJSON),
        (["$attachment": 1], #"{"$lit":{"$attachment":1}}"#),
        ([["$x": 1], .double(.nan)], #"[{"$lit":{"$x":1}},{"$num":"nan"}]"#), ("$lit", #""$lit""#), ([:], "{}"),
    ]

    @Test(arguments: forms) func `Values that JSON lacks have an extended form that is read back`(
        value: DocumentValue, text: String
    )
        throws
    {
        #expect(value.json(JSONWriter(notation: .dump)) == text)
        #expect(try DocumentValue(json: text, notation: .dump) == value)
        #expect(value.description == text)
    }

    @Test func `Without extended notation, names with $ are ordinary in both directions`() throws {
        let text = #"{"$gte":4,"b":{"$bytes":"AA=="},"c":{"$lit":{"$num":"nan"}}}"#
        let value = try DocumentValue(json: text)
        #expect(value == ["$gte": 4, "b": ["$bytes": "AA=="], "c": ["$lit": ["$num": "nan"]]])
        #expect(value.json == text)
        #expect((["b": .bytes([0])] as DocumentValue).json == #"{"b":{"$bytes":"AA=="}}"#)
    }

    @Test func `A $lit form that needs no wrapping is accepted`() throws {
        #expect(try DocumentValue(json: #"{"$lit":{"a":1}}"#, notation: .dump) == ["a": 1])
        #expect(try DocumentValue(json: #"{"$lit":{}}"#, notation: .dump) == [:])
    }

    static let refused: [(String, Int)] = [
        (#"{"$gte":4}"#, 0), (#"[1,{"$bytes":1}]"#, 3), (#"{"$bytes":"AA=="  ,"b":1}"#, 0),
        (#"{"$lit":{"a":1},"b":1}"#, 0),
        (#"{"$lit":1}"#, 0), (#"{"$lit":[]}"#, 0), (#"{"$lit":{"$bytes":"A"},"$lat":{}}"#, 0), (#"{"$num":"NaN"}"#, 0),
        (#"{"$date":1}"#, 0), (#"{"$date":"2012-06-08"}"#, 0), (#"{"$date":"2012-06-08T18:02:11","b":1}"#, 0),
        (#"{"$num":1}"#, 0), (#"{"$num":"+inf"}"#, 0), (#"{"$bytes":"A"}"#, 0), (#"{"$bytes":"AA"}"#, 0),
        (#"{"$bytes":"AA="}"#, 0), (#"{"$bytes":"A==="}"#, 0), (#"{"$bytes":"===="}"#, 0), (#"{"$bytes":"AA=A"}"#, 0),
        (#"{"$bytes":"AB=="}"#, 0), (#"{"$bytes":"AAB="}"#, 0), (#"{"$bytes":"AA==AAAA"}"#, 0),
        (#"{"$bytes":"A-_A"}"#, 0),
        (#"{"$bytes":"AA A"}"#, 0), (#"{"$bytes":"AAAé"}"#, 0), (#"{"$":1}"#, 0), (#"{"$lit":{"$x":{"$y":1}}}"#, 14),
    ]

    @Test(arguments: refused) func `An unknown or malformed extended form is rejected at the start of its object`(
        text: String, offset: Int
    ) {
        let error = #expect(throws: JSONError.self) { try DocumentValue(json: text, notation: .dump) }
        #expect(error?.code == .invalidExtendedForm)
        #expect(error?.offset == offset)
    }

    @Test(arguments: [
        (
            #"{"$bytes":1}"#,
            #"Expected {"$bytes":"…"} with one member, in standard base64 with padding, because the object has a reserved $ name; "#
                + #"to store it literally, write {"$lit":{…}}."#
        ),
        (
            #"{"$x":1}"#,
            "Expected $bytes, $date, $num, $attachment or $lit as the only name, because the object has a reserved $ name; "
                + #"to store it literally, write {"$lit":{…}}."#
        ),
        (
            #"{"$num":1}"#,
            #"Expected {"$num":"…"} with one member, a number as JSON writes it, nan, inf or -inf, because the object has a reserved $ name; "#
                + #"to store it literally, write {"$lit":{…}}."#
        ),
        (
            #"{"$date":1}"#,
            #"Expected {"$date":"2012-06-08T18:02:11.000+02:00"} with one member, in ISO 8601, the zone optional, because the object has a reserved $ name; "#
                + #"to store it literally, write {"$lit":{…}}."#
        ),
        (
            #"{"$lit":1}"#,
            #"Expected {"$lit":{…}} with one member, an object, because the object has a reserved $ name; "#
                + #"to store it literally, write {"$lit":{…}}."#
        ),
    ])
    func `The error for a malformed extended form names the expected form`(text: String, message: String) {
        let error = #expect(throws: JSONError.self) { try DocumentValue(json: text, notation: .dump) }
        #expect(error?.message == message)
    }

    @Test func `The nesting limit counts decoded levels, not written ones`() throws {
        let limit = DocumentValue.maximumDepth
        for innermost in [
            [:], [], .bytes([1]), .double(.nan), .date(DocumentDate(milliseconds: 1)), ["$bytes": .bytes([1])],
            [.bytes([])], ["a": .double(.nan)], .attachment(Attachments.image), [.attachment(Attachments.image)],
            ["a": .attachment(Attachments.image)], ["$attachment": .attachment(Attachments.image)],
        ]
            as [DocumentValue]
        {
            let own = innermost.arrayValue != nil || innermost.objectValue != nil ? 1 : 0
            for wrapper in ["$lit", "$x", "a"] {
                var value = innermost
                for _ in own..<limit { value = [wrapper: value] }
                #expect(try DocumentValue(json: value.description, notation: .dump) == value)
                let error = #expect(throws: JSONError.self) {
                    try DocumentValue(json: DocumentValue.array([value]).description, notation: .dump)
                }
                #expect(error?.code == .tooDeep)
            }
        }
    }

    @Test func `Every value round-trips through extended JSON`() throws {
        var generator = DocumentGenerator()
        for _ in 0..<(DocumentGenerator.isLong ? 200_000 : 5_000) {
            let value = generator.value()
            for layout in [JSONWriter.Layout.compact, .pretty] {
                let text = value.json(JSONWriter(layout: layout, notation: .dump))
                let again = try DocumentValue(json: text, notation: .dump)
                #expect(again == value, "seed \(generator.seed): \(text)")
            }
        }
    }
}
