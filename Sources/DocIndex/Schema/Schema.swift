/// The declaration of a store's collections and their indexes.
///
/// A schema is written as a JSON file (with `docs/schema.json` as a JSON Schema for editors) or in Swift. Both give the
/// same value.
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
    /// The version, which the author of the schema raises with each change.
    public var version: Int
    /// The collections, in the order of their declaration.
    public var collections: [CollectionDefinition]

    /// Creates a schema.
    public init(version: Int = 1, collections: [CollectionDefinition]) {
        self.version = version
        self.collections = collections
    }

    /// Checks the schema as a whole.
    ///
    /// - Throws: ``DocIndexError`` with `invalidSchema` and all violations; see ``violations``.
    public func validate() throws {
        let violations = self.violations
        if !violations.isEmpty { throw DocIndexError.invalidSchema(violations) }
    }
}

/// The definition of a collection, which is a named set of documents: its ID field, its history and its indexes.
public struct CollectionDefinition: Sendable, Hashable {
    /// The name of the collection.
    public var name: String
    /// The member of each document that contains its ID.
    public var idField: String
    /// How many past changes of documents are kept; `nil` for none.
    public var history: History?
    /// The indexes, in the order of their declaration.
    public var indexes: [IndexDefinition]

    /// The first character of the names of collections that belong to the library, such as that of albums. A schema
    /// need not declare them: a store keeps the ones that it has.
    static let reservedPrefix = "@"

    /// Whether the collection belongs to the library, because its name begins with `@`. A schema need not declare it.
    public var isReserved: Bool { name.hasPrefix(Self.reservedPrefix) }

    /// Creates a collection whose document IDs are in the member `idField`.
    public init(
        _ name: String, id idField: String = "id", history: History? = nil, indexes: [IndexDefinition] = []
    ) {
        self.name = name
        self.idField = idField
        self.history = history
        self.indexes = indexes
    }
}
