/// Attachments as parts of Swift types. ``DocumentEncoder`` and ``DocumentDecoder`` store and read them as
/// ``DocumentValue/attachment(_:)``. Other coders represent them as `{"sha256":"…","bytes":2048,"type":"image/jpeg",
/// "name":"IMG_0001.jpg"}`.
extension Attachment: Codable {
    private enum CodingKeys: String, CodingKey {
        case sha256, bytes, type, name
    }

    /// Decodes the attachment from its members. `type` and `name` can be absent.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let attachment = Attachment(
            digest: try container.decode(Digest.self, forKey: .sha256),
            byteCount: try container.decode(Int64.self, forKey: .bytes),
            type: try container.decodeIfPresent(String.self, forKey: .type) ?? Self.unknownType,
            name: try container.decodeIfPresent(String.self, forKey: .name))
        guard let attachment else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "The size of an attachment is negative, or its type or name is empty or too long."
                ))
        }
        self = attachment
    }

    /// Encodes the members of the attachment.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(digest, forKey: .sha256)
        try container.encode(byteCount, forKey: .bytes)
        try container.encode(type, forKey: .type)
        try container.encodeIfPresent(name, forKey: .name)
    }
}

extension Attachment.Digest: Codable {
    /// Decodes the digest from a string of 64 lowercase hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = Attachment.Digest(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "Expected a SHA-256 digest of 64 lowercase hexadecimal digits.")
        }
        self = digest
    }

    /// Encodes the digest as a string of 64 lowercase hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
