import DocIndex
import DocSync
import Testing

import struct DocIndex.Attachment

@Suite struct WireAttachmentTests {
    private static func list(_ text: String) throws -> [WireAttachment] { try WireAttachment.list(Array(text.utf8)) }

    @Test func `What CouchDB and PouchDB say about attachments is read`() throws {
        let list = try Self.list(
            #"""
            {"b/ü\u0001\"c":{"content_type":"image/jpeg","revpos":3,"digest":"md5-abc","length":102400,"stub":true},
             "text":{"content_type":"text/plain","revpos":2,"digest":"md5-d","length":9,"follows":true,"encoding":"gzip",
                     "encoded_length":29},
             "inline":{"data":"AQID","content_type":"","unknown":[{}]}, "":{"stub":true,"length":null}}
            """#)
        var text = WireAttachment(
            "text", type: "text/plain", byteCount: 9, digest: "md5-d", generation: 2, content: .follows)
        text.encoding = "gzip"
        text.encodedByteCount = 29
        #expect(
            list == [
                WireAttachment(
                    "b/ü\u{1}\"c", type: "image/jpeg", byteCount: 102_400, digest: "md5-abc", generation: 3),
                text, WireAttachment("inline", type: Attachment.unknownType, content: .data([1, 2, 3])),
                WireAttachment("", type: Attachment.unknownType),
            ])
        #expect(try WireAttachment.list(WireAttachment.json(list)) == list)
        #expect(try WireAttachment.list(WireAttachment.json([])) == [])
    }

    @Test func `What is written has the names and the order that CouchDB expects`() throws {
        let list = [
            WireAttachment("$a", type: "x/y", byteCount: 5, digest: "md5-a", generation: 2, content: .follows),
            WireAttachment("b", type: "x/y", byteCount: 1, content: .data([255])), WireAttachment("c", type: "x/y"),
        ]
        #expect(
            String(decoding: WireAttachment.json(list), as: UTF8.self)
                == #"{"$a":{"content_type":"x/y","revpos":2,"digest":"md5-a","length":5,"follows":true},"#
                + #""b":{"content_type":"x/y","length":1,"data":"/w=="},"c":{"content_type":"x/y","stub":true}}"#)
    }

    @Test(arguments: [
        "", "[]", "1", #"{"a":1}"#, #"{"a":{}}"#, #"{"a":{"stub":false}}"#, #"{"a":{"data":"A"}}"#,
        #"{"a":{"data":"AQ"}}"#, #"{"a":{"data":1}}"#, #"{"a":{"stub":true,"length":-1}}"#,
        #"{"a":{"stub":true,"length":1.5}}"#, #"{"a":{"stub":true,"length":"1"}}"#,
        #"{"a":{"stub":true,"length":1e300}}"#,
        #"{"a":{"stub":true},"a":{"stub":true}}"#, #"{"a":{"follows":true,"encoded_length":-2}}"#,
        #"{"a":{"stub":true}"#,
    ]) func `A malformed list of attachments gives a typed error`(text: String) {
        let error = #expect(throws: AttachmentError.self) { try Self.list(text) }
        #expect(error?.code == .malformed)
    }
}
