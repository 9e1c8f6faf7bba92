package import DocIndex

/// Attachments for tests of values. Their content is not stored anywhere.
package enum Attachments {
    /// The digest of the content `abc`.
    package static let digest = Attachment.Digest("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")!

    /// A picture with a name.
    package static let image = attachment(digest, 3, "image/jpeg", "IMG_1.jpg")

    /// The JSON form of ``image``.
    package static let imageJSON =
        #"{"$attachment":{"sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","bytes":3,"#
        + #""type":"image/jpeg","name":"IMG_1.jpg"}}"#

    /// Attachments in the order of index keys: by digest, size, type and name.
    package static let ascending: [Attachment] = [
        attachment(digest(0), 0, "a"), attachment(digest(0), 0, "a", "\0"), attachment(digest(0), 0, "a", "a"),
        attachment(digest(0), 0, "a", "a\0"), attachment(digest(0), 0, "a", "a\0b"), attachment(digest(0), 0, "a", "b"),
        attachment(digest(0), 0, "a\0"), attachment(digest(0), 0, "a\0", "a"), attachment(digest(0), 0, "b"),
        attachment(digest(0), 1, "a"), attachment(digest(0), 256, "a"), attachment(digest(0), 1 << 53, "a"),
        attachment(digest(0), 1 << 53 + 1, "a"), attachment(digest(0), .max, "a"), attachment(digest(0, 1), 0, "a"),
        attachment(digest(0, 0xff), 0, "a"), attachment(digest(1), 0, "a"), attachment(digest(0x80), 0, "a"), image,
        attachment(digest(0xff), 0, "a"), attachment(digest(0xff, 0xff), 0, "a"),
    ]

    /// Attachments that differ pairwise in one property.
    package static let distinct: [Attachment] = [
        image, attachment(digest(1), 3, "image/jpeg", "IMG_1.jpg"), attachment(digest, 4, "image/jpeg", "IMG_1.jpg"),
        attachment(digest, 3, "image/png", "IMG_1.jpg"), attachment(digest, 3, "image/jpeg", "IMG_2.jpg"),
        attachment(digest, 3, "image/jpeg"), attachment(digest, 3, "\u{e9}", "a"),
        attachment(digest, 3, "e\u{301}", "a"),
        attachment(digest, 3, "a", "\u{e9}"), attachment(digest, 3, "a", "e\u{301}"),
    ]

    private static func digest(_ first: UInt8, _ last: UInt8 = 0) -> Attachment.Digest {
        var bytes: [UInt8] = Array(repeating: 0, count: Attachment.Digest.byteCount)
        bytes[0] = first
        bytes[bytes.count - 1] = last
        return Attachment.Digest(bytes.span)!
    }

    private static func attachment(
        _ digest: Attachment.Digest, _ byteCount: Int64, _ type: String, _ name: String? = nil
    ) -> Attachment {
        Attachment(digest: digest, byteCount: byteCount, type: type, name: name)!
    }
}
