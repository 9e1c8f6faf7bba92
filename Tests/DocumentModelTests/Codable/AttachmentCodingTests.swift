import DocumentModel
import Foundation
import TestSupport
import Testing

@Suite struct AttachmentCodingTests {
    private struct Photo: Codable, Equatable {
        var id: String
        var original: Attachment
        var preview: Attachment?
        var others: [Attachment]
        var digest: Attachment.Digest
    }

    private static let photo = Photo(
        id: "a", original: Attachments.image, preview: nil, others: Array(Attachments.distinct.prefix(2)),
        digest: Attachments.digest)

    @Test func `An attachment in a Swift type is stored as an attachment and read back`() throws {
        let encoded = try DocumentEncoder().encodeObject(Self.photo)
        #expect(
            encoded == [
                "id": "a", "original": .attachment(Attachments.image),
                "others": .array(Attachments.distinct.prefix(2).map { .attachment($0) }),
                "digest": .string(Attachments.digest.description),
            ])
        #expect(try DocumentDecoder().decode(Photo.self, from: encoded) == Self.photo)
    }

    @Test func `An object with the members of an attachment is decoded as one, and other values are not`() throws {
        let object: DocumentValue = ["sha256": .string(Attachments.digest.description), "bytes": 3]
        let attachment = try DocumentDecoder().decode(Attachment.self, from: object)
        #expect(attachment == Attachment(digest: Attachments.digest, byteCount: 3))
        for wrong in [5, "a", ["sha256": "a", "bytes": 3], [:], nil] as [DocumentValue] {
            #expect(throws: DecodingError.self) { try DocumentDecoder().decode(Attachment.self, from: wrong) }
        }
        #expect(throws: DecodingError.self) {
            try DocumentDecoder().decode(DocumentObject.self, from: .attachment(Attachments.image))
        }
        #expect(throws: DecodingError.self) { try DocumentDecoder().decode(Attachment.Digest.self, from: "00") }
    }

    @Test func `Other coders represent an attachment as an object with its members`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(Attachments.image), as: UTF8.self)
        let expected =
            #"{"bytes":3,"name":"IMG_1.jpg","sha256":"\#(Attachments.digest)","type":"image/jpeg"}"#
        #expect(text == expected)
        #expect(try JSONDecoder().decode(Attachment.self, from: Data(text.utf8)) == Attachments.image)
        // As part of a value.
        let value: DocumentValue = ["a": .attachment(Attachments.image)]
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == "{\"a\":\(expected)}")
        for attachment in Attachments.distinct {
            #expect(try JSONDecoder().decode(Attachment.self, from: encoder.encode(attachment)) == attachment)
        }
    }

    @Test(arguments: [
        "{}", #"{"bytes":1}"#, #"{"sha256":"00","bytes":1}"#, #"{"sha256":"D","bytes":-1}"#,
        #"{"sha256":"D","bytes":1,"type":""}"#, #"{"sha256":"D","bytes":1,"name":""}"#, "5",
    ])
    func `Other decoders reject an object that is not an attachment`(text: String) {
        let text = text.replacing("\"D\"", with: "\"\(Attachments.digest)\"")
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Attachment.self, from: Data(text.utf8)) }
    }

    @Test func `Saving over a document replaces an attachment as a whole`() throws {
        let stored: DocumentObject = ["id": "a", "original": .attachment(Attachments.distinct[1]), "extra": 1]
        var photo = Self.photo
        photo.others = []
        let merged = try DocumentEncoder().merge(saving: photo, over: stored)
        #expect(merged["original"] == .attachment(Attachments.image))
        #expect(merged["extra"] == 1)
    }
}
