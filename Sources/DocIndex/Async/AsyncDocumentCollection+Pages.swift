extension AsyncDocumentCollection {
    /// The result of a query as an asynchronous sequence of arrays; see
    /// ``AsyncDocumentCollection/pages(_:count:options:)``.
    ///
    /// All pages are read from the snapshot at the first page. Cancellation takes effect between pages and within them.
    ///
    /// - Complexity: if the plan finds results in order, each page costs as much as its results; otherwise each page
    ///   costs as much as the whole query, so choose large pages or an index with the sort order of the query.
    public struct Pages: AsyncSequence, Sendable {
        let collection: DocumentCollection
        let query: Query
        let count: Int
        let options: Query.Options

        /// Returns an iterator that starts at the first result.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }

        /// Reads one page after another.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let pages: Pages
            /// The rest to read; `nil` at the end.
            private var position: Position?

            private struct Position: Sendable {
                var collection: DocumentCollection
                var isPinned = false
                var remaining: Int?
                var token: DocumentCollection.Page.Token?
            }

            init(pages: Pages) {
                self.pages = pages
                position = Position(collection: pages.collection, remaining: pages.query.limit)
            }

            /// Returns the next documents; `nil` at the end.
            ///
            /// - Throws: the errors of ``DocumentCollection/page(_:after:options:)``; `CancellationError` if the task
            ///   is canceled.
            public mutating func next() async throws -> [Document]? {
                guard let position else { return nil }
                // If reading throws, the sequence has ended.
                self.position = nil
                let (documents, next) = try await BlockingExecutor.reads.run { [pages] in
                    try Self.read(pages, at: position)
                }
                self.position = next
                return documents.isEmpty ? nil : documents
            }

            private static func read(
                _ pages: Pages, at position: Position
            ) throws -> (documents: [Document], next: Position?) {
                var position = position
                if !position.isPinned {
                    position.collection = try position.collection.pinnedToNewest()
                    position.isPinned = true
                }
                var query = pages.query
                query.limit = Swift.min(pages.count, position.remaining ?? pages.count)
                let page = try position.collection.page(query, after: position.token, options: pages.options)
                position.remaining = position.remaining.map { $0 - page.documents.count }
                position.token = page.next
                let isLast = page.next == nil || position.remaining == 0
                return (page.documents, isLast ? nil : position)
            }
        }
    }
}
