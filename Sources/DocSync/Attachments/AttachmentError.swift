internal import DocIndex

/// The reason that the attachments of a document cannot be exchanged. Other documents are not affected.
package struct AttachmentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// What the peer says about an attachment is not what the protocol expects, or an attachment is not in the
        /// message.
        case malformed
        /// The size of an attachment differs from the stated one.
        case wrongLength
        /// The digest of an attachment differs from the stated one.
        case digestMismatch
        /// The content of an attachment is neither in the message nor in the store.
        case missing
        /// The document refers to content that is neither among its attachments nor in the store.
        case unlisted
        /// The document has the member `_attachments`, but it is not an object of attachments with valid names.
        case reservedMember
    }

    /// The kind of error.
    package let code: Code
    /// A description of the problem, the attachment, and what to do next.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    package var description: String { message }

    static func notStored(_ named: DocumentAttachments.Named) -> AttachmentError {
        AttachmentError(
            .missing,
            "The content \(named.attachment.digest) of the attachment \(named.name.inMessage) is not stored; add it "
                + "again, or restore a backup.")
    }
}
