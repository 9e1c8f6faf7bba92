/// What a store holds and what it can find: collections and their indexes, declared rather than coded.
///
/// A schema is written as a JSON file (`docs/schema.json` describes it to editors) or in Swift; both give the same
/// value.
///
/// ```swift
/// let schema = Schema(collections: [
///     CollectionDefinition("photos", indexes: [
///         .value("year", on: "year"),
///         .value("checksum", on: "checksum", unique: true),
///         .value("taken", on: .field("exif.taken", order: .descending, dates: [.exif])),
///         .value("keywords", on: .field("keywords[]", split: "|"), counts: true),
///         .geo("place", on: "gps"),
///         .text("text", on: "title", "caption"),
///     ])
/// ])
/// ```
public struct Schema: Sendable, Hashable {
    /// The number that the author of the schema raises with each change.
    public var version: Int
    /// The collections, in the order in which they were declared.
    public var collections: [CollectionDefinition]

    /// A schema of collections.
    public init(version: Int = 1, collections: [CollectionDefinition]) {
        self.version = version
        self.collections = collections
    }

    /// Checks what no single part can see.
    ///
    /// - Throws: ``DocIndexError`` with `invalidSchema` that names everything that is wrong; see ``violations``.
    public func validate() throws {
        let violations = self.violations
        if !violations.isEmpty { throw DocIndexError.invalidSchema(violations) }
    }
}

/// A named set of documents: where their ids come from, and which indexes they have.
public struct CollectionDefinition: Sendable, Hashable {
    /// The name of the collection.
    public var name: String
    /// The member of each document that holds its id.
    public var idField: String
    /// The indexes, in the order in which they were declared.
    public var indexes: [IndexDefinition]

    /// A collection whose ids are in the member `idField` of its documents.
    public init(_ name: String, id idField: String = "id", indexes: [IndexDefinition] = []) {
        self.name = name
        self.idField = idField
        self.indexes = indexes
    }
}
