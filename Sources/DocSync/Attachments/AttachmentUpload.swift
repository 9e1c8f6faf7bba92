package import DocIndex

/// A document that is sent together with contents of attachments (`PUT DB/ID?new_edits=false`).
package enum AttachmentUpload {
    /// Returns the message: the document, and the attachments in the order in which it lists them.
    ///
    /// The attachments are read from the store, in pieces, while the message is sent. If one of them is damaged or
    /// disappears before its end, the message stays incomplete. CouchDB takes the attachments in the order of
    /// `_attachments`, by the lengths there, and ignores the names.
    ///
    /// - Parameters:
    ///   - document: the document as JSON, with `_attachments`.
    ///   - contents: the attachments that follow: what the document says about each, and its content.
    /// - Throws: ``AttachmentError`` with `missing` if the content of an attachment is not stored; `DocIndexError`,
    ///   `LevelError`.
    package static func message(
        _ document: [UInt8], _ contents: [(entry: WireAttachment, content: Attachment)], of store: DocumentStore
    ) throws -> MultipartBody {
        var parts = [MultipartBody.Part(["Content-Type": "application/json"], .bytes(document))]
        for (entry, content) in contents {
            guard let info = try store.attachments.info(content.digest), info.byteCount == content.byteCount else {
                throw AttachmentError.notStored(.init(name: entry.name, attachment: content))
            }
            let fields: HeaderFields = [
                "Content-Disposition": "attachment; filename=\(MediaType.quoted(entry.name))",
                "Content-Type": entry.type, "Content-Length": "\(content.byteCount)",
            ]
            let chunks = ByteStream(store.attachments.chunks(of: content), byteCount: content.byteCount)
            parts.append(MultipartBody.Part(fields, .stream(chunks)))
        }
        return MultipartBody("related", parts)
    }
}
