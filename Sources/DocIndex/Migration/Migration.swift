/// A change to the structure of all documents of a collection, made once in every store.
///
/// ```swift
/// let starsBecomeRating = Migration("stars become rating", of: "photos", drops: ["stars"]) { photo in
///     var photo = photo
///     photo["rating"] = photo["stars"] ?? photo["rating"]
///     photo.removeValue(forName: "stars")
///     return photo
/// }
/// try store.migrate([starsBecomeRating])
/// ```
///
/// The closure receives plain documents rather than Swift types of the program: those types describe the newest
/// structure, but documents may have the structure of any earlier version. The closure must be idempotent: a document
/// that already has the new structure stays unchanged.
public struct Migration: Sendable {
    /// The name, which is also stored. Never change it, and never reuse it for another migration.
    public let name: String
    /// The collection.
    public let collection: String
    /// The members that may be removed, including everything in them.
    public let drops: [FieldPath]
    /// Whether the closure may delete documents by returning `nil`.
    public let deletesDocuments: Bool
    /// The members whose references to attachments may disappear, including everything in them.
    public let dropsAttachments: [FieldPath]
    let transform: @Sendable (DocumentObject) throws -> DocumentObject?

    /// Creates a migration.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - collection: the collection.
    ///   - drops: the members that may be removed. Every other member of a document must still exist afterwards, at any
    ///     depth, and arrays must not become shorter; otherwise the migration stops at that document.
    ///   - deletesDocuments: whether documents may be deleted.
    ///   - dropsAttachments: the members whose references to attachments may disappear, also with a deleted document.
    ///     Such members need not be listed in `drops`. Every other reference must still exist in the document
    ///     afterwards, at any path; otherwise the migration stops at that document. This also holds for members in
    ///     `drops`, because they may have been renamed. The attachments themselves are never deleted by a migration;
    ///     see ``DocumentStore/Attachments/collectGarbage(olderThan:dryRun:_:)``.
    ///   - transform: returns the new content of a document; `nil` to delete it.
    public init(
        _ name: String, of collection: String, drops: [FieldPath] = [], deletesDocuments: Bool = false,
        dropsAttachments: [FieldPath] = [], _ transform: @escaping @Sendable (DocumentObject) throws -> DocumentObject?
    ) {
        self.name = name
        self.collection = collection
        self.drops = drops
        self.deletesDocuments = deletesDocuments
        self.dropsAttachments = dropsAttachments
        self.transform = transform
    }
}

extension Migration {
    /// The progress of a migration.
    public struct Progress: Sendable, Hashable {
        /// The migration.
        public let name: String
        /// The last row processed, as in ``DocumentStore/BuildProgress/row``.
        public let row: UInt64
        /// The last row when the migration began.
        public let lastRow: UInt64
    }
}

extension Migration {
    /// The result of running migrations.
    public struct Report: Sendable, Hashable {
        /// The migrations that were completed by this call.
        public internal(set) var names: [String] = []
        /// The number of changed documents.
        public internal(set) var changedCount = 0
        /// The number of deleted documents.
        public internal(set) var deletedCount = 0
        /// The directory of the checkpoint; `nil` if none was requested.
        public internal(set) var checkpointPath: String?
    }
}
