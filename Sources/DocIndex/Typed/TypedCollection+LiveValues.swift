extension TypedCollection where Value: Sendable {
    /// Observes the values that satisfy a condition: returns them, and returns them again after every change.
    ///
    /// ```swift
    /// for try await best in try photos.observe("rating >= \(stars)", sort: "-taken", limit: 50) {
    ///     show(best)
    /// }
    /// ```
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`; see ``observe(_:options:)``.
    public func observe(
        _ condition: FilterText = "", sort: String? = nil, limit: Int? = nil
    ) throws -> TypedCollection<Value>.LiveValues {
        try observe(Query(condition, sort: sort, limit: limit))
    }

    /// Observes the result of a query: returns its values, and returns all of them again after every change.
    ///
    /// A consumer slower than the writer skips results in between. Only documents that change are read and decoded, and
    /// never on the actor of the consumer. All values are kept in memory, so set a limit. The sequence ends when the
    /// store is closed or the task is canceled, and after it has thrown.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` if the query is invalid, has an offset or is sorted by score.
    ///   The sequence throws `DecodingError` if a document does not fit the type.
    public func observe(_ query: Query, options: Query.Options = Query.Options()) throws
        -> TypedCollection<Value>.LiveValues
    {
        TypedCollection.LiveValues(collection: self, live: try documents.asynchronous.observe(query, options: options))
    }
}

extension TypedCollection where Value: Sendable {
    /// The sequence of a query's results; see ``TypedCollection/observe(_:options:)``.
    public struct LiveValues: AsyncSequence, Sendable {
        let collection: TypedCollection<Value>
        let live: AsyncDocumentCollection.LiveUpdates

        /// Starts observing.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(collection: collection, updates: live.makeAsyncIterator())
        }

        /// Produces the results in order.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let collection: TypedCollection<Value>
            var updates: AsyncDocumentCollection.LiveUpdates.AsyncIterator
            private var values: [Value] = []
            private var hasFailed = false

            init(collection: TypedCollection<Value>, updates: AsyncDocumentCollection.LiveUpdates.AsyncIterator) {
                self.collection = collection
                self.updates = updates
            }

            /// Returns the next result; `nil` when the store is closed or the task is canceled.
            public mutating func next() async throws -> [Value]? { try await next(isolation: #isolation) }

            /// Returns the next result to the actor of the caller. The store is read elsewhere.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Value]? {
                if hasFailed { return nil }
                do {
                    guard let update = try await updates.next(isolation: actor) else { return nil }
                    let (old, collection) = (values, self.collection)
                    values = try await BlockingExecutor.reads.run { try collection.values(old, after: update) }
                    return values
                } catch {
                    hasFailed = true
                    throw error
                }
            }
        }
    }
}

extension TypedCollection {
    /// Returns a result after a change of it.
    fileprivate func values(_ old: [Value], after update: DocumentCollection.LiveQuery.Update) throws -> [Value] {
        var values = old
        for change in update.changes {
            switch change {
            case .inserted(let document, let place): values.insert(try value(of: document), at: place)
            case .removed(_, let place): values.remove(at: place)
            case .moved(let document, let from, let to):
                values.remove(at: from)
                values.insert(try value(of: document), at: to)
            case .updated(let document, let place): values[place] = try value(of: document)
            }
        }
        return values
    }
}
