import DocIndex
import DocSync
import TestSupport
import Testing

import struct DocIndex.Attachment

@Suite struct OutgoingAttachmentsTests {
    private static func forms(_ outgoing: OutgoingAttachments) -> [String] {
        outgoing.entries.map { entry in
            switch entry.content {
            case .stub: "\(entry.name) stub \(entry.generation.map(String.init) ?? "-") \(entry.digest ?? "-")"
            case .follows: "\(entry.name) follows \(entry.generation.map(String.init) ?? "-")"
            case .data(let bytes): "\(entry.name) data \(bytes.count) \(entry.generation.map(String.init) ?? "-")"
            }
        }
    }

    @Test func `A small attachment is sent within the document, a large one follows, a known one is a stub`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            func content(_ count: Int, _ name: String) throws -> DocumentValue {
                .attachment(
                    try store.attachments.add(
                        AttachedPhotos.bytes(count, seed: UInt64(count)), type: "image/jpeg", name: name))
            }
            let limit = Int(OutgoingAttachments.inlineByteCount)
            let small: DocumentObject = ["id": "a", "x": try content(limit, "x"), "y": try content(5, "y")]
            let inline = try OutgoingAttachments(of: small, generation: 3, of: store)
            #expect(Self.forms(inline) == ["x data \(limit) 3", "y data 5 3"])
            #expect(inline.following.isEmpty)
            #expect(inline.content == small)

            // With an attachment that follows, all do: then their order is that of the list.
            var large = small
            large["z"] = try content(limit + 1, "z")
            let following = try OutgoingAttachments(of: large, generation: 3, of: store)
            #expect(Self.forms(following) == ["x follows 3", "y follows 3", "z follows 3"])
            #expect(following.following.map(\.entry) == following.entries)

            let known = KnownAttachments(try DocumentAttachments(of: large))
            let edited = try OutgoingAttachments(
                of: large.merging(patch: ["title": "Fog", "w": content(6, "w")]), generation: 4, of: store,
                known: known,
                digests: { _ in ["md5-a", "md5-b"] })
            #expect(
                Self.forms(edited) == ["x stub - md5-a", "y stub - md5-a", "z stub - md5-a", "w data 6 4"])

            // Five contents of 256 KiB are more than is held in memory.
            var many: DocumentObject = ["id": "a"]
            for number in 0..<5 { many["x\(number)"] = try content(limit - number, "x\(number)") }
            #expect(try OutgoingAttachments(of: many, generation: 1, of: store).following.count == 5)
            #expect(try OutgoingAttachments(of: small, generation: 1, of: store, inlineLimit: -1).following.count == 2)
        }
    }

    @Test func `Attachments of other programs are sent under their names`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let content = DocumentValue.attachment(try store.attachments.add([1], name: "own.jpg"))
            let outgoing = try OutgoingAttachments(
                of: ["id": "a", "_attachments": ["a/b.txt": content]], generation: 1, of: store)
            #expect(Self.forms(outgoing) == ["a/b.txt data 1 1"])
            #expect(outgoing.content == ["id": "a"])
        }
    }

    @Test func `An attachment that is not stored gives an error that names it, unless the peer has it`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let document: DocumentObject = ["id": "a", "x": try DocumentAttachmentsTests.reference(1, "x")]
            let error = #expect(throws: AttachmentError.self) {
                try OutgoingAttachments(of: document, generation: 1, of: store)
            }
            #expect(error?.code == .missing)
            let known = KnownAttachments(try DocumentAttachments(of: document))
            let outgoing = try OutgoingAttachments(of: document, generation: 2, of: store, known: known)
            #expect(Self.forms(outgoing) == ["x stub - -"])
        }
    }

    @Test func `A stub for a peer that asks for attachments states the generation and the newest digest`() throws {
        let document: DocumentObject = ["id": "a", "x": try DocumentAttachmentsTests.reference(1, "x")]
        let (content, entries) = try OutgoingAttachments.stubs(of: document, generation: 7) { _ in ["md5-a", "md5-b"] }
        #expect(content == document)
        #expect(
            entries == [WireAttachment("x", type: "image/jpeg", byteCount: 1, digest: "md5-a", generation: 7)])
    }
}
