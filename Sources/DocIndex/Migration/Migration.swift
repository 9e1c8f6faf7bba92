/// A change of the form of all documents of a collection, made once for every store.
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
/// The closure sees plain documents, not types of the program, because those have the newest form while documents have
/// that of any version before. It must be idempotent: a document that has the new form already stays as it is.
public struct Migration: Sendable {
    /// What it is called, in the store too; never change it and never use it for another migration.
    public let name: String
    /// The collection.
    public let collection: String
    /// The members that may disappear, with everything in them.
    public let drops: [FieldPath]
    /// Whether documents may be deleted, by returning `nil`.
    public let deletesDocuments: Bool
    let transform: @Sendable (DocumentObject) throws -> DocumentObject?

    /// A migration.
    ///
    /// - Parameters:
    ///   - name: what it is called.
    ///   - collection: the collection.
    ///   - drops: the members that may disappear. Every other member of a document must be there afterwards, at any
    ///     depth, and arrays must not become shorter; otherwise the migration stops at that document.
    ///   - deletesDocuments: whether documents may be deleted.
    ///   - transform: the new form of a document; `nil` to delete it.
    public init(
        _ name: String, of collection: String, drops: [FieldPath] = [], deletesDocuments: Bool = false,
        _ transform: @escaping @Sendable (DocumentObject) throws -> DocumentObject?
    ) {
        self.name = name
        self.collection = collection
        self.drops = drops
        self.deletesDocuments = deletesDocuments
        self.transform = transform
    }
}

/// How far a migration has come.
public struct MigrationProgress: Sendable, Hashable {
    /// The migration.
    public let name: String
    /// The row that was reached, as in ``BuildProgress/row``.
    public let row: UInt64
    /// The last row that there was at the beginning.
    public let lastRow: UInt64
}

/// What migrations did.
public struct MigrationReport: Sendable, Hashable {
    /// The migrations that were carried out; those that were done before are not among them.
    public internal(set) var names: [String] = []
    /// Documents that were changed.
    public internal(set) var changedCount = 0
    /// Documents that were deleted.
    public internal(set) var deletedCount = 0
    /// The directory of the checkpoint from before; `nil` if none was taken.
    public internal(set) var checkpointPath: String?
}
