internal import LevelKit

extension DocumentCollection {
    /// The result of a query, and every change of it from now on.
    ///
    /// ```swift
    /// var shown: [Document] = []
    /// for try await update in try photos.observe(query) {
    ///     update.apply(to: &shown)
    /// }
    /// ```
    ///
    /// The first update is the result as it is. Then each commit that changes the result gives one; whoever is slower than
    /// the writer gets the changes of several commits in one. Applied in order, they always give what the query would give
    /// if it were run anew at ``ResultUpdate/sequence``. The sequence ends when the store is closed.
    ///
    /// The condition is asked of the documents that changed and of no others, so what a commit costs depends neither on the
    /// size of the result nor on that of the store. Where documents leave a result with a limit, as many are looked up
    /// behind its last one.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`, also for a query with an offset.
    public func observe(_ query: Query, options: QueryOptions = QueryOptions()) throws -> LiveQuery {
        try query.validate()
        guard query.offset == 0 else {
            throw DocIndexError(.invalidQuery, "a live query has no offset; observe it with a larger limit")
        }
        guard !query.sort.contains(where: { $0.key == .score }) else {
            throw DocIndexError(
                .invalidQuery,
                "an order by score cannot be observed, as each commit changes all scores; sort by a field")
        }
        return LiveQuery(collection: self, query: query, options: options)
    }
}

/// The changes of a result; see ``DocumentCollection/observe(_:options:)``.
public struct LiveQuery: AsyncSequence, Sendable {
    let collection: DocumentCollection
    let query: Query
    let options: QueryOptions

    /// Begins to listen.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            state: LiveResult(collection: collection, query: query, options: options),
            signals: collection.store.signal.stream().makeAsyncIterator())
    }

    /// Gives one update after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var state: LiveResult
        var signals: AsyncStream<UInt64>.AsyncIterator

        /// The next update; `nil` when the store is closed or the task was cancelled.
        public mutating func next() async throws -> ResultUpdate? { try await next(isolation: #isolation) }

        /// The next update, without leaving the actor of the caller.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ResultUpdate? {
            while !Task.isCancelled {
                do {
                    if let update = try state.update() { return update }
                } catch let error as LevelError where error.code == .closed {
                    return nil
                }
                guard await signals.next(isolation: actor) != nil else { return nil }
            }
            return nil
        }
    }
}
