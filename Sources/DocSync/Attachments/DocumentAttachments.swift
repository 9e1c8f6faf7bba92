package import DocIndex

/// The attachments of a document under the names by which peers know them. `docs/FORMAT.md` gives the rule.
///
/// A document refers to attachments anywhere. Peers keep the attachments apart, in `_attachments`, under names. The
/// same document has the same names on every device, so a peer that has an attachment under a name need not get it
/// again.
package struct DocumentAttachments: Sendable, Hashable {
    /// An attachment with its name.
    package struct Named: Sendable, Hashable {
        package let name: String
        /// A reference to the content. Other references in the document can have a different type or file name.
        package let attachment: Attachment
    }

    /// The member with attachments that other programs have added at a peer, under their names there.
    ///
    /// Peers refuse documents with other members whose names begin with `_`, so it cannot be one of them.
    package static let member = "_attachments"

    /// The document without the member ``member``. References elsewhere are still in it.
    package let content: DocumentObject
    /// The attachments: those of the member ``member``, then one for each other digest that the document refers to.
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
                    "The name \(name) in _attachments is that of another attachment; rename that member.")
            }
        }
        self.content = content
        self.list = list
    }
}
