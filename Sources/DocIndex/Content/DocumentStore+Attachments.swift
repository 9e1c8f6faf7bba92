internal import LevelKit

extension DocumentStore {
    /// The contents of attachments.
    public var attachments: Attachments { Attachments(store: self, snapshot: nil) }

    /// The contents of attachments, such as photos.
    ///
    /// An attachment is stored once, under its SHA-256 digest, however many documents refer to it. Attachments of up to
    /// ``inlineByteCount`` bytes are in the database, larger ones in files of the store's directory.
    ///
    /// ```swift
    /// let original = try store.attachments.add(contentsOf: "IMG_0001.jpg")
    /// try photos.put(["id": "IMG_0001", "original": .attachment(original)])
    /// let bytes = try store.attachments.bytes(of: original)
    /// ```
    ///
    /// First the content is added, then a document refers to it: a document with a reference to content that is not
    /// stored is refused. Content without a reference is deleted by ``collectGarbage(olderThan:dryRun:_:)`` only.
    public struct Attachments: Sendable {
        let store: DocumentStore
        /// The state to read; `nil` for the newest.
        let snapshot: Snapshot?

        /// The maximum size of content that is stored in the database, in bytes.
        public static let inlineByteCount = 32 << 10

        /// The maximum size of content that ``bytes(of:)`` returns, in bytes: 1 GiB.
        public static let maximumWholeByteCount: Int64 = 1 << 30
    }
}

extension DocumentStore.Attachments {
    /// The properties of a stored attachment.
    public struct Info: Sendable, Hashable {
        /// The digest.
        public let digest: Attachment.Digest
        /// The size in bytes.
        public let byteCount: Int64
        /// The number of references in documents. A document that contains a reference twice counts twice.
        public let referenceCount: UInt64
        /// Whether the content is in a file; otherwise it is in the database.
        public let isFile: Bool
    }

    /// The numbers and sizes of all attachments.
    public struct Census: Sendable, Hashable {
        /// The number of attachments.
        public internal(set) var count = 0
        /// Their size in bytes.
        public internal(set) var byteCount: Int64 = 0
        /// The number of attachments that no document refers to.
        public internal(set) var unreferencedCount = 0
        /// The size of the attachments that no document refers to, in bytes.
        public internal(set) var unreferencedByteCount: Int64 = 0
        /// The number of attachments in files.
        public internal(set) var fileCount = 0
    }

    /// Returns what is known about an attachment; `nil` if it is not stored. The content itself is not read.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`; `LevelError`.
    public func info(_ digest: Attachment.Digest) throws -> Info? {
        try AttachmentRecord.read(digest, in: state()).map { Info(digest, $0) }
    }

    /// Returns attachments in the order of their digests.
    ///
    /// - Parameters:
    ///   - digest: the digest after which to begin; `nil` for the first one.
    ///   - limit: the maximum number of attachments.
    /// - Returns: an empty array if there are no more.
    /// - Throws: ``DocIndexError`` with `corruption`; `LevelError`.
    public func list(after digest: Attachment.Digest? = nil, limit: Int = 1000) throws -> [Info] {
        var infos: [Info] = []
        guard limit > 0 else { return [] }
        try AttachmentRecord.forEach(after: digest, in: state()) { digest, record in
            infos.append(Info(digest, record))
            return infos.count < limit
        }
        return infos
    }

    /// Counts all attachments.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`; `LevelError`.
    /// - Complexity: O(*n*) in the number of attachments, which are not read themselves.
    public func census() throws -> Census {
        var census = Census()
        try AttachmentRecord.forEach(in: state()) { _, record in
            census.count += 1
            census.byteCount += record.byteCount
            if record.count == 0 {
                census.unreferencedCount += 1
                census.unreferencedByteCount += record.byteCount
            }
            if record.place == .file { census.fileCount += 1 }
            return true
        }
        return census
    }

    /// Returns the state that is read.
    func state() throws -> Snapshot { try snapshot ?? store.database.snapshot() }
}

extension DocumentStore.Attachments.Info {
    init(_ digest: Attachment.Digest, _ record: AttachmentRecord) {
        self.digest = digest
        byteCount = record.byteCount
        referenceCount = record.count
        isFile = record.place == .file
    }
}

extension StoreSnapshot {
    /// The contents of attachments in this state. Attachments that the state refers to are kept while it exists.
    public var attachments: DocumentStore.Attachments {
        DocumentStore.Attachments(store: store, snapshot: snapshot)
    }
}

extension DocumentStore {
    /// Writes records of attachments. With the first ones, the catalog notes that the store has attachments. Called
    /// under the writer's lock.
    func writeAttachments(_ batch: WriteBatch) throws {
        var catalog = currentCatalog
        guard !catalog.hasAttachments else { return try database.write(batch, durability: .buffered) }
        catalog.hasAttachments = true
        try save(catalog, with: batch)
    }
}
