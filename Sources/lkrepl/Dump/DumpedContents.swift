import DocIndex

/// Checks the contents of attachments in a dump while it is read.
struct DumpedContents {
    /// Where the attachments are, according to the header; `nil` if the documents have no attachments.
    let place: DumpHeader.Contents?
    /// The attachments in the dump; if the dump has none, the attachments that its documents refer to.
    private var digests: Set<Attachment.Digest> = []
    private var byteCount: Int64 = 0
    /// The content whose parts are still incomplete.
    private var open: (part: ContentPart, hash: SHA256Hash, byteCount: Int64)?

    init(place: DumpHeader.Contents?) { self.place = place }

    /// Whether parts of an attachment are missing.
    var isIncomplete: Bool { open != nil }
    /// The content whose parts are still incomplete; `nil` for none.
    var incompleteDigest: Attachment.Digest? { open?.part.digest }

    /// Forgets an attachment whose parts are incomplete.
    mutating func drop(_ digest: Attachment.Digest) {
        if incompleteDigest == digest { open = nil }
    }

    /// Checks the next part.
    ///
    /// - Throws: ``DumpError`` for a part that does not follow the previous one, and for a complete attachment with
    ///   another size or digest.
    mutating func take(_ part: ContentPart) throws {
        guard place == .parts else { throw DumpError("the header does not announce the content of attachments") }
        let name = "the attachment \(part.digest)"
        var current: (part: ContentPart, hash: SHA256Hash, byteCount: Int64)
        if let open {
            guard open.part.digest == part.digest, open.part.byteCount == part.byteCount,
                open.part.count == part.count, open.part.index + 1 == part.index
            else { throw DumpError("the parts of \(name) are incomplete or out of order", kind: .truncated) }
            current = open
        } else {
            guard part.index == 0 else {
                throw DumpError("the first part of \(name) is missing", kind: .truncated)
            }
            guard !digests.contains(part.digest) else { throw DumpError("\(name) is in the dump twice") }
            current = (part, SHA256Hash(), 0)
        }
        unsafe part.bytes.withUnsafeBytes { unsafe current.hash.update($0) }
        current.byteCount += Int64(part.bytes.count)
        guard current.byteCount <= part.byteCount else {
            throw DumpError("\(name) has more than \(part.byteCount) bytes", kind: .digest)
        }
        // The bytes are not needed any more.
        current.part = ContentPart(
            digest: part.digest, byteCount: part.byteCount, index: part.index, count: part.count, bytes: [])
        guard part.isLast else {
            open = current
            return
        }
        open = nil
        guard current.byteCount == part.byteCount else {
            throw DumpError("\(name) has \(current.byteCount) bytes instead of \(part.byteCount)", kind: .digest)
        }
        guard Attachment.Digest(current.hash.digest.span) == part.digest else {
            throw DumpError("checksum mismatch: the content of \(name) was changed", kind: .digest)
        }
        digests.insert(part.digest)
        byteCount += part.byteCount
    }

    /// Notes the references of a document. Returns what is wrong about them; `nil` if nothing is.
    mutating func note(_ content: DocumentObject) -> String? {
        var reason: String?
        content.forEachAttachment { attachment in
            if place != .parts {
                if digests.insert(attachment.digest).inserted { byteCount += attachment.byteCount }
                if place == nil { reason = "the document has attachments, which the header does not announce" }
            } else if !digests.contains(attachment.digest) {
                reason = "the content of the attachment \(attachment.digest) is not in the dump before this document"
            }
        }
        return reason
    }

    /// The difference between what was read and what an end record states; `nil` if there is none.
    func difference(from end: DumpRecord.Attachments?) -> String? {
        guard place != nil || end != nil else { return nil }
        guard let end, end.contents == place, end.count == digests.count, end.byteCount == byteCount else {
            return "the dump has \(digests.count) attachments with \(byteCount) bytes, but its end says "
                + (end.map { "\($0.count) with \($0.byteCount)" } ?? "none") + ": attachments were lost or added"
        }
        return nil
    }
}
