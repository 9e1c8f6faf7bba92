public import LevelKit

/// The operations of a collection for code that must not block its thread; see ``AsyncDocumentStore``.
///
/// ```swift
/// let photo = try await photos.document("IMG_0231")
/// for try await page in photos.pages(Query(sort: [.descending("taken")]), count: 50) { … }
/// ```
public struct AsyncDocumentCollection: Sendable {
    /// The collection.
    public let documents: DocumentCollection

    private func read<R: Sendable>(_ body: @Sendable (DocumentCollection) throws -> R) async throws -> R {
        try await BlockingExecutor.reads.run { [documents] in try body(documents) }
    }

    private func write<R: Sendable>(_ body: @Sendable (DocumentCollection) throws -> R) async throws -> R {
        try await documents.store.writes.run { [documents] in try body(documents) }
    }

    /// Runs any blocking operation of the collection, such as ``DocumentCollection/summarize(_:where:options:)``.
    public func run<R: Sendable>(_ body: @Sendable (DocumentCollection) throws -> R) async throws -> R {
        try await read(body)
    }
}

extension DocumentCollection {
    /// The operations of this collection for code that must not block its thread.
    public var asynchronous: AsyncDocumentCollection { AsyncDocumentCollection(documents: self) }
}

// MARK: - Reading

extension AsyncDocumentCollection {
    /// Returns the document with an ID; `nil` if there is none.
    public func document(_ id: DocumentID) async throws -> Document? { try await read { try $0.document(id) } }

    /// Returns the documents with the given IDs, in that order and from one snapshot; `nil` for each missing document.
    public func documents(_ ids: [DocumentID]) async throws -> [Document?] {
        try await read { try $0.documents(ids) }
    }

    /// Returns the versions of a document, newest first; see ``DocumentCollection/history(of:before:limit:)``.
    public func history(
        of id: DocumentID, before sequence: UInt64? = nil, limit: Int = 100
    ) async throws -> [DocumentCollection.Version] {
        try await read { try $0.history(of: id, before: sequence, limit: limit) }
    }

    /// Returns the document as it was after a commit; see ``DocumentCollection/document(_:at:)``.
    public func document(_ id: DocumentID, at sequence: UInt64) async throws -> Document? {
        try await read { try $0.document(id, at: sequence) }
    }

    /// Returns whether there is a document with that ID.
    public func contains(_ id: DocumentID) async throws -> Bool { try await read { try $0.contains(id) } }

    /// Returns the number of documents in the collection.
    public func count() async throws -> Int { try await read { try $0.count() } }

    /// Returns the number of documents that satisfy a condition; see ``DocumentCollection/count(where:options:)``.
    public func count(where filter: Filter, options: Query.Options = Query.Options()) async throws -> Int {
        try await read { try $0.count(where: filter, options: options) }
    }

    /// Returns the documents that satisfy a condition. Values interpolated in the literal are bound.
    public func find(_ condition: FilterText, sort: String? = nil, limit: Int? = nil) async throws -> [Document] {
        try await read { try $0.find(condition, sort: sort, limit: limit) }
    }

    /// Returns the documents that match a query; see ``DocumentCollection/find(_:options:)``.
    public func find(_ query: Query, options: Query.Options = Query.Options()) async throws -> [Document] {
        try await read { try $0.find(query, options: options) }
    }

    /// Returns a page of the result; see ``DocumentCollection/page(_:after:options:)``.
    public func page(
        _ query: Query, after token: DocumentCollection.Page.Token? = nil, options: Query.Options = Query.Options()
    ) async throws -> DocumentCollection.Page {
        try await read { try $0.page(query, after: token, options: options) }
    }

    /// Returns the documents whose text fields match, best first; see
    /// ``DocumentCollection/search(_:where:limit:)-(String,_,_)``.
    public func search(
        _ text: String, where filter: Filter = .all, limit: Int? = 20
    ) async throws -> [DocumentCollection.Hit] {
        try await read { try $0.search(text, where: filter, limit: limit) }
    }

    /// Returns the documents whose vectors are most similar to a vector, best first; see
    /// ``DocumentCollection/nearest(to:in:where:limit:exact:candidates:options:)``.
    public func nearest(
        to vector: [Float], in index: String, where filter: Filter = .all, limit: Int = 20
    ) async throws -> [DocumentCollection.VectorMatch] {
        try await read { try $0.nearest(to: vector, in: index, where: filter, limit: limit) }
    }

    /// Returns the documents whose vectors are most similar to that of a document; see
    /// ``DocumentCollection/nearest(toDocument:in:where:limit:exact:candidates:options:)``.
    public func nearest(
        toDocument id: DocumentID, in index: String, where filter: Filter = .all, limit: Int = 20
    ) async throws -> [DocumentCollection.VectorMatch] {
        try await read { try $0.nearest(toDocument: id, in: index, where: filter, limit: limit) }
    }

    /// Returns the documents that words and a vector find, best first; see
    /// ``DocumentCollection/search(_:nearest:in:where:limit:depth:options:)``.
    public func search(
        _ query: TextQuery, nearest vector: [Float], in index: String, where filter: Filter = .all, limit: Int = 20
    ) async throws -> [DocumentCollection.FusedMatch] {
        try await read { try $0.search(query, nearest: vector, in: index, where: filter, limit: limit) }
    }

    /// Returns the values at a path and the number of documents with each; see
    /// ``DocumentCollection/facets(_:where:limit:options:)-(FieldPath,_,_,_)``.
    public func facets(
        _ path: FieldPath, where filter: Filter = .all, limit: Int? = nil
    ) async throws -> [DocumentCollection.Facet] {
        try await read { try $0.facets(path, where: filter, limit: limit) }
    }

    /// Returns the result of a query as a sequence of arrays; see ``AsyncDocumentCollection/Pages``.
    ///
    /// - Parameters:
    ///   - query: the query.
    ///   - count: the number of documents in a page, at least 1. The last page may have fewer.
    ///   - options: how the query runs.
    public func pages(
        _ query: Query = Query(), count: Int = 256, options: Query.Options = Query.Options()
    ) -> AsyncDocumentCollection.Pages {
        precondition(count >= 1, "a page has at least one document")
        return AsyncDocumentCollection.Pages(collection: documents, query: query, count: count, options: options)
    }

    /// Observes the result of a query; see ``DocumentCollection/observe(_:options:)``. Documents are not read on the
    /// actor of the consumer.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`.
    public func observe(_ query: Query, options: Query.Options = Query.Options()) throws
        -> AsyncDocumentCollection.LiveUpdates
    {
        AsyncDocumentCollection.LiveUpdates(live: try documents.observe(query, options: options))
    }
}

// MARK: - Conflicts

extension AsyncDocumentCollection {
    /// Returns the conflict of a document; see ``DocumentCollection/conflict(of:)``.
    public func conflict(of id: DocumentID) async throws -> DocumentConflict? {
        try await read { try $0.conflict(of: id) }
    }

    /// Returns the IDs of documents with a conflict; see ``DocumentCollection/conflicted(after:limit:)``.
    public func conflicted(after id: DocumentID? = nil, limit: Int = 100) async throws -> [DocumentID] {
        try await read { try $0.conflicted(after: id, limit: limit) }
    }

    /// Resolves a conflict; see ``DocumentCollection/resolve(_:as:durability:)``.
    @discardableResult
    public func resolve(
        _ conflict: DocumentConflict, as resolution: DocumentConflict.Resolution, durability: Durability = .buffered
    ) async throws -> Bool {
        try await write { try $0.resolve(conflict, as: resolution, durability: durability) }
    }

    /// Resolves the conflict of a document as a resolver decides; see
    /// ``DocumentCollection/resolve(_:using:durability:)``.
    @discardableResult
    public func resolve(
        _ id: DocumentID, using resolver: DocumentConflict.Resolver, durability: Durability = .buffered
    ) async throws -> Bool {
        try await documents.resolve(id, using: resolver, durability: durability)
    }
}

// MARK: - Writing

extension AsyncDocumentCollection {
    /// Stores a document under its ID; see ``DocumentCollection/put(_:if:durability:)``.
    @discardableResult
    public func put(
        _ content: DocumentObject, if condition: Document.WriteCondition = .none, durability: Durability = .buffered
    ) async throws -> DocumentID {
        try await write { try $0.put(content, if: condition, durability: durability) }
    }

    /// Stores a document that does not exist yet; see ``DocumentCollection/insert(_:durability:)``.
    @discardableResult
    public func insert(_ content: DocumentObject, durability: Durability = .buffered) async throws -> DocumentID {
        try await write { try $0.insert(content, durability: durability) }
    }

    /// Changes a document in place; see ``DocumentCollection/update(_:if:durability:_:)``.
    @discardableResult
    public func update<R: Sendable>(
        _ id: DocumentID, if condition: Document.WriteCondition = .present, durability: Durability = .buffered,
        _ body: @Sendable (inout DocumentObject) throws -> R
    ) async throws -> R {
        try await write { try $0.update(id, if: condition, durability: durability, body) }
    }

    /// Applies a JSON Merge Patch to a document; see ``DocumentCollection/patch(_:_:if:durability:)``.
    public func patch(
        _ id: DocumentID, _ patch: DocumentObject, if condition: Document.WriteCondition = .present,
        durability: Durability = .buffered
    ) async throws {
        try await write { try $0.patch(id, patch, if: condition, durability: durability) }
    }

    /// Deletes a document.
    ///
    /// - Returns: whether the document existed.
    @discardableResult
    public func delete(
        _ id: DocumentID, if condition: Document.WriteCondition = .none, durability: Durability = .buffered
    ) async throws -> Bool {
        try await write { try $0.delete(id, if: condition, durability: durability) }
    }

    /// Updates every document that satisfies a condition; see
    /// ``DocumentCollection/update(where:_:options:progress:)-(Filter,DocumentUpdate,_,_)``.
    @discardableResult
    public func update(
        where filter: Filter, _ update: DocumentUpdate, options: BulkChange.Options = BulkChange.Options(),
        progress: @Sendable (BulkChange.Summary) throws -> Void = { _ in }
    ) async throws -> BulkChange.Summary {
        try await write { try $0.update(where: filter, update, options: options, progress: progress) }
    }

    /// Updates every document that satisfies a condition. Interpolated values are bound.
    @discardableResult
    public func update(
        where condition: FilterText, _ assignments: FilterText, options: BulkChange.Options = BulkChange.Options()
    ) async throws -> BulkChange.Summary {
        try await write { try $0.update(where: condition, assignments, options: options) }
    }

    /// Deletes every document that satisfies a condition; see
    /// ``DocumentCollection/delete(where:options:progress:)-(Filter,_,_)``.
    @discardableResult
    public func delete(
        where filter: Filter, options: BulkChange.Options = BulkChange.Options(),
        progress: @Sendable (BulkChange.Summary) throws -> Void = { _ in }
    ) async throws -> BulkChange.Summary {
        try await write { try $0.delete(where: filter, options: options, progress: progress) }
    }

    /// Deletes every document that satisfies a condition. Interpolated values are bound.
    @discardableResult
    public func delete(
        where condition: FilterText, options: BulkChange.Options = BulkChange.Options()
    ) async throws -> BulkChange.Summary {
        try await write { try $0.delete(where: condition, options: options) }
    }
}
