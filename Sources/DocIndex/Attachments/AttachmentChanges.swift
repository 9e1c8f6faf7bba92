internal import LevelKit

/// The changes of a commit to the references to attachments.
struct AttachmentChanges {
    /// The change of the count of references.
    private var deltas: [Attachment.Digest: Int64] = [:]
    /// The references that documents gain, to compare with what is stored. One for each digest, since a document cannot
    /// be read with two sizes for one attachment.
    private var gained: [Attachment.Digest: (attachment: Attachment, document: DocumentID)] = [:]

    var isEmpty: Bool { deltas.isEmpty }

    /// Notes the references of a document that is stored.
    ///
    /// - Throws: ``DocIndexError`` with `attachmentMissing` if two references to one attachment have different sizes.
    mutating func add(_ attachments: [Attachment], of document: DocumentID) throws {
        for attachment in attachments {
            deltas[attachment.digest, default: 0] += 1
            if let other = gained[attachment.digest], other.attachment.byteCount != attachment.byteCount {
                throw Self.wrongSize(attachment, stored: other.attachment.byteCount, in: document)
            }
            gained[attachment.digest] = (attachment, document)
        }
    }

    /// Notes the references of the stored form of a document, which is replaced or deleted.
    ///
    /// - Parameter names: the names of the members that are replaced; `nil` for all.
    mutating func remove(of content: DocumentObject, named names: [String]?) {
        var removed = content
        if let names {
            removed = DocumentObject()
            for name in names { removed[name] = content[name] }
        }
        removed.forEachAttachment { deltas[$0.digest, default: 0] -= 1 }
    }

    /// Adds the changed records to the batch of the commit.
    ///
    /// - Throws: ``DocIndexError`` with `attachmentMissing` if the content of a reference is not stored.
    func write(to batch: WriteBatch, sequence: UInt64, reading database: Database) throws {
        let release = AttachmentRecord.Release(time: StoreClock.now, sequence: sequence)
        for (digest, delta) in deltas {
            var record = try AttachmentRecord.read(digest, in: database)
            if let (attachment, document) = gained[digest] {
                guard let record else {
                    throw DocIndexError(
                        .attachmentMissing,
                        "the document \(document) refers to the attachment \(digest), which is not stored; add its "
                            + "content first")
                }
                guard record.byteCount == attachment.byteCount else {
                    throw Self.wrongSize(attachment, stored: record.byteCount, in: document)
                }
            }
            if delta == 0 { continue }
            guard record?.change(by: delta, release) == true, let record else {
                throw DocIndexError(
                    .corruption,
                    "the count of references to the attachment \(digest) is wrong; run verify and rebuild the store")
            }
            try batch.put(record.encoded, forKey: StoreKey.attachment(digest))
        }
    }

    private static func wrongSize(_ attachment: Attachment, stored: Int64, in document: DocumentID) -> DocIndexError {
        DocIndexError(
            .attachmentMissing,
            "the document \(document) refers to \(attachment.byteCount) bytes of the attachment \(attachment.digest), "
                + "which has \(stored); use the reference that adding the content returned")
    }
}
