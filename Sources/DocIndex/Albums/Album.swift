/// A saved selection of documents: the documents that satisfy a condition, or documents chosen one by one, in their own
/// order.
///
/// Albums are ordinary documents of the collection ``collectionName``, which the first album declares. They are dumped,
/// loaded, observed and copied like all documents. See ``DocumentStore/albums``.
public struct Album: Sendable, Hashable {
    /// The members of an album.
    public enum Content: Sendable, Hashable {
        /// The documents that satisfy a condition, in the notation of ``Filter/init(parsing:)``, and the order of the
        /// results, in the notation of ``Query/SortKey/parse(_:)``; `nil` for the order in which they were first
        /// stored.
        case condition(String, sort: String?)
        /// The documents with these IDs, in this order. IDs of documents that do not exist are ignored.
        case documents([DocumentID])
    }

    /// The name, unique within the store.
    public var name: String
    /// The collection of the documents.
    public var collection: String
    /// The members of the album.
    public var content: Content

    /// The collection that contains the albums. Collections whose names begin with `@` belong to the library: a schema
    /// need not declare them.
    public static let collectionName = CollectionDefinition.reservedPrefix + "albums"

    /// Creates an album of the documents that satisfy a condition.
    ///
    /// The condition is stored as text, so what is interpolated is read as notation. For values of a user, pass the
    /// text of a filter with bound values: `try Filter("city = \(typed)").description`.
    public init(_ name: String, of collection: String, where condition: String, sort: String? = nil) {
        self.init(name, of: collection, .condition(condition, sort: sort))
    }

    /// Creates an album of chosen documents.
    public init(_ name: String, of collection: String, documents: [DocumentID]) {
        self.init(name, of: collection, .documents(documents))
    }

    private init(_ name: String, of collection: String, _ content: Content) {
        self.name = name
        self.collection = collection
        self.content = content
    }
}

// MARK: - As documents

extension Album {
    /// The members of the document of an album.
    enum Member {
        static let name = "id"
        static let collection = "collection"
        static let condition = "condition"
        static let sort = "sort"
        static let documents = "documents"
    }

    /// Reads an album from its document.
    ///
    /// - Throws: ``DocIndexError`` with `invalidAlbum`. The condition is checked by
    ///   ``query(on:where:sort:limit:offset:)``.
    public init(_ document: Document) throws {
        let name = document.id.description
        let content = document.content
        guard let collection = content[Member.collection]?.stringValue else {
            throw Self.invalid(name, "it has no string \(Member.collection)")
        }
        switch (content[Member.condition], content[Member.documents]) {
        case (.string(let condition)?, nil):
            self.init(name, of: collection, where: condition, sort: content[Member.sort]?.stringValue)
        case (nil, .array(let values)?):
            let ids = values.compactMap { DocumentID($0) }
            guard ids.count == values.count else {
                throw Self.invalid(name, "an element of \(Member.documents) is not an ID")
            }
            self.init(name, of: collection, documents: ids)
        default:
            throw Self.invalid(name, "it needs either a string \(Member.condition) or an array \(Member.documents)")
        }
    }

    /// The document of the album.
    var document: DocumentObject {
        var document: DocumentObject = [
            Member.name: .string(name), Member.collection: .string(collection),
        ]
        switch content {
        case .condition(let condition, let sort):
            document[Member.condition] = .string(condition)
            if let sort { document[Member.sort] = .string(sort) }
        case .documents(let ids): document[Member.documents] = .array(ids.map(\.value))
        }
        return document
    }

    static func invalid(_ name: String, _ reason: String) -> DocIndexError {
        DocIndexError(.invalidAlbum, "the album \(name) is invalid: \(reason); save it again, or delete it")
    }

    static var unnamed: DocIndexError {
        DocIndexError(.invalidAlbum, "the name of an album must not be empty; choose a name")
    }

    static func missing(_ name: String) -> DocIndexError {
        DocIndexError(.unknownAlbum, "no album named \(name)")
    }
}

// MARK: - Queries

extension Album {
    /// Returns the query for the documents of the album that also satisfy another condition.
    ///
    /// It can be used like any query, including for pages and live results.
    ///
    /// - Parameters:
    ///   - collection: the collection named ``collection``, or a snapshot of it.
    ///   - filter: the additional condition.
    ///   - sort: the order; empty for that of the album.
    ///   - limit: the maximum number of results; `nil` for all.
    ///   - offset: the number of results skipped at the beginning.
    /// - Throws: ``DocIndexError`` with `invalidAlbum` if the condition or the order of the album is invalid.
    public func query(
        on collection: DocumentCollection, where filter: Filter = .all, sort: [Query.SortKey] = [], limit: Int? = nil,
        offset: Int = 0
    ) throws -> Query {
        let (own, order) = try selection(idField: collection.definition.idField)
        let both: Filter = filter.isAll ? own : own.isAll ? filter : .and([own, filter])
        return Query(both, sort: sort.isEmpty ? order : sort, limit: limit, offset: offset)
    }

    /// The condition and the order.
    private func selection(idField: String) throws -> (Filter, [Query.SortKey]) {
        switch content {
        case .documents(let ids):
            let path = FieldPath(names: idField)
            let values = ids.map(\.value)
            return (.isIn(path, values), [Query.SortKey(.place(path, in: values))])
        case .condition(let condition, let sort):
            do {
                let query = Query(try Filter(parsing: condition), sort: try sort.map(Query.SortKey.parse) ?? [])
                try query.validate()
                return (query.filter, query.sort)
            } catch let error as DocIndexError {
                throw DocIndexError(
                    .invalidAlbum, "the condition of the album \(name) is invalid: \(error.message); save it again",
                    position: error.position)
            }
        }
    }
}
