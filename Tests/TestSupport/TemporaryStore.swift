public import DocIndex
public import LevelKit
public import Testing

/// Runs `body` with a new store in its own directory.
///
/// Afterwards, even if `body` throws, the store is verified, closed, reopened without a schema, compared with its
/// previous content, and verified again. If `body` closes the store, the steps that need an open store are skipped.
public func withTemporaryStore<R>(
    schema: Schema, options: DocumentStore.Options = DocumentStore.Options(),
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (DocumentStore) throws -> R
) throws -> R {
    try withTemporaryDirectory { directory in
        let path = directory + "/test.store"
        let store = try DocumentStore.open(at: path, schema: schema, options: options)
        let result = Result { try body(store) }
        let content = try contentUnlessClosed(of: store, sourceLocation: sourceLocation)
        try store.close()
        let reopened = try DocumentStore.open(at: path, options: options)
        try expectSound(reopened, sourceLocation: sourceLocation)
        let reopenedContent = try StoreContent(of: reopened)
        if let content {
            #expect(
                content == reopenedContent, "the store holds something else after it was opened again",
                sourceLocation: sourceLocation)
        }
        try reopened.close()
        return try result.get()
    }
}

private func contentUnlessClosed(of store: DocumentStore, sourceLocation: SourceLocation) throws -> StoreContent? {
    do {
        try expectSound(store, sourceLocation: sourceLocation)
        return try StoreContent(of: store)
    } catch let error as LevelError where error.code == .closed {
        return nil
    }
}

/// Verifies a store and records each problem as an issue.
public func expectSound(_ store: DocumentStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let verification = try store.verify()
    for problem in verification.problems {
        Issue.record("verify: \(problem)", sourceLocation: sourceLocation)
    }
    #expect(verification.isSound, sourceLocation: sourceLocation)
}

/// The visible content of a store: the schema, and the documents of each collection in ID order.
public struct StoreContent: Sendable, Hashable {
    /// The current schema.
    public let schema: Schema
    /// The documents of each collection, in schema order.
    public let documents: [[Document]]

    /// Creates content that was read elsewhere.
    public init(schema: Schema, documents: [[Document]]) {
        self.schema = schema
        self.documents = documents
    }

    /// Reads the content of a store.
    public init(of store: DocumentStore) throws {
        schema = store.schema
        documents = try store.collections.map { collection in
            var documents: [Document] = []
            try collection.forEach { documents.append($0) }
            return documents
        }
    }
}

/// Returns every pair of a database.
public func allPairs(in database: Database) throws -> [(key: [UInt8], value: [UInt8])] {
    var pairs: [(key: [UInt8], value: [UInt8])] = []
    var cursor = try database.cursor()
    while try cursor.advance() { pairs.append((cursor.key.copied(), cursor.value.copied())) }
    return pairs
}
