/// Attachments in a body. Separate from the other scalars, whose code is inlined.
extension BodyCursor {
    /// Reads the content of an attachment whose tag has just been read.
    @inline(never)
    mutating func readAttachment(before limit: Int) throws(BodyError) -> Attachment {
        let start = offset - 1
        let length = try readLength(before: limit)
        let end = offset + length
        let digest = try readDigest(before: end)
        guard case .int(let byteCount)? = try readPart(before: end),
            case .string(let type)? = try readPart(before: end), let name = try readPart(before: end)
        else { throw BodyError(.invalidAttachment, at: start) }
        guard offset == end else { throw BodyError(.lengthNotUsedUp, at: offset) }
        // An empty name is invalid, but an absent one is not.
        guard name.isNull || name.stringValue != nil,
            let attachment = Attachment(digest: digest, byteCount: byteCount, type: type, name: name.stringValue)
        else { throw BodyError(.invalidAttachment, at: start) }
        return attachment
    }

    /// Reads the digest at the cursor, including its tag.
    mutating func readDigest(before end: Int) throws(BodyError) -> Attachment.Digest {
        let start = offset
        guard start < end, try readByte() == BodyFormat.Tag.digest else {
            throw BodyError(.invalidAttachment, at: start)
        }
        guard Attachment.Digest.byteCount <= end - offset,
            let digest = Attachment.Digest(bytes.extracting(offset..<offset + Attachment.Digest.byteCount))
        else { throw BodyError(end < bytes.count ? .lengthBeyondEnd : .truncated, at: start) }
        offset += Attachment.Digest.byteCount
        return digest
    }

    /// Reads a scalar within an attachment; `nil` if the value at the cursor is none that may be there.
    private mutating func readPart(before end: Int) throws(BodyError) -> DocumentValue? {
        let start = offset
        guard start < end else { return nil }
        let tag = try readByte()
        // Attachments do not nest, so this recurses at most once.
        guard tag != BodyFormat.Tag.attachment else { return nil }
        return try readScalar(tag: tag, from: start, before: end)
    }

    /// Moves from the tag of an attachment to the value of a member. Returns the end of the attachment; `nil` if the
    /// attachment has no name and the member is `name`.
    @inline(never)
    mutating func findMember(_ member: Attachment.Member, before limit: Int) throws(BodyError) -> Int? {
        let start = offset
        offset += 1
        let length = try readLength(before: limit)
        let end = offset + length
        let digestStart = offset
        _ = try readDigest(before: end)
        guard member != .sha256 else {
            offset = digestStart
            return end
        }
        for _ in Attachment.Member.bytes.rawValue..<member.rawValue { try skipValue(before: end) }
        guard offset < end else { throw BodyError(.invalidAttachment, at: start) }
        switch (member, BodyFormat.kind(ofTag: bytes[offset])) {
        case (.bytes, .int), (.type, .string), (.name, .string): return end
        case (.name, .null): return nil
        default: throw BodyError(.invalidAttachment, at: start)
        }
    }
}
