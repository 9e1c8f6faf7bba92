package import DocIndex

/// The digests by which peers identify attachments. They are stored with the collection and never replicated.
///
/// With them, finding out whether a peer has an attachment does not require reading it. CouchDB identifies an
/// attachment by its MD5 or by the MD5 of its compressed form, which only CouchDB can supply. A record never becomes
/// stale, because its name is the SHA-256 of the content; if it is lost, the content is sent again.
package struct AttachmentDigests: Sendable {
    private let collection: DocumentCollection

    /// The maximum number of digests of an attachment. The newest are kept.
    private static let limit = 4
    /// The maximum length of a digest in bytes. That of CouchDB has 28.
    private static let byteLimit = 128

    /// Creates a reader of the records of a collection.
    package init(of collection: DocumentCollection) { self.collection = collection }

    private static func name(_ digest: Attachment.Digest) -> String { "digests/\(digest)" }

    /// Returns the digests by which peers identify an attachment, the newest first; an empty array if none is known.
    ///
    /// - Throws: `DocIndexError`, `LevelError`.
    package func known(_ digest: Attachment.Digest) throws -> [String] {
        guard let record = try collection.localRecord(Self.name(digest)) else { return [] }
        return record.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Adds digests that were learned to a batch. Nothing is written if all are known.
    ///
    /// - Throws: `DocIndexError`, `LevelError`.
    package func note(_ learned: [Attachment.Digest: [String]], in batch: inout ReplicationBatch) throws {
        for (content, digests) in learned {
            let known = try known(content)
            var new: [String] = []
            for digest in digests where Self.isValid(digest) && !known.contains(digest) && !new.contains(digest) {
                new.append(digest)
            }
            guard !new.isEmpty else { continue }
            let record = (new + known).prefix(Self.limit).joined(separator: "\n")
            batch.setLocalRecord(Self.name(content), to: Array(record.utf8))
        }
    }

    private static func isValid(_ digest: String) -> Bool {
        1...byteLimit ~= digest.utf8.count && digest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }
}
