extension AsyncTypedCollection {
    /// The result of a query as an asynchronous sequence of arrays of values; see ``AsyncDocumentCollection/Pages``.
    public struct Pages: AsyncSequence, Sendable {
        let collection: TypedCollection<Value>
        let pages: AsyncDocumentCollection.Pages

        /// Returns an iterator that starts at the first result.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(collection: collection, pages: pages.makeAsyncIterator())
        }

        /// Reads one page after another.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let collection: TypedCollection<Value>
            var pages: AsyncDocumentCollection.Pages.AsyncIterator

            /// Returns the next values; `nil` at the end.
            ///
            /// - Throws: `DecodingError` if a document does not fit the type; the errors of
            ///   ``AsyncDocumentCollection/Pages``.
            public mutating func next() async throws -> [Value]? {
                guard let documents = try await pages.next() else { return nil }
                return try await BlockingExecutor.reads.run { [collection] in try documents.map(collection.value(of:)) }
            }
        }
    }
}
