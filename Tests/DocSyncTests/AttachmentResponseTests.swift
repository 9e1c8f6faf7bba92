import DocIndex
import DocSync
import TestSupport
import Testing

import struct DocIndex.Attachment

@Suite struct AttachmentResponseTests {
    private static func withContent(
        _ byteCount: Int, _ body: @escaping @Sendable (DocumentStore, Attachment, [UInt8]) async throws -> Void
    ) async throws {
        try await within {
            try await withTemporaryPath { path in
                let store = try DocumentStore.open(at: path + "/s", schema: AttachedPhotos.schema)
                let bytes = AttachedPhotos.bytes(byteCount, seed: 1)
                try await body(store, try store.attachments.add(bytes, type: "image/jpeg"), bytes)
                try store.close()
            }
        }
    }

    private static func response(
        _ store: DocumentStore, _ content: Attachment, _ fields: HeaderFields = [:], _ method: SyncRequest.Method = .get
    ) throws -> SyncResponse {
        let request = SyncRequest(method, "/db/a/x", fields: fields)
        return try #require(try AttachmentResponse.make(for: content, of: store, to: request))
    }

    @Test func `An attachment is returned whole with its type and its entity tag`() async throws {
        try await Self.withContent(100_000) { store, content, bytes in
            let response = try Self.response(store, content)
            #expect(response.status == 200)
            #expect(response.fields["Content-Type"] == "image/jpeg")
            #expect(response.fields["Content-Length"] == "100000")
            #expect(response.fields["ETag"] == "\"sha256-\(content.digest)\"")
            #expect(AttachmentReceiver.hasDigestOfContent(response.fields))
            #expect(try await response.body.collected(limit: 1 << 20) == bytes)
            let head = try Self.response(store, content, [:], .head)
            #expect(head.fields == response.fields)
            #expect(head.body.byteCount == 0)
        }
    }

    @Test func `A range is returned as RFC 9110 says`() async throws {
        try await Self.withContent(1000) { store, content, bytes in
            for (range, expected) in [
                ("bytes=0-0", 0..<1), ("bytes=10-19", 10..<20), ("bytes=990-", 990..<1000), ("bytes=-1", 999..<1000),
                ("bytes=-2000", 0..<1000), ("bytes=999-99999999999999999999", 999..<1000), ("bytes=0-999", 0..<1000),
            ] {
                let response = try Self.response(store, content, ["Range": range])
                #expect(response.status == 206)
                #expect(
                    response.fields["Content-Range"] == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/1000")
                #expect(response.fields["Content-Length"] == "\(expected.count)")
                #expect(try await response.body.collected(limit: 2000) == Array(bytes[expected]))
            }
            for range in ["bytes=1000-", "bytes=99999999999999999999-", "bytes=-0"] {
                let response = try Self.response(store, content, ["Range": range])
                #expect(response.status == 416)
                #expect(response.fields["Content-Range"] == "bytes */1000")
                #expect(response.body.byteCount == 0)
            }
            for range in ["bytes=", "bytes=-", "bytes=5-4", "bytes=0-1,3-4", "lines=0-1", "bytes=+1-2", "bytes=a-"] {
                let response = try Self.response(store, content, ["Range": range])
                #expect(response.status == 200)
                #expect(response.body.byteCount == 1000)
            }
        }
    }

    @Test func `A download is continued only for the same content, and unchanged content is not sent again`()
        async throws
    {
        try await Self.withContent(10) { store, content, bytes in
            let tag = AttachmentResponse.entityTag(of: content)
            #expect(try Self.response(store, content, ["Range": "bytes=5-", "If-Range": tag]).status == 206)
            #expect(try Self.response(store, content, ["Range": "bytes=5-", "If-Range": "\"x\""]).status == 200)
            for tags in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let response = try Self.response(store, content, ["If-None-Match": tags])
                #expect(response.status == 304 && response.body.byteCount == 0)
            }
            #expect(try Self.response(store, content, ["If-None-Match": "\"x\""]).status == 200)
        }
    }

    @Test func `An empty attachment has no range, and an attachment that is not stored has no response`() async throws {
        try await Self.withContent(0) { store, content, _ in
            #expect(try await Self.response(store, content).body.collected(limit: 1) == [])
            #expect(try Self.response(store, content, ["Range": "bytes=0-"]).status == 416)
            #expect(try Self.response(store, content, ["Range": "bytes=-1"]).status == 416)
            let other = try #require(Attachment(digest: DocumentAttachmentsTests.digest(1), byteCount: 1))
            #expect(try AttachmentResponse.make(for: other, of: store, to: SyncRequest(.get, "/")) == nil)
        }
    }
}
