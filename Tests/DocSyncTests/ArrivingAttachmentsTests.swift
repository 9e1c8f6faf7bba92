import DocIndex
import DocSync
import TestSupport
import Testing

import struct DocIndex.Attachment

@Suite struct ArrivingAttachmentsTests {
    private static func entries(of document: DocumentObject) throws -> (DocumentObject, [WireAttachment]) {
        let stubs = try OutgoingAttachments.stubs(of: document, generation: 2)
        return (stubs.content, stubs.entries)
    }

    @Test func `A document that went to a peer and back is the same document`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let contents = try (0..<4).map { try AttachedPhotos.addSmall($0, to: store) }
            func reference(_ number: Int, _ name: String?) throws -> DocumentValue {
                let content = contents[number]
                return .attachment(
                    try #require(
                        Attachment(
                            digest: content.digest, byteCount: content.byteCount, type: content.type, name: name)))
            }
            let documents: [DocumentObject] = try [
                ["id": "a"],
                ["id": "b", "x": reference(0, "x.jpg"), "y": [reference(1, "x.jpg"), reference(0, nil)]],
                ["id": "c", "x": reference(0, "p.jpg"), "_attachments": ["p.jpg": reference(1, "p.jpg")]],
                [
                    "id": "d", "x": reference(0, "p.jpg"), "y": reference(2, "q.jpg"),
                    "_attachments": ["o/\u{1}": reference(0, "o/\u{1}"), "p.jpg": reference(0, "p.jpg")],
                ],
            ]
            for document in documents {
                let (content, entries) = try Self.entries(of: document)
                for order in [entries, entries.reversed()] {
                    let arriving = ArrivingAttachments(content, order)
                    #expect(arriving.unbound.isEmpty)
                    #expect(arriving.foreign.map(\.name) == document["_attachments"]?.objectValue?.map(\.name) ?? [])
                    var received = ReceivedContents()
                    for entry in arriving.foreign {
                        received[entry.name] = document["_attachments"]?[entry.name]?.attachmentValue
                    }
                    #expect(try arriving.document(received, in: store) == document)
                }
            }
        }
    }

    @Test func `A document of another program keeps its attachments under their names`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let content = try store.attachments.add([1, 2, 3])
            let entries = try WireAttachment.list(
                Array(
                    """
                    {"z/\\u0007.txt":{"content_type":"text/plain","length":3,"digest":"md5-a","revpos":1,"stub":true},
                     "_bad":{"stub":true},"":{"stub":true},"e\u{301}":{"stub":true},"\u{e9}":{"content_type":"a/b","stub":true}}
                    """.utf8))
            let arriving = ArrivingAttachments(["id": "a", "year": 1930], entries)
            #expect(arriving.bound.isEmpty && arriving.unbound.isEmpty)
            #expect(try arriving.needed(in: store).count == 5)
            #expect(throws: AttachmentError.self) { try arriving.document(ReceivedContents(), in: store) }
            var received = ReceivedContents()
            for entry in entries { received[entry.name] = content }
            let document = try arriving.document(received, in: store)
            #expect(document.map(\.name) == ["id", "year", "_attachments"])
            let members = try #require(document["_attachments"]?.objectValue)
            #expect(
                members.map { Array($0.name.utf8) }
                    == entries.map { Array($0.name.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
            #expect(members["z/\u{7}.txt"]?.attachmentValue?.type == "text/plain")
            #expect(members[""]?.attachmentValue?.name == nil)
            #expect(members["\u{e9}"]?.attachmentValue?.type == "a/b")
            // A peer would refuse two of the names.
            #expect(throws: AttachmentError.self) { try DocumentAttachments(of: document) }
            let long = WireAttachment("long", type: String(repeating: "x", count: 1025))
            received["long"] = content
            let error = #expect(throws: AttachmentError.self) {
                try ArrivingAttachments([:], [long]).document(received, in: store)
            }
            #expect(error?.code == .malformed)
            #expect(try DocumentAttachments(of: ["_attachments": .object(["x": .attachment(content)])]).list.count == 1)
        }
    }

    @Test func `An attachment that was replaced at the peer is not used for the one that the document names`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let old = try AttachedPhotos.addSmall(0, to: store)
            let new = try AttachedPhotos.addSmall(1, to: store)
            let document: DocumentObject = ["id": "a", "x": .attachment(old)]
            let (content, entries) = try Self.entries(of: document)
            let name = entries[0].name
            let replaced = ArrivingAttachments(content, entries)
            #expect(replaced.bound.count == 1)
            var received = ReceivedContents()
            received[name] = new
            let error = #expect(throws: AttachmentError.self) { try replaced.document(received, in: store) }
            #expect(error?.code == .digestMismatch)
            // Nothing is lost: the reference stays, and the new content is beside it.
            let separate = ArrivingAttachments(content, entries) { $0.name == name }
            #expect(separate.unbound == [old])
            let kept = try separate.document(received, in: store)
            #expect(kept["x"] == .attachment(old))
            #expect(kept["_attachments"]?[name]?.attachmentValue?.digest == new.digest)
            // An attachment that was only damaged in transit arrives intact the second time. The document is then the
            // peer's.
            received[name] = old
            #expect(try separate.document(received, in: store) == document)
            // Another length tells it before any content is read.
            var longer = entries[0]
            longer.byteCount = old.byteCount + 1
            #expect(ArrivingAttachments(content, [longer]).foreign == [longer])
        }
    }

    @Test func `An attachment that is stored nowhere gives an error that names it`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let unknown = try DocumentAttachmentsTests.reference(7, "x.jpg")
            let (content, entries) = try Self.entries(of: ["id": "a", "x": unknown])
            for (list, code) in [(entries, .missing), ([], .unlisted)] as [([WireAttachment], AttachmentError.Code)] {
                let arriving = ArrivingAttachments(content, list)
                #expect(try arriving.needed(in: store) == list)
                let error = #expect(throws: AttachmentError.self) {
                    try arriving.document(ReceivedContents(), in: store)
                }
                #expect(error?.code == code)
            }
        }
    }

    @Test func `A stub takes the content of an ancestor only if it states that the content is the same`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let own = try AttachedPhotos.addSmall(0, to: store)
            let ancestor = StoredAncestor(
                generation: 4, try DocumentAttachments(of: ["_attachments": ["x": .attachment(own)]]))
            func content(_ name: String, generation: Int?, byteCount: Int64?, digest: String?, known: [String]) throws
                -> Bool
            {
                let entry = WireAttachment(
                    name, type: "a/b", byteCount: byteCount, digest: digest, generation: generation)
                let arriving = ArrivingAttachments(["id": "a"], [entry])
                let isNeeded = try !arriving.needed(in: store, ancestor: ancestor, digests: { _ in known }).isEmpty
                let document = try? arriving.document(
                    ReceivedContents(), in: store, ancestor: ancestor, digests: { _ in known })
                #expect(isNeeded == (document == nil))
                if let document { #expect(document["_attachments"]?["x"]?["type"] == "a/b") }
                return !isNeeded
            }
            let count = own.byteCount
            #expect(try content("x", generation: 4, byteCount: count, digest: nil, known: []))
            #expect(try content("x", generation: nil, byteCount: nil, digest: "md5-a", known: []))
            #expect(try content("x", generation: 1, byteCount: count, digest: "md5-a", known: ["md5-b", "md5-a"]))
            #expect(try !content("y", generation: 4, byteCount: count, digest: nil, known: []))
            #expect(try !content("x", generation: 5, byteCount: count, digest: nil, known: []))
            #expect(try !content("x", generation: 4, byteCount: count + 1, digest: nil, known: []))
            #expect(try !content("x", generation: 4, byteCount: count, digest: "md5-c", known: ["md5-b", "md5-a"]))
            #expect(try content("x", generation: 5, byteCount: count, digest: "md5-b", known: ["md5-b", "md5-a"]))
            #expect(try !content("x", generation: 5, byteCount: count, digest: "md5-b", known: []))
        }
    }
}
