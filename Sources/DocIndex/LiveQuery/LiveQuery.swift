extension DocumentCollection {
    /// Observes the result of a query: returns it, and then every change to it.
    ///
    /// ```swift
    /// var shown: [Document] = []
    /// for try await update in try photos.observe(query) {
    ///     update.apply(to: &shown)
    /// }
    /// ```
    ///
    /// The first update is the current result. After that, each commit that changes the result produces an update; a
    /// consumer slower than the writer receives the changes of several commits in one update. Applied in order, the
    /// updates always give the result that the query would have at ``DocumentCollection/LiveQuery/Update/sequence``.
    /// The sequence ends when the store is closed.
    ///
    /// The condition is evaluated only for changed documents, so the cost of a commit depends neither on the size of
    /// the result nor on the size of the store. When documents leave a result with a limit, the same number of
    /// documents is looked up after its last one. The query runs again only when a commit changes the words that a
    /// search box looks for, for example because a misspelled word now occurs.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` if the query is invalid, has an offset or is sorted by score.
    public func observe(_ query: Query, options: Query.Options = Query.Options()) throws -> LiveQuery {
        try query.validate()
        guard query.offset == 0 else {
            throw DocIndexError(.invalidQuery, "a live query cannot have an offset; use a larger limit instead")
        }
        guard !query.sort.contains(where: { $0.key == .score }) else {
            throw DocIndexError(
                .invalidQuery,
                "a live query cannot be sorted by score, because commits change scores; sort by a field")
        }
        return LiveQuery(collection: self, query: query, options: options)
    }
}

extension DocumentCollection {
    /// The sequence of a result's changes; see ``DocumentCollection/observe(_:options:)``.
    public struct LiveQuery: AsyncSequence, Sendable {
        let collection: DocumentCollection
        let query: Query
        let options: Query.Options

        /// Starts observing.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(
                state: LiveResult(collection: collection, query: query, options: options),
                signals: CommitSignals(collection.store.signal))
        }

        /// Produces the updates in order.
        public struct AsyncIterator: AsyncIteratorProtocol {
            var state: LiveResult
            var signals: CommitSignals

            /// Returns the next update; `nil` when the store is closed or the task was canceled.
            public mutating func next() async throws -> LiveQuery.Update? { try await next(isolation: #isolation) }

            /// Returns the next update, on the actor of the caller.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> LiveQuery.Update? {
                try await signals.next(of: &state, isolation: actor) { try $0.update() }
            }
        }
    }
}
