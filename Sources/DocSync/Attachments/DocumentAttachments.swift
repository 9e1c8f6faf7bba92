package import DocIndex

/// The attachments of a document under the names by which peers know them. `docs/FORMAT.md` gives the rule.
///
/// A document refers to attachments anywhere. Peers keep the contents apart, in `_attachments`, under names. The same
/// document has the same names on every device, so a peer that has a content under a name need not get it again.
package struct DocumentAttachments: Sendable, Hashable {
    /// An attachment with its name.
    package struct Named: Sendable, Hashable {
        package let name: String
        /// A reference to the content. Other references in the document can have another type or file name.
        package let attachment: Attachment
    }

    /// The member with attachments that other programs have added at a peer, under their names there.
    ///
    /// Peers refuse documents with other members whose names begin with `_`, so it cannot be one of them.
    package static let member = "_attachments"

    /// The document without the member ``member``. References elsewhere are still in it.
    package let content: DocumentObject
    /// The attachments: those of the member ``member``, then one for each content that the rest refers to.
    package let list: [Named]

    /// Names the attachments of a document.
    ///
    /// - Throws: ``AttachmentError`` with `reservedMember` if the member ``member`` is not an object of attachments, or
    ///   has a name that peers refuse.
    /// - Complexity: O(*n*) in the size of the document.
    package init(of document: DocumentObject) throws(AttachmentError) {
        var list: [Named] = []
        var taken: [[UInt8]: Attachment.Digest] = [:]
        var content = document
        if let own = content.removeValue(forName: Self.member) {
            guard case .object(let members) = own else {
                throw AttachmentError(
                    .reservedMember, "The member _attachments of the document is not an object; rename it.")
            }
            for member in members {
                guard case .attachment(let attachment) = member.value else {
                    throw AttachmentError(
                        .reservedMember,
                        "The member \(member.name.inMessage) of _attachments is not an attachment; move it elsewhere.")
                }
                guard let first = member.name.utf8.first, first != UInt8(ascii: "_") else {
                    throw AttachmentError(
                        .reservedMember,
                        "The name \(member.name.inMessage) in _attachments is empty or begins with _; rename it.")
                }
                list.append(Named(name: member.name, attachment: attachment))
                taken[Array(member.name.utf8)] = attachment.digest
            }
        }
        let references = AttachmentReferences(of: content)
        for reference in references.list {
            if let name = references.name(of: reference), taken[Array(name.utf8)] == nil {
                list.append(Named(name: name, attachment: reference.attachment))
                continue
            }
            let name = reference.digestName
            switch taken[Array(name.utf8)] {
            case nil: list.append(Named(name: name, attachment: reference.attachment))
            case reference.attachment.digest: break
            default:
                throw AttachmentError(
                    .reservedMember,
                    "The name \(name) in _attachments is that of another content; rename that member of _attachments.")
            }
        }
        self.content = content
        self.list = list
    }
}

extension DocumentAttachments {
    /// Returns what is sent about an attachment.
    ///
    /// - Parameters:
    ///   - generation: the generation of the revision that is sent. A content that comes with it is new to the peer from
    ///     there on. A stub states no generation, because the peer knows in which one it got the content, and refuses
    ///     another.
    ///   - digest: the digest by which the peer knows a stub; `nil` if it is not known.
    package static func entry(
        for named: Named, generation: Int, content: WireAttachment.Content, digest: String? = nil
    ) -> WireAttachment {
        WireAttachment(
            named.name, type: named.attachment.type, byteCount: named.attachment.byteCount, digest: digest,
            generation: content == .stub ? nil : generation, content: content)
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
