internal import LevelKit

extension DocumentCollection {
    /// Observes the groups of an aggregation: returns them, and then again after every commit that changes them.
    ///
    /// The aggregation runs again after commits to this collection; commits made during a run are handled together by
    /// the next one.
    public func observe(_ aggregation: Aggregation, where filter: Filter = .all) throws -> LiveSummary {
        try aggregation.validate()
        try filter.validate()
        try filter.requireFollowable()
        return LiveSummary(collection: self, aggregation: aggregation, filter: filter)
    }
}

/// The sequence of an aggregation's results; see ``DocumentCollection/observe(_:where:)``.
public struct LiveSummary: AsyncSequence, Sendable {
    let collection: DocumentCollection
    let aggregation: Aggregation
    let filter: Filter

    /// Starts observing.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(summary: self, signals: collection.store.signal.stream().makeAsyncIterator())
    }

    /// Produces the groups whenever they change.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let summary: LiveSummary
        var signals: AsyncStream<UInt64>.AsyncIterator
        var sequence: UInt64?
        var last: [Aggregation.Group]?

        init(summary: LiveSummary, signals: AsyncStream<UInt64>.AsyncIterator) {
            self.summary = summary
            self.signals = signals
        }

        /// Returns the groups; `nil` when the store is closed or the task was canceled.
        public mutating func next() async throws -> [Aggregation.Group]? { try await next(isolation: #isolation) }

        /// Returns the groups, on the actor of the caller.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Aggregation.Group]? {
            while !Task.isCancelled {
                do {
                    if let groups = try changed() { return groups }
                } catch let error as LevelError where error.code == .closed {
                    return nil
                }
                guard await signals.next(isolation: actor) != nil else { return nil }
            }
            return nil
        }

        private mutating func changed() throws -> [Aggregation.Group]? {
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
