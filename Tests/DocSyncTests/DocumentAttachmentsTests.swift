import DocIndex
import DocSync
import TestSupport
import Testing

import struct DocIndex.Attachment

@Suite struct DocumentAttachmentsTests {
    static func digest(_ number: Int) throws -> Attachment.Digest {
        let digits = String(number, radix: 16)
        return try #require(Attachment.Digest(String(repeating: "0", count: 64 - digits.utf8.count) + digits))
    }

    static func reference(
        _ number: Int, _ name: String? = nil, type: String = "image/jpeg", byteCount: Int64? = nil
    ) throws -> DocumentValue {
        .attachment(
            try #require(
                Attachment(
                    digest: digest(number), byteCount: byteCount ?? Int64(number), type: type, name: name)))
    }

    private static func names(_ document: DocumentObject) throws -> [String] {
        try DocumentAttachments(of: document).list.map { "\($0.name)=\($0.attachment.byteCount)" }
    }

    private static func digestName(_ number: Int) throws -> String { try "sha256-\(digest(number))" }

    @Test func `An attachment has its file name, and references with the same digest are one attachment`() throws {
        let document: DocumentObject = [
            "id": "a", "original": try Self.reference(1, "b.jpg"), "title": "Fog",
            "pages": .array([["scan": try Self.reference(2, "a.jpg")], try Self.reference(1, "a2.jpg")]),
        ]
        let attachments = try DocumentAttachments(of: document)
        #expect(attachments.content == document)
        #expect(try Self.names(document) == ["a2.jpg=1", "a.jpg=2"])
    }

    @Test func `Names do not depend on the order of members`() throws {
        var random = TestRun.random()
        let names: [String?] = ["a.jpg", "b.jpg", "c", nil, "_a", "x/y.png", "d.jpeg"]
        for _ in 0..<200 {
            let members = try (0..<8).map { position in
                (
                    "m\(position)",
                    try Self.reference(
                        random.number(below: 4), random.pick(names), type: random.pick(["a", "b"]))
                )
            }
            let first = try DocumentAttachments(of: DocumentObject(uniqueMembers: members))
            let second = try DocumentAttachments(of: DocumentObject(uniqueMembers: members.reversed()))
            #expect(
                Set(first.list.map { "\($0.name) \($0.attachment.digest) \($0.attachment.type)" })
                    == Set(second.list.map { "\($0.name) \($0.attachment.digest) \($0.attachment.type)" }))
            #expect(Set(first.list.map { Array($0.name.utf8) }).count == first.list.count)
        }
    }

    @Test func `A file name that two attachments share is used for neither`() throws {
        let document: DocumentObject = ["a": try Self.reference(1, "x.jpg"), "b": try Self.reference(2, "x.jpg")]
        #expect(try Self.names(document) == [Self.digestName(1) + ".jpg=1", Self.digestName(2) + ".jpg=2"])
        // "é" in two forms is two names for peers.
        let forms: DocumentObject = ["a": try Self.reference(1, "\u{e9}"), "b": try Self.reference(2, "e\u{301}")]
        #expect(try DocumentAttachments(of: forms).list.map { Array($0.name.utf8).count } == [2, 3])
    }

    @Test(arguments: [
        ("_x.jpg", ".jpg"), ("a/b.tar.gz", ".gz"), ("a\u{0}.png", ".png"), ("a\"b", ""), ("a\\b.jp g", ""), ("..", ""),
        (".", ""), ("a\nb.JPG", ".JPG"), ("sha256-x.raf", ".raf"), ("_.longextension", ""),
    ]) func `A file name that peers or URLs do not permit is replaced by the digest`(name: String, suffix: String)
        throws
    {
        #expect(try Self.names(["a": Self.reference(1, name)]) == [Self.digestName(1) + suffix + "=1"])
    }

    @Test func `Attachments of other programs keep their names, which references cannot take`() throws {
        let document: DocumentObject = [
            "_attachments": [
                "x.jpg": try Self.reference(3), "a/\u{1}\"b": try Self.reference(4, "other"),
                "same.jpg": try Self.reference(5),
            ],
            "a": try Self.reference(1, "x.jpg"), "b": try Self.reference(5, "same.jpg"), "c": try Self.reference(5),
        ]
        #expect(
            try Self.names(document) == [
                "x.jpg=3", "a/\u{1}\"b=4", "same.jpg=5", Self.digestName(1) + ".jpg=1", Self.digestName(5) + ".jpg=5",
            ])
        #expect(try DocumentAttachments(of: document).content.map(\.name) == ["a", "b", "c"])
    }

    @Test func `A member _attachments with a different meaning gives an error that names it`() throws {
        let documents: [DocumentObject] = [
            ["_attachments": 1], ["_attachments": ["x": 1]], ["_attachments": ["": try Self.reference(1)]],
            ["_attachments": ["_x": try Self.reference(1)]], ["_attachments": [["x": try Self.reference(1)]]],
            ["_attachments": .object([try Self.digestName(2): try Self.reference(1)]), "a": try Self.reference(2)],
        ]
        for document in documents {
            let error = #expect(throws: AttachmentError.self) { try DocumentAttachments(of: document) }
            #expect(error?.code == .reservedMember)
        }
    }

    @Test func `A peer is known to have an attachment only under the same name`() throws {
        let old = try DocumentAttachments(of: [
            "a": Self.reference(1, "a.jpg"), "b": Self.reference(2, "b.jpg"), "_attachments": ["c": Self.reference(3)],
        ])
        let new = try DocumentAttachments(of: [
            "a": Self.reference(9, "a.jpg"), "b": Self.reference(2, "b.jpg"), "_attachments": ["c": Self.reference(3)],
            "d": Self.reference(1, "d.jpg"),
        ])
        let known = KnownAttachments(old)
        #expect(new.list.map { known.contains($0) } == [true, false, true, false])
        #expect(!KnownAttachments().contains(new.list[0]))
        let listed = KnownAttachments([
            WireAttachment("c", type: "x", byteCount: 3, digest: "md5-3"),
            WireAttachment("a.jpg", type: "x", byteCount: 9, digest: "md5-1"),
            WireAttachment("b.jpg", type: "x", byteCount: 3, digest: "md5-2"),
            WireAttachment("d.jpg", type: "x", byteCount: 1),
        ])
        let digests = [["md5-0", "md5-3"], ["md5-9"], ["md5-2"], []]
        #expect(zip(new.list, digests).map { listed.contains($0, digests: $1) } == [true, false, false, false])
    }

    @Test func `Ten thousand attachments are named and found again in a short time`() throws {
        let references = try (0..<10_000).map { number in
            let digest = try Self.digest(number)
            return DocumentValue.attachment(
                try #require(Attachment(digest: digest, byteCount: 1, name: "\(number % 9000)")))
        }
        let time = try processorTime {
            let attachments = try DocumentAttachments(of: ["all": .array(references + references)])
            #expect(attachments.list.count == 10_000)
            let entries = attachments.list.map {
                WireAttachment($0.name, type: "a/b", byteCount: $0.attachment.byteCount, content: .follows)
            }
            let arriving = ArrivingAttachments(attachments.content, entries)
            #expect(arriving.bound.count == 10_000 && arriving.foreign.isEmpty && arriving.unbound.isEmpty)
        }
        #expect(time < .seconds(10))
    }
}
