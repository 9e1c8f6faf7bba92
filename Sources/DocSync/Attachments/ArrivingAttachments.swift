package import DocIndex

/// The attachments of a document that a peer sent, and the references of the document to them.
package struct ArrivingAttachments: Sendable {
    /// An attachment of the peer, and the content that it must have.
    package struct Bound: Sendable, Hashable {
        package let entry: WireAttachment
        /// A reference of the document to the content.
        package let attachment: Attachment
    }

    /// The document without the member `_attachments`.
    package let content: DocumentObject
    /// The attachments that the document refers to by SHA-256. They were sent by a store.
    package let bound: [Bound]
    /// The other attachments, in the order of their names. Other programs added them; their SHA-256 is
    /// known only from their content.
    package let foreign: [WireAttachment]
    /// References of the document to content that is not among its attachments at the peer. The document can be stored
    /// only if the store has them.
    package let unbound: [Attachment]
    /// What the document refers to by the attachments that count as replaced, by the names of these.
    private let replaced: [[UInt8]: Attachment.Digest]

    /// Finds out which attachments a document refers to.
    ///
    /// - Parameters:
    ///   - content: the document without the member `_attachments`.
    ///   - entries: the attachments that the peer lists.
    ///   - isReplaced: returns whether an attachment turned out to have different content than the document says.
    ///     Somebody replaced it at the peer. It then counts as one that the document does not refer to.
    /// - Complexity: O(*n* log *n*).
    package init(
        _ content: DocumentObject, _ entries: [WireAttachment], isReplaced: (WireAttachment) -> Bool = { _ in false }
    ) {
        var byName: [[UInt8]: Int] = [:]
        var byDigest: [Attachment.Digest: Int] = [:]
        for (position, entry) in entries.enumerated() {
            byName[Array(entry.name.utf8)] = position
            if let digest = AttachmentReferences.digest(inName: entry.name) { byDigest[digest] = position }
        }
        var bound: [Bound] = []
        var unbound: [Attachment] = []
        var replaced: [[UInt8]: Attachment.Digest] = [:]
        var used: Set<Int> = []
        let references = AttachmentReferences(of: content)
        for reference in references.list {
            let attachment = reference.attachment
            // A name with the digest comes first, because another attachment may have the file name.
            let position =
                byDigest[attachment.digest] ?? references.name(of: reference).flatMap { byName[Array($0.utf8)] }
            guard let position, entries[position].byteCount.map({ $0 == attachment.byteCount }) ?? true else {
                unbound.append(attachment)
                continue
            }
            let entry = entries[position]
            if isReplaced(entry) {
                replaced[Array(entry.name.utf8)] = attachment.digest
                unbound.append(attachment)
            } else {
                used.insert(position)
                bound.append(Bound(entry: entry, attachment: attachment))
            }
        }
        self.content = content
        self.bound = bound
        self.unbound = unbound
        self.replaced = replaced
        foreign = entries.enumerated().filter { !used.contains($0.offset) }.map(\.element)
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Finds out which attachments a document refers to. An attachment that arrived with different content than the
    /// document says was replaced at the peer.
    package init(_ content: DocumentObject, _ entries: [WireAttachment], received: ReceivedContents) {
        let asStated = ArrivingAttachments(content, entries)
        let replaced = asStated.bound.filter { bound in
            received[bound.entry.name].map { $0.digest != bound.attachment.digest } ?? false
        }
        if replaced.isEmpty {
            self = asStated
        } else {
            let names = Set(replaced.map { Array($0.entry.name.utf8) })
            self.init(content, entries) { names.contains(Array($0.name.utf8)) }
        }
    }
}

/// The attachments that arrived with a document, by their names.
package struct ReceivedContents: Sendable {
    private var contents: [[UInt8]: Attachment] = [:]

    package init() {}

    /// The stored content of an attachment; `nil` if it has not come.
    package subscript(name: String) -> Attachment? {
        get { contents[Array(name.utf8)] }
        set { contents[Array(name.utf8)] = newValue }
    }
}

/// A former version of a document, from which attachments are taken that a peer does not send again.
package struct StoredAncestor: Sendable {
    let generation: Int
    private var attachments: [[UInt8]: Attachment] = [:]

    /// - Parameters:
    ///   - generation: the generation of the version. It must be an ancestor of the revision that is received.
    ///   - attachments: the attachments of the version.
    package init(generation: Int, _ attachments: DocumentAttachments) {
        self.generation = generation
        for named in attachments.list { self.attachments[Array(named.name.utf8)] = named.attachment }
    }

    /// Returns the content of a stub; `nil` if the version did not have the attachment, or may have had different
    /// content.
    ///
    /// If the digests cannot be compared, the content is the same if it arrived with this version or an earlier one,
    /// according to the peer.
    func content(of stub: WireAttachment, digests: (Attachment.Digest) throws -> [String]) rethrows -> Attachment? {
        guard let attachment = attachments[Array(stub.name.utf8)],
            stub.byteCount.map({ $0 == attachment.byteCount }) ?? true
        else { return nil }
        if let stated = stub.digest {
            let known = try digests(attachment.digest)
            if !known.isEmpty { return known.contains(stated) ? attachment : nil }
        }
        return stub.generation.map { $0 <= generation } ?? true ? attachment : nil
    }
}

extension ArrivingAttachments {
    /// Returns the attachments whose content the store needs.
    ///
    /// - Parameters:
    ///   - ancestor: the closest ancestor of the revision that is stored here; `nil` if there is none.
    ///   - digests: returns the digests by which peers know an attachment, as far as they are known.
    /// - Throws: `DocIndexError`, `LevelError`; what `digests` throws.
    package func needed(
        in store: DocumentStore, ancestor: StoredAncestor? = nil,
        digests: (Attachment.Digest) throws -> [String] = { _ in [] }
    ) throws -> [WireAttachment] {
        try bound.filter { try store.attachments.info($0.attachment.digest) == nil }.map(\.entry)
            + foreign.filter { try ancestor?.content(of: $0, digests: digests) == nil }
    }

    /// Returns the document as it is stored, once all its attachments are.
    ///
    /// - Parameters:
    ///   - received: the attachments that were received.
    ///   - ancestor: as for ``needed(in:ancestor:digests:)``, which must have been asked with it.
    /// - Throws: ``AttachmentError``: `digestMismatch` if an attachment has different content than the document says;
    ///   `missing` or `unlisted` if an attachment is neither in the store nor received; `malformed` if a type is too
    ///   long to be stored; `DocIndexError`, `LevelError`.
    package func document(
        _ received: ReceivedContents, in store: DocumentStore, ancestor: StoredAncestor? = nil,
        digests: (Attachment.Digest) throws -> [String] = { _ in [] }
    ) throws -> DocumentObject {
        for bound in bound {
            let name = bound.entry.name.inMessage
            if let content = received[bound.entry.name] {
                guard content.digest == bound.attachment.digest else {
                    throw AttachmentError(
                        .digestMismatch,
                        "The attachment \(name) has the SHA-256 \(content.digest), and the document refers to "
                            + "\(bound.attachment.digest); ask for it again, or check the peer.")
                }
            } else if try store.attachments.info(bound.attachment.digest) == nil {
                throw Self.missing(name)
            }
        }
        for attachment in unbound where try store.attachments.info(attachment.digest) == nil {
            throw AttachmentError(
                .unlisted,
                "The document refers to the content \(attachment.digest), which is not among its attachments; add it "
                    + "to a store that takes part in the replication.")
        }
        var members = DocumentObject()
        for entry in foreign {
            guard
                let content = try received[entry.name] ?? ancestor?.content(of: entry, digests: digests)
            else { throw Self.missing(entry.name.inMessage) }
            // It was not replaced, but damaged on its way the first time.
            if content.digest == replaced[Array(entry.name.utf8)] { continue }
            let name = entry.name.isEmpty || entry.name.utf8.count > Attachment.maximumNameByteCount ? nil : entry.name
            guard
                let reference = Attachment(
                    digest: content.digest, byteCount: content.byteCount, type: entry.type, name: name)
            else {
                throw AttachmentError(
                    .malformed,
                    "The type of the attachment \(entry.name.inMessage) is longer than "
                        + "\(Attachment.maximumNameByteCount) bytes; correct the document at the peer.")
            }
            members[entry.name] = .attachment(reference)
        }
        guard !members.isEmpty else { return content }
        var document = content
        document[DocumentAttachments.member] = .object(members)
        return document
    }

    private static func missing(_ name: String) -> AttachmentError {
        AttachmentError(
            .missing, "The content of the attachment \(name) is not stored here; send it with the document.")
    }
}
