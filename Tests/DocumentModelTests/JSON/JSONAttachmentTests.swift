import DocumentModel
import TestSupport
import Testing

/// The JSON form of attachments.
@Suite struct JSONAttachmentTests {
    private static let digest = Attachments.digest.description

    static let refused: [String] = [
        #"{"$attachment":1}"#, #"{"$attachment":{}}"#, #"{"$attachment":[]}"#, form(#""bytes":1"#),
        form(#""sha256":"\#(digest)""#), form(#""sha256":"\#(digest.uppercased())","bytes":1"#),
        form(#""sha256":"\#(digest.dropLast())","bytes":1"#), form(#""sha256":5,"bytes":1"#),
        form(#""sha256":"\#(digest)","bytes":-1"#), form(#""sha256":"\#(digest)","bytes":1.5"#),
        form(#""sha256":"\#(digest)","bytes":"1""#), form(#""sha256":"\#(digest)","bytes":1,"type":"""#),
        form(#""sha256":"\#(digest)","bytes":1,"type":null"#), form(#""sha256":"\#(digest)","bytes":1,"name":"""#),
        form(#""sha256":"\#(digest)","bytes":1,"name":null"#), form(#""sha256":"\#(digest)","bytes":1,"other":2"#),
        form(#""sha256":"\#(digest)","bytes":1,"name":"\#(String(repeating: "a", count: 1025))""#),
        form(#""sha256":"\#(digest)","bytes":{"$date":"1970-01-01T00:00:00.000"}"#),
    ]

    private static func form(_ members: String) -> String { "{\"$attachment\":{\(members)}}" }

    @Test(arguments: refused) func `A malformed attachment is rejected at the start of its form`(text: String) {
        for notation in [DocumentValue.JSONNotation.tagged, .dump] {
            let error = #expect(throws: JSONError.self) {
                try DocumentValue(json: "[0," + text + "]", notation: notation)
            }
            #expect(error?.code == .invalidExtendedForm && error?.offset == 3)
        }
    }

    @Test func `The error for a malformed attachment names the expected form`() {
        let error = #expect(throws: JSONError.self) {
            try DocumentValue(json: #"{"$attachment":1}"#, notation: .tagged)
        }
        #expect(
            error?.message
                == #"Expected {"$attachment":{"sha256":"…","bytes":2048,"type":"image/jpeg","name":"…"}} with one member, "#
                + "the digest in 64 lowercase hexadecimal digits, type and name optional, because the object has a reserved "
                + #"$ name; to store it literally, write {"$lit":{…}}."#)
    }

    @Test func `Members can have any order, and type and name can be absent`() throws {
        let expected = try #require(Attachment(digest: Attachments.digest, byteCount: 5))
        for notation in [DocumentValue.JSONNotation.tagged, .dump] {
            let text = Self.form(#" "bytes" : 5 , "sha256" : "\#(Self.digest)" "#)
            #expect(try DocumentValue(json: text, notation: notation) == .attachment(expected))
        }
        #expect(
            DocumentValue.attachment(expected).json(JSONWriter(notation: .tagged))
                == Self.form(#""sha256":"\#(Self.digest)","bytes":5,"type":"application/octet-stream""#))
    }

    @Test func `A writer that sorts names also sorts the members of an attachment`() throws {
        let value = DocumentValue.attachment(Attachments.image)
        let text = value.json(JSONWriter(sortsNames: true, notation: .tagged))
        #expect(
            text == Self.form(#""bytes":3,"name":"IMG_1.jpg","sha256":"\#(Self.digest)","type":"image/jpeg""#))
        #expect(try DocumentValue(json: text, notation: .tagged) == value)
    }

    @Test func `A size beyond 2^53 is a $num form in tagged notation, and is read back`() throws {
        let large = try #require(Attachment(digest: Attachments.digest, byteCount: .max))
        let text = DocumentValue.attachment(large).json(JSONWriter(notation: .tagged))
        #expect(text.contains(#""bytes":{"$num":"9223372036854775807"}"#))
        for notation in [DocumentValue.JSONNotation.tagged, .dump] {
            let written = DocumentValue.attachment(large).json(JSONWriter(notation: notation))
            #expect(try DocumentValue(json: written, notation: notation) == .attachment(large))
        }
    }

    @Test func `In plain notation, an attachment is written as its form and read as an object`() throws {
        let text = DocumentValue.attachment(Attachments.image).json
        #expect(text == Attachments.imageJSON)
        #expect(try DocumentValue(json: text)["$attachment"]?["type"] == "image/jpeg")
    }

    @Test func `An object with a second name beside $attachment is an ordinary object in tagged notation`() throws {
        let text = #"{"$attachment":{"$date":"1970-01-01T00:00:00.000"},"a":1}"#
        let value = try DocumentValue(json: text, notation: .tagged)
        #expect(value == ["$attachment": .date(DocumentDate(milliseconds: 0)), "a": 1])
    }
}
