internal import LevelKit

/// The references to attachments in the documents that have been read, and in other versions of documents.
///
/// Takes memory for each digest, not for each reference.
struct AttachmentReferences {
    /// The references to one attachment.
    struct Use {
        var count: UInt64
        /// The size that the first reference states, in bytes.
        let byteCount: Int64
        /// Another size that a later reference states; `nil` if all agree.
        var otherByteCount: Int64?
        /// The place of the first document that refers to the content.
        let collection: UInt32
        let row: UInt64
    }

    /// The place of a version that refers to an attachment.
    struct Version {
        let byteCount: Int64
        let collection: String
        let id: DocumentID
    }

    private(set) var uses: [Attachment.Digest: Use] = [:]
    /// The attachments that other versions refer to. Resolving a conflict may need them, so a garbage collection
    /// keeps them, but no record counts them.
    private(set) var versions: [Attachment.Digest: Version] = [:]

    var isEmpty: Bool { uses.isEmpty && versions.isEmpty }

    /// Whether a document or another version refers to an attachment.
    func contains(_ digest: Attachment.Digest) -> Bool { uses[digest] != nil || versions[digest] != nil }

    /// All attachments that a document or another version refers to.
    var digests: Set<Attachment.Digest> { Set(uses.keys).union(versions.keys) }

    subscript(digest: Attachment.Digest) -> Use? { uses[digest] }

    /// Notes the references of a document.
    mutating func add(_ content: DocumentObject, collection: UInt32, row: UInt64) {
        content.forEachAttachment { attachment in
            guard var use = uses[attachment.digest] else {
                uses[attachment.digest] = Use(
                    count: 1, byteCount: attachment.byteCount, collection: collection, row: row)
                return
            }
            use.count += 1
            if use.byteCount != attachment.byteCount { use.otherByteCount = attachment.byteCount }
            uses[attachment.digest] = use
        }
    }

    /// Notes the references of the versions that are stored apart from their documents. Unreadable ones are skipped.
    ///
    /// - Complexity: O(*n*) in these versions.
    mutating func addVersions(of collection: LoadedCollection, in reader: some KeyValueReader) throws {
        guard collection.isReplicated else { return }
        let prefix = StoreKey.revisionBodies.prefix(collection.number)
        var cancellation = CancellationCheck()
        var cursor = try reader.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            guard let (id, _) = StoreKey.documentRevision(in: cursor.key, behind: prefix.count),
                let version = try? RowReader.document(record: cursor.value, row: 0, collection: collection)
            else { continue }
            version.content.forEachAttachment { attachment in
                versions[attachment.digest] = Version(
                    byteCount: attachment.byteCount, collection: collection.name, id: id)
            }
        }
    }

    /// Returns the first document that refers to an attachment, for messages; `nil` if there is none.
    func firstDocument(
        of digest: Attachment.Digest, _ catalog: LoadedCatalog, in reader: some KeyValueReader
    ) -> (collection: String, id: DocumentID, row: UInt64)? {
        guard let use = uses[digest], let collection = catalog.collection(numbered: use.collection),
            let document = try? RowReader.document(use.row, collection: collection, in: reader)
        else { return nil }
        return (collection.name, document.id, use.row)
    }
}

extension StoreKey {
    /// Returns the number in the key of a small attachment; `nil` for another key.
    static func contentNumber(in key: Span<UInt8>) -> UInt64? {
        guard key.count > 1, key[0] == StoreKey.contents.rawValue else { return nil }
        let number = row(in: key, at: 1)
        // A number has one key only.
        return number.flatMap { 1..<UInt64.max >> 3 ~= $0 && key.copied() == content($0) ? $0 : nil }
    }

    /// Whether a store has a record or the content of an attachment, even if its catalog does not say so.
    static func hasAttachmentKeys(in reader: some KeyValueReader) throws -> Bool {
        var cancellation = CancellationCheck()
        for space in [StoreKey.attachments, .contents] {
            var cursor = try reader.cursor(in: .prefix([space.rawValue]), cache: .bypass)
            while try cursor.advance() {
                try cancellation.step()
                if contentNumber(in: cursor.key) != nil { return true }
                if digest(in: cursor.key) != nil, AttachmentRecord(cursor.value) != nil { return true }
            }
        }
        return false
    }
}

extension SHA256Hash {
    /// Returns the digest of bytes.
    static func digest(of bytes: Span<UInt8>) -> Attachment.Digest? {
        var hash = SHA256Hash()
        unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
        return Attachment.Digest(hash.digest.span)
    }

    /// Returns the digest of a file's content.
    ///
    /// - Parameter part: called after each part with its size in bytes.
    static func digest(of file: ContentReader, _ part: (Int) throws -> Void) throws -> Attachment.Digest? {
        var hash = SHA256Hash()
        var offset: UInt64 = 0
        while true {
            let bytes = try file.read(at: offset, byteCount: AttachmentContent.partByteCount)
            if bytes.isEmpty { return Attachment.Digest(hash.digest.span) }
            unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
            offset += UInt64(bytes.count)
            try part(bytes.count)
        }
    }
}
