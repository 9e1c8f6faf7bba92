import DocIndex
import DocSync
import TestSupport
import Testing

import struct DocIndex.Attachment

/// Documents with attachments on their way from one store to another.
@Suite struct AttachmentTransferTests {
    /// Runs `body` with two stores on threads of its own, and verifies them.
    private static func withStores(
        _ body: @escaping @Sendable (_ from: DocumentStore, _ to: DocumentStore) async throws -> Void
    ) async throws {
        try await within {
            try await withTemporaryPath { path in
                let from = try DocumentStore.open(at: path + "/from", schema: AttachedPhotos.schema)
                let to = try DocumentStore.open(at: path + "/to", schema: AttachedPhotos.schema)
                try await body(from, to)
                for store in [from, to] {
                    try expectSound(store)
                    try store.close()
                }
            }
        }
    }

    private static func text(_ entries: [WireAttachment]) -> [UInt8] {
        Array(#"{"_id":"a","_rev":"1-a","_attachments":"#.utf8) + WireAttachment.json(entries)
            + Array(#","title":"Fog"}"#.utf8)
    }

    private static func entry(_ name: String, _ content: Attachment) -> WireAttachment {
        WireAttachment(name, type: content.type, byteCount: content.byteCount, generation: 1, content: .follows)
    }

    private static func received(
        _ message: MultipartBody, into store: DocumentStore, chunkSize: Int? = nil
    ) async throws -> ReceivedDocument {
        var body = message.body.chunks
        if let chunkSize {
            let bytes = try await message.body.collected(limit: 1 << 24)
            body = ByteStream(
                stride(from: 0, to: bytes.count, by: chunkSize).map {
                    Array(bytes[$0..<min($0 + chunkSize, bytes.count)])
                })
        }
        return try await ReceivedDocument(
            MediaType(message.contentType), body, documentLimit: 1 << 20, AttachmentReceiver(into: store))
    }

    @Test func `Attachments of all sizes arrive with their document`() async throws {
        try await Self.withStores { from, to in
            let contents = try [0, 1, 1000, 32 << 10, (32 << 10) + 1, 300_000].enumerated().map { number, count in
                try from.attachments.add(
                    AttachedPhotos.bytes(count, seed: UInt64(number)), type: "image/jpeg", name: "\(number)")
            }
            let sent = contents.enumerated().map { (Self.entry("n\"\\\($0.offset)/ü", $0.element), $0.element) }
            let text = Self.text(sent.map(\.0))
            let message = try AttachmentUpload.message(text, sent.map { (entry: $0.0, content: $0.1) }, of: from)
            #expect(try await message.body.collected(limit: 1 << 20).count == Int(message.body.byteCount ?? 0))
            for chunkSize in [nil, 100, 70_000] {
                let document = try await Self.received(message, into: to, chunkSize: chunkSize)
                #expect(document.text == text)
                #expect(document.entries == sent.map(\.0))
                for (entry, content) in sent {
                    let stored = try #require(document.contents[entry.name])
                    #expect(stored.digest == content.digest)
                    #expect(try to.attachments.bytes(of: stored) == from.attachments.bytes(of: content))
                    #expect(document.digests[stored.digest]?.first?.hasPrefix("md5-") == true)
                }
            }
            #expect(try to.attachments.census().count == contents.count)
        }
    }

    @Test func `A large attachment is sent in pieces`() async throws {
        try await Self.withStores { from, to in
            let content = try from.attachments.add(AttachedPhotos.bytes(5_000_000, seed: 1), type: "image/jpeg")
            let entry = Self.entry("large", content)
            let message = try AttachmentUpload.message(Self.text([entry]), [(entry, content)], of: from)
            var largest = 0
            for try await chunk in message.body.chunks { largest = max(largest, chunk.count) }
            #expect(largest <= 64 << 10)
            #expect(try await Self.received(message, into: to).contents["large"]?.digest == content.digest)
        }
    }

    @Test func `Attachments are found by their order, or by their names if the order differs`() async throws {
        try await Self.withStores { _, to in
            // CouchDB does not escape names: to a parser, the first one is "a".
            let names = ["a\"b", "a", "c"]
            let entries = names.map { WireAttachment($0, type: "image/jpeg", byteCount: 1, content: .follows) }
            func message(_ order: [Int], _ field: (String) -> String?) -> MultipartBody {
                let document = MultipartBody.Part(["Content-Type": "application/json"], .bytes(Self.text(entries)))
                let parts = order.map { number in
                    var fields = HeaderFields()
                    fields["Content-Disposition"] = field(names[number])
                    return MultipartBody.Part(fields, .bytes([UInt8(number)]))
                }
                return MultipartBody("related", [document] + parts)
            }
            func expectRightContents(_ message: MultipartBody) async throws {
                let document = try await Self.received(message, into: to)
                for (number, name) in names.enumerated() {
                    let content = try #require(document.contents[name])
                    #expect(try to.attachments.bytes(of: content) == [UInt8(number)], "\(name)")
                }
            }
            try await expectRightContents(message([0, 1, 2]) { _ in nil })
            try await expectRightContents(message([0, 1, 2]) { "attachment; filename=\"\($0)\"" })
            try await expectRightContents(message([0, 1, 2]) { _ in "attachment; filename=\"other\"" })
            for order in [[2, 1, 0], [1, 0, 2], [0, 2, 1]] {
                let escaped = message(order) { name in
                    "attachment; filename=\"" + name.split(separator: "\"").joined(separator: "\\\"") + "\""
                }
                try await expectRightContents(escaped)
            }
            for order in [[0, 1], [0, 1, 2, 0]] {
                await #expect(throws: AttachmentError.self) {
                    try await expectRightContents(message(order) { _ in nil })
                }
            }
        }
    }

    @Test func `Text that CouchDB compressed is unpacked, and inline attachments are stored`() async throws {
        try await Self.withStores { _, to in
            let packed = try Base64.decode("H4sIHgAAAAAAAwIAeHlhLnR4dABjABI0AQMA/P9hYmPCQSQ1AwAAAA==".utf8Span.span)
            var md5 = MD5Hash()
            md5.update(packed)
            let digest = "md5-" + Base64.text(of: md5.digest)
            var text = WireAttachment("t", type: "text/plain", byteCount: 3, digest: digest, content: .follows)
            text.encoding = "gzip"
            text.encodedByteCount = Int64(packed.count)
            let inline = WireAttachment("i", type: "a/b", digest: "md5-of-compressed", content: .data([7]))
            func message(_ entry: WireAttachment, _ bytes: [UInt8], encoding: String? = "gzip") -> MultipartBody {
                var fields: HeaderFields = ["Content-Type": "text/plain"]
                fields["Content-Encoding"] = encoding
                let document = MultipartBody.Part(
                    ["Content-Type": "application/json"], .bytes(Self.text([entry, inline])))
                return MultipartBody("related", [document, MultipartBody.Part(fields, .bytes(bytes))])
            }
            for encoding in [nil, "gzip"] {
                let document = try await Self.received(
                    message(text, packed, encoding: encoding), into: to, chunkSize: 7)
                let stored = try #require(document.contents["t"])
                #expect(try to.attachments.bytes(of: stored) == Array("abc".utf8))
                #expect(document.digests[stored.digest] == [digest])
                #expect(try to.attachments.bytes(of: try #require(document.contents["i"])) == [7])
            }
            // A client sent it compressed, and CouchDB states the compressed length twice.
            var asSent = text
            asSent.byteCount = text.encodedByteCount
            let document = try await Self.received(message(asSent, packed), into: to)
            #expect(document.contents["t"]?.byteCount == 3)
            var wrong = text
            wrong.byteCount = 2
            await #expect(throws: AttachmentError.self) { try await Self.received(message(wrong, packed), into: to) }
            wrong.byteCount = 4
            await #expect(throws: AttachmentError.self) { try await Self.received(message(wrong, packed), into: to) }
            wrong = text
            wrong.digest = "md5-AAAAAAAAAAAAAAAAAAAAAA=="
            await #expect(throws: AttachmentError.self) { try await Self.received(message(wrong, packed), into: to) }
            await #expect(throws: AttachmentError.self) {
                try await Self.received(message(text, packed, encoding: "br"), into: to)
            }
            var damaged = packed
            damaged[damaged.count - 6] ^= 1
            wrong.digest = nil
            await #expect(throws: MessageError.self) { try await Self.received(message(wrong, damaged), into: to) }
        }
    }

    @Test func `An attachment whose size or digest is not the stated one is refused and not stored`() async throws {
        try await Self.withStores { (_, to) async throws in
            let receiver = AttachmentReceiver(into: to, byteLimit: 100_000)
            let bytes = AttachedPhotos.bytes(70_000, seed: 3)
            var md5 = MD5Hash()
            md5.update(bytes)
            let right = WireAttachment(
                "x", type: "image/jpeg", byteCount: 70_000, digest: "md5-" + Base64.text(of: md5.digest))
            func error(
                _ change: (inout WireAttachment) -> Void, expecting: Attachment.Digest? = nil,
                checksDigest: Bool = true,
                bytes: [UInt8] = bytes
            ) async throws -> AttachmentError.Code? {
                var entry = right
                change(&entry)
                do {
                    _ = try await receiver.add(
                        ByteStream([bytes]), of: entry, expecting: expecting, checksDigest: checksDigest)
                    return nil
                } catch let error as AttachmentError {
                    return error.code
                }
            }
            #expect(try await error { $0.byteCount = 69_999 } == .wrongLength)
            #expect(try await error { $0.byteCount = 70_001 } == .wrongLength)
            #expect(try await error { $0.digest = "md5-AAAAAAAAAAAAAAAAAAAAAA==" } == .digestMismatch)
            #expect(try await error({ _ in }, expecting: DocumentAttachmentsTests.digest(1)) == .digestMismatch)
            #expect(try await error({ $0.byteCount = nil }, bytes: bytes + [0]) == .digestMismatch)
            await #expect(throws: MessageError.self) {
                try await error({ $0.byteCount = nil }, checksDigest: false, bytes: bytes + bytes)
            }
            #expect(try to.attachments.census().count == 0)
            #expect(try await error { _ in } == nil)
            // A digest of a different kind, and one that is not that of the content, say nothing.
            #expect(try await error { $0.digest = "sha1-x" } == nil)
            #expect(try await error({ $0.digest = "md5-x" }, checksDigest: false) == nil)
            #expect(try to.attachments.census().count == 1)
        }
    }

    @Test func `A message that is cut anywhere is an error`() async throws {
        try await Self.withStores { from, to in
            let content = try from.attachments.add([1, 2, 3, 4, 5], type: "image/jpeg")
            let entry = Self.entry("x", content)
            let message = try AttachmentUpload.message(Self.text([entry]), [(entry, content)], of: from)
            let bytes = try await message.body.collected(limit: 1 << 20)
            for count in 0..<bytes.count {
                await #expect(throws: MessageError.self, "after \(count) bytes") {
                    try await ReceivedDocument(
                        MediaType(message.contentType), ByteStream([Array(bytes[..<count])]), documentLimit: 1000,
                        AttachmentReceiver(into: to))
                }
            }
            await #expect(throws: MessageError.self) {
                try await ReceivedDocument(
                    MediaType(message.contentType), message.body.chunks, documentLimit: 10, AttachmentReceiver(into: to)
                )
            }
            let missing = try #require(Attachment(digest: content.digest, byteCount: 6))
            #expect(throws: AttachmentError.self) {
                try AttachmentUpload.message([], [(entry, missing)], of: from)
            }
        }
    }

    @Test func `Documents in a mixed message have their attachments`() async throws {
        try await Self.withStores { from, to in
            let contents = try (0..<3).map { try from.attachments.add([UInt8($0)], type: "image/jpeg") }
            let documents = try contents.map { content in
                let entry = Self.entry("x", content)
                return try AttachmentUpload.message(Self.text([entry]), [(entry, content)], of: from)
            }
            let missing = MultipartBody.Part(
                ["Content-Type": "application/json; error=\"true\""], .bytes(Array(#"{"missing":"1-a"}"#.utf8)))
            let alone = MultipartBody.Part(["Content-Type": "application/json"], .bytes(Self.text([])))
            let parts = documents.map { MultipartBody.Part(["Content-Type": $0.contentType], $0.body) }
            let mixed = MultipartBody("mixed", [parts[0], missing, parts[1], alone, parts[2]])
            let stream = try MultipartStream(MediaType(mixed.contentType), mixed.body.chunks, of: "the answer")
            var found: [Attachment.Digest?] = []
            while let head = try await stream.next() {
                let document = try await ReceivedDocument(
                    stream, head: head, documentLimit: 1000, AttachmentReceiver(into: to))
                found.append(document.contents["x"]?.digest)
            }
            #expect(found == [contents[0].digest, nil, contents[1].digest, nil, contents[2].digest])
        }
    }
}
