public import LevelKit

/// The operations of a typed collection for code that must not block its thread; see ``AsyncDocumentStore``.
///
/// ```swift
/// let photos = try store.collection("photos", of: Photo.self).asynchronous
/// try await photos.put(Photo(id: "IMG_0231", rating: 5))
/// let best = try await photos.find("rating >= \(stars)", sort: "-rating")
/// ```
public struct AsyncTypedCollection<Value: Codable & Identifiable & Sendable>: Sendable
where Value.ID: Encodable & Sendable {
    /// The collection.
    public let values: TypedCollection<Value>

    private func read<R: Sendable>(_ body: @Sendable (TypedCollection<Value>) throws -> R) async throws -> R {
        try await BlockingExecutor.reads.run { [values] in try body(values) }
    }

    private func write<R: Sendable>(_ body: @Sendable (TypedCollection<Value>) throws -> R) async throws -> R {
        try await values.store.writes.run { [values] in try body(values) }
    }
}

extension TypedCollection where Value: Sendable, Value.ID: Sendable {
    /// The operations of this collection for code that must not block its thread.
    public var asynchronous: AsyncTypedCollection<Value> { AsyncTypedCollection(values: self) }
}

extension AsyncDocumentStore {
    /// Returns the named collection as a collection of `Value`. Does not block.
    ///
    /// - Throws: ``DocIndexError`` with `unknownCollection`.
    public func collection<Value: Sendable>(
        _ name: String, of type: Value.Type
    ) throws -> AsyncTypedCollection<Value> {
        try store.collection(name, of: type).asynchronous
    }
}

// MARK: - Reading

extension AsyncTypedCollection {
    /// Returns the value with an ID; `nil` if there is none. See ``TypedCollection/get(_:)-(Value.ID)``.
    public func get(_ id: Value.ID) async throws -> Value? { try await read { try $0.get(id) } }

    /// Returns the values with the given IDs, in that order and from one snapshot; `nil` for each missing value.
    public func get(_ ids: [Value.ID]) async throws -> [Value?] { try await read { try $0.get(ids) } }

    /// Returns the versions of a value, newest first; see ``TypedCollection/history(of:before:limit:)``.
    public func history(
        of id: Value.ID, before sequence: UInt64? = nil, limit: Int = 100
    ) async throws -> [TypedCollection<Value>.Version] {
        try await read { try $0.history(of: id, before: sequence, limit: limit) }
    }

    /// Returns the value as it was after a commit; see ``TypedCollection/get(_:at:)``.
    public func get(_ id: Value.ID, at sequence: UInt64) async throws -> Value? {
        try await read { try $0.get(id, at: sequence) }
    }

    /// Returns whether there is a value with that ID.
    public func contains(_ id: Value.ID) async throws -> Bool { try await read { try $0.contains(id) } }

    /// Returns the number of values in the collection.
    public func count() async throws -> Int { try await read { try $0.count() } }

    /// Returns the number of values that satisfy a condition; see ``TypedCollection/count(_:)``.
    public func count(_ condition: FilterText) async throws -> Int { try await read { try $0.count(condition) } }

    /// Returns the values that satisfy a condition; see ``TypedCollection/find(_:sort:limit:)``.
    public func find(_ condition: FilterText = "", sort: String? = nil, limit: Int? = nil) async throws -> [Value] {
        try await read { try $0.find(condition, sort: sort, limit: limit) }
    }

    /// Returns the values that match a query; see ``TypedCollection/find(_:options:)``.
    public func find(_ query: Query, options: Query.Options = Query.Options()) async throws -> [Value] {
        try await read { try $0.find(query, options: options) }
    }

    /// Returns the first value that satisfies a condition; `nil` if there is none.
    public func first(_ condition: FilterText = "", sort: String? = nil) async throws -> Value? {
        try await read { try $0.first(condition, sort: sort) }
    }

    /// Returns a page of the result; see ``TypedCollection/page(_:after:options:)``.
    public func page(
        _ query: Query, after token: DocumentCollection.Page.Token? = nil, options: Query.Options = Query.Options()
    ) async throws -> TypedCollection<Value>.Page {
        try await read { try $0.page(query, after: token, options: options) }
    }

    /// Returns the values whose text fields match, best first; see
    /// ``TypedCollection/search(_:where:limit:)-(String,_,_)``.
    public func search(
        _ text: String, where condition: FilterText = "", limit: Int? = 20
    ) async throws -> [TypedCollection<Value>.Hit] {
        try await read { try $0.search(text, where: condition, limit: limit) }
    }

    /// Returns the values whose vectors are most similar to a vector, best first; see
    /// ``TypedCollection/nearest(to:in:where:limit:)``.
    public func nearest(
        to vector: [Float], in index: String, where condition: FilterText = "", limit: Int = 20
    ) async throws -> [TypedCollection<Value>.VectorMatch] {
        try await read { try $0.nearest(to: vector, in: index, where: condition, limit: limit) }
    }

    /// Returns the values whose vectors are most similar to that of a value; see
    /// ``TypedCollection/nearest(toDocument:in:where:limit:)``.
    public func nearest(
        toDocument id: Value.ID, in index: String, where condition: FilterText = "", limit: Int = 20
    ) async throws -> [TypedCollection<Value>.VectorMatch] {
        try await read { try $0.nearest(toDocument: id, in: index, where: condition, limit: limit) }
    }

    /// Returns the values at a path and the number of documents with each; see
    /// ``TypedCollection/facets(_:_:limit:)``.
    public func facets(
        _ path: FieldPath, _ condition: FilterText = "", limit: Int? = nil
    ) async throws -> [DocumentCollection.Facet] {
        try await read { try $0.facets(path, condition, limit: limit) }
    }

    /// Returns the result of a query as a sequence of arrays; see ``AsyncDocumentCollection/Pages``.
    ///
    /// - Parameters:
    ///   - query: the query.
    ///   - count: the number of values in a page, at least 1. The last page may have fewer.
    ///   - options: how the query runs.
    public func pages(
        _ query: Query = Query(), count: Int = 256, options: Query.Options = Query.Options()
    ) -> AsyncTypedCollection<Value>.Pages {
        AsyncTypedCollection.Pages(
            collection: values,
            pages: values.documents.asynchronous.pages(query, count: count, options: options))
    }

    /// Observes the values that satisfy a condition; see ``TypedCollection/observe(_:options:)``.
    public func observe(
        _ condition: FilterText = "", sort: String? = nil, limit: Int? = nil
    ) throws -> TypedCollection<Value>.LiveValues {
        try values.observe(condition, sort: sort, limit: limit)
    }

    /// Observes the result of a query; see ``TypedCollection/observe(_:options:)``.
    public func observe(_ query: Query, options: Query.Options = Query.Options()) throws
        -> TypedCollection<Value>.LiveValues
    {
        try values.observe(query, options: options)
    }
}

// MARK: - Writing

extension AsyncTypedCollection {
    /// Stores a value under its ID; see ``TypedCollection/put(_:if:durability:)``.
    public func put(
        _ value: Value, if condition: Document.WriteCondition = .none, durability: Durability = .buffered
    ) async throws {
        try await write { try $0.put(value, if: condition, durability: durability) }
    }

    /// Stores several values as one atomic batch.
    public func put(contentsOf new: [Value], durability: Durability = .buffered) async throws {
        try await write { try $0.put(contentsOf: new, durability: durability) }
    }

    /// Stores a value that does not exist yet; see ``TypedCollection/insert(_:durability:)``.
    public func insert(_ value: Value, durability: Durability = .buffered) async throws {
        try await write { try $0.insert(value, durability: durability) }
    }

    /// Reads a value, changes it and writes it back; see ``TypedCollection/update(_:if:durability:_:)``.
    @discardableResult
    public func update<R: Sendable>(
        _ id: Value.ID, if condition: Document.WriteCondition = .present, durability: Durability = .buffered,
        _ body: @Sendable (inout Value) throws -> R
    ) async throws -> R {
        try await write { try $0.update(id, if: condition, durability: durability, body) }
    }

    /// Deletes the whole document with an ID.
    ///
    /// - Returns: whether it existed.
    @discardableResult
    public func delete(
        _ id: Value.ID, if condition: Document.WriteCondition = .none, durability: Durability = .buffered
    ) async throws -> Bool {
        try await write { try $0.delete(id, if: condition, durability: durability) }
    }

    /// Updates every document that satisfies a condition; see ``TypedCollection/update(where:_:options:)``.
    @discardableResult
    public func update(
        where condition: FilterText, _ assignments: FilterText, options: BulkChange.Options = BulkChange.Options()
    ) async throws -> BulkChange.Summary {
        try await write { try $0.update(where: condition, assignments, options: options) }
    }

    /// Changes every value that satisfies a condition; see ``TypedCollection/updateEach(where:options:_:)``.
    @discardableResult
    public func updateEach(
        where condition: FilterText, options: BulkChange.Options = BulkChange.Options(),
        _ body: @Sendable (inout Value) throws -> Void
    ) async throws -> BulkChange.Summary {
        try await write { try $0.updateEach(where: condition, options: options, body) }
    }

    /// Deletes every document that satisfies a condition; see ``TypedCollection/delete(where:options:)``.
    @discardableResult
    public func delete(
        where condition: FilterText, options: BulkChange.Options = BulkChange.Options()
    ) async throws -> BulkChange.Summary {
        try await write { try $0.delete(where: condition, options: options) }
    }
}
