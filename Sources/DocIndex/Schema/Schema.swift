/// What a store holds and what it can find: collections and their indexes, declared rather than coded.
///
/// A schema is written as a JSON file or in Swift; both give the same value.
///
/// ```swift
/// let schema = Schema(collections: [
///     CollectionDefinition("photos", indexes: [
///         .value("year", on: "year"),
///         .value("keywords", on: "keywords[]"),
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
    /// - Throws: ``DocIndexError`` with `invalidSchema` that names the collection and the index.
    public func validate() throws {
        // The catalog keeps it in 32 bits.
        guard version >= 1, version <= UInt32.max else {
            throw DocIndexError(
                .invalidSchema, "the schema's version is \(version); versions are from 1 to \(UInt32.max)")
        }
        try Self.checkUnique(collections.map(\.name), what: "collection", within: "the schema")
        for collection in collections { try collection.validate() }
    }

    static func checkUnique(_ names: [String], what: String, within: String) throws {
        var seen: Set<[UInt8]> = []
        for name in names {
            guard !name.isEmpty else {
                throw DocIndexError(.invalidSchema, "a \(what) of \(within) has an empty name; give it one")
            }
            guard seen.insert(Array(name.utf8)).inserted else {
                throw DocIndexError(.invalidSchema, "\(within) has more than one \(what) named \(name); rename one")
            }
        }
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

    func validate() throws {
        guard !idField.isEmpty else {
            throw DocIndexError(.invalidSchema, "the collection \(name) has an empty id field; name a member")
        }
        try Schema.checkUnique(indexes.map(\.name), what: "index", within: "the collection \(name)")
        for index in indexes { try index.validate(collection: name) }
    }
}

/// An index: its name, its kind, and the fields it is made from.
public struct IndexDefinition: Sendable, Hashable {
    /// The kinds of index.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Finds documents by equality, range and order of values.
        case value
        /// Finds documents by the words in their texts.
        case text
    }

    /// The name, unique within the collection.
    public var name: String
    /// The kind.
    public var kind: Kind
    /// The fields, the most significant first.
    public var fields: [FieldPath]

    /// An index of a kind over fields.
    public init(_ name: String, kind: Kind, fields: [FieldPath]) {
        self.name = name
        self.kind = kind
        self.fields = fields
    }

    /// A value index; with several fields, documents are ordered by the first, then the second, and so on.
    ///
    /// Every document is in the index exactly once, whatever it holds there: an absent field, null, true, numbers and
    /// texts each have their place in the order. A path with `[]` puts a document there once for each distinct
    /// element.
    public static func value(_ name: String, on fields: FieldPath...) -> IndexDefinition {
        IndexDefinition(name, kind: .value, fields: fields)
    }

    /// A text index over the texts at several fields; other kinds of values there are passed over.
    public static func text(_ name: String, on fields: FieldPath...) -> IndexDefinition {
        IndexDefinition(name, kind: .text, fields: fields)
    }

    func validate(collection: String) throws {
        guard !fields.isEmpty else {
            throw DocIndexError(
                .invalidSchema, "the index \(name) of \(collection) has no fields; name at least one")
        }
        if kind == .value, fields.filter(\.hasArrayStep).count > 1 {
            throw DocIndexError(
                .invalidSchema,
                "the index \(name) of \(collection) has more than one field with []; make an index for each of them")
        }
    }
}
