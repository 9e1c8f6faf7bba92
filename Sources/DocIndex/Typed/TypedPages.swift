/// The result of a query as an asynchronous sequence of arrays of values; see ``DocumentPages``.
public struct TypedPages<Value: Codable & Identifiable & Sendable>: AsyncSequence, Sendable where Value.ID: Encodable {
    let collection: TypedCollection<Value>
    let pages: DocumentPages

    /// Returns an iterator that starts at the first result.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(collection: collection, pages: pages.makeAsyncIterator())
    }

    /// Reads one page after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let collection: TypedCollection<Value>
        var pages: DocumentPages.AsyncIterator

        /// Returns the next values; `nil` at the end.
        ///
        /// - Throws: `DecodingError` if a document does not fit the type; the errors of ``DocumentPages``.
        public mutating func next() async throws -> [Value]? {
            guard let documents = try await pages.next() else { return nil }
            return try await BlockingExecutor.reads.run { [collection] in try documents.map(collection.value(of:)) }
        }
    }
}
