extension DocumentCollection {
    /// Observes the groups of an aggregation: returns them, and then again after every commit that changes them.
    ///
    /// The aggregation runs again after commits to this collection; commits made during a run are handled together by
    /// the next one.
    public func observe(_ aggregation: Aggregation, where filter: Filter = .all) throws -> Aggregation.LiveGroups {
        try aggregation.validate()
        try filter.validate()
        return Aggregation.LiveGroups(collection: self, aggregation: aggregation, filter: filter)
    }
}

extension Aggregation {
    /// The sequence of an aggregation's results; see ``DocumentCollection/observe(_:where:)``.
    public struct LiveGroups: AsyncSequence, Sendable {
        let collection: DocumentCollection
        let aggregation: Aggregation
        let filter: Filter

        /// Starts observing.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(state: State(summary: self), signals: CommitSignals(collection.store.signal))
        }

        /// Produces the groups whenever they change.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var state: State
            fileprivate var signals: CommitSignals

            /// Returns the groups; `nil` when the store is closed or the task was canceled.
            public mutating func next() async throws -> [Aggregation.Group]? { try await next(isolation: #isolation) }

            /// Returns the groups, on the actor of the caller.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Aggregation.Group]? {
                try await signals.next(of: &state, isolation: actor) { try $0.changed() }
            }
        }

        fileprivate struct State {
            let summary: LiveGroups
            var sequence: UInt64?
            var last: [Aggregation.Group]?

            mutating func changed() throws -> [Aggregation.Group]? {
                let store = summary.collection.store
                let newest = try store.sequence()
                if let sequence, try store.changes(since: sequence, in: summary.collection.name, limit: 1).isEmpty {
                    return nil
                }
                // Later commits are examined in the next call.
                sequence = newest
                let groups = try summary.collection.summarize(summary.aggregation, where: summary.filter)
                if groups == last { return nil }
                last = groups
                return groups
            }
        }
    }
}
