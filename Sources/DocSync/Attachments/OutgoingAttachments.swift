package import DocIndex

/// The attachments of a revision as they are sent.
package struct OutgoingAttachments: Sendable {
    /// The document without the member `_attachments`. References elsewhere are still in it.
    package let content: DocumentObject
    /// The value of `_attachments`.
    package let entries: [WireAttachment]
    /// The attachments that follow the document, in the order of the entries. If there are any, the document is sent
    /// alone, as ``AttachmentUpload`` says.
    package let following: [(entry: WireAttachment, content: Attachment)]

    /// The usual maximum size of an attachment that is sent within the document, in bytes. CouchDB takes such documents
    /// with a third of the work, but text in base64 is a third longer.
    package static let inlineByteCount: Int64 = 256 << 10
    /// The maximum size of all attachments that are sent within one document, in bytes.
    static let totalInlineByteCount: Int64 = 1 << 20

    /// Decides how each attachment is sent: not again if the peer has it, within the document if it is small, and after
    /// it otherwise.
    ///
    /// A stub states no generation, because the peer knows with which one it got the attachment, and refuses any other.
    /// Everything else is new to the peer from this revision on.
    ///
    /// - Parameters:
    ///   - document: the content of the revision.
    ///   - generation: its generation.
    ///   - known: what the peer has for the closest ancestor of the revision.
    ///   - inlineLimit: the maximum size of an attachment that is sent within the document, in bytes. Negative if none
    ///     is.
    ///   - digests: returns the digests by which peers know an attachment, as far as they are known.
    /// - Throws: ``AttachmentError``: `reservedMember` like ``DocumentAttachments/init(of:)``; `missing` if an
    ///   attachment is not stored; `DocIndexError` with `attachmentDamaged` or `corruption`; `LevelError`; what
    ///   `digests` throws.
    package init(
        of document: DocumentObject, generation: Int, of store: DocumentStore, known: KnownAttachments = .init(),
        inlineLimit: Int64 = inlineByteCount, digests: (Attachment.Digest) throws -> [String] = { _ in [] }
    ) throws {
        let attachments = try DocumentAttachments(of: document)
        var entries: [WireAttachment] = []
        var inlineByteCount: Int64 = 0
        for named in attachments.list {
            let names = try digests(named.attachment.digest)
            var entry = WireAttachment(
                named.name, type: named.attachment.type, byteCount: named.attachment.byteCount,
                generation: generation, content: .follows)
            if known.contains(named, digests: names) {
                entry.content = .stub
                entry.generation = nil
                entry.digest = names.first
            } else {
                guard try store.attachments.info(named.attachment.digest) != nil else {
                    throw AttachmentError.notStored(named)
                }
                inlineByteCount += named.attachment.byteCount
            }
            entries.append(entry)
        }
        var following: [(entry: WireAttachment, content: Attachment)] = []
        let isInline = zip(entries, attachments.list).allSatisfy { entry, named in
            entry.content == .stub || named.attachment.byteCount <= inlineLimit
        }
        for (position, named) in attachments.list.enumerated() where entries[position].content == .follows {
            if isInline, inlineByteCount <= Self.totalInlineByteCount {
                entries[position].content = .data(try store.attachments.bytes(of: named.attachment))
            } else {
                following.append((entries[position], named.attachment))
            }
        }
        content = attachments.content
        self.entries = entries
        self.following = following
    }

    /// Returns the attachments of a revision for a peer that fetches their content separately.
    ///
    /// Each states the generation of the revision, since when an attachment was added is not stored. A peer that has an
    /// ancestor thus asks again for what it cannot recognize by its digest.
    ///
    /// - Parameter digests: as above.
    /// - Throws: ``AttachmentError`` with `reservedMember`; what `digests` throws.
    package static func stubs(
        of document: DocumentObject, generation: Int, digests: (Attachment.Digest) throws -> [String] = { _ in [] }
    ) throws -> (content: DocumentObject, entries: [WireAttachment]) {
        let attachments = try DocumentAttachments(of: document)
        let entries = try attachments.list.map { named in
            WireAttachment(
                named.name, type: named.attachment.type, byteCount: named.attachment.byteCount,
                digest: try digests(named.attachment.digest).first, generation: generation)
        }
        return (attachments.content, entries)
    }
}

/// The attachments that a peer has for an ancestor of a revision, so that they need not be sent again.
///
/// A peer replaces a stub by what its closest ancestor has under the name, and checks nothing else. So a stub must be
/// sent only if that ancestor has the same content.
package struct KnownAttachments: Sendable {
    private enum Content {
        case sha256(Attachment.Digest)
        case stated(digest: String?, byteCount: Int64?)
    }

    private var contents: [[UInt8]: Content] = [:]

    /// Nothing is known, so everything is sent.
    package init() {}

    /// The attachments of an ancestor that is stored here, too. The peer must have that revision.
    package init(_ ancestor: DocumentAttachments) {
        for named in ancestor.list { contents[Array(named.name.utf8)] = .sha256(named.attachment.digest) }
    }

    /// The attachments of an ancestor as the peer lists them.
    package init(_ ancestor: [WireAttachment]) {
        for entry in ancestor {
            contents[Array(entry.name.utf8)] = .stated(digest: entry.digest, byteCount: entry.byteCount)
        }
    }

    /// Returns whether the peer has the content of an attachment under its name.
    ///
    /// - Parameter digests: the digests by which peers know the content, as far as they are known.
    package func contains(_ named: DocumentAttachments.Named, digests: [String] = []) -> Bool {
        switch contents[Array(named.name.utf8)] {
        case nil: false
        case .sha256(let digest): digest == named.attachment.digest
        case .stated(let digest, let byteCount):
            byteCount == named.attachment.byteCount && digest.map(digests.contains) ?? false
        }
    }
}
