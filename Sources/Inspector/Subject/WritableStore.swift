internal import DocIndex

/// A store that may be changed. Routes that write exist only where there is a value of this type; everything else has a
/// ``ReadableStore``.
struct WritableStore: Sendable {
    private let store: DocumentStore

    init(_ store: DocumentStore) { self.store = store }

    /// Stores a document.
    func put(
        _ content: DocumentObject, in collection: String, if condition: Document.WriteCondition
    ) async throws {
        try await named(collection).put(content, if: condition)
    }

    /// Applies a JSON Merge Patch to a document.
    func patch(
        _ id: DocumentID, _ patch: DocumentObject, in collection: String, if condition: Document.WriteCondition
    ) async throws {
        try await named(collection).patch(id, patch, if: condition)
    }

    /// Deletes a document.
    func delete(_ id: DocumentID, in collection: String, if condition: Document.WriteCondition) async throws {
        try await named(collection).delete(id, if: condition)
    }

    private func named(_ collection: String) throws -> AsyncDocumentCollection {
        try store.collection(collection).asynchronous
    }
}
