extension AsyncDocumentCollection {
    /// The sequence of a result's changes, which are not read on the actor of the consumer; see
    /// ``AsyncDocumentCollection/observe(_:options:)``.
    public struct LiveUpdates: AsyncSequence, Sendable {
        let live: DocumentCollection.LiveQuery

        /// Starts observing.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(
                result: FollowedResult(
                    LiveResult(collection: live.collection, query: live.query, options: live.options)),
                signals: CommitSignals(live.collection.store.signal))
        }

        /// Produces the updates in order.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let result: FollowedResult
            fileprivate var signals: CommitSignals

            /// Returns the next update; `nil` when the store is closed or the task is canceled.
            public mutating func next() async throws -> DocumentCollection.LiveQuery.Update? {
                try await next(isolation: #isolation)
            }

            /// Returns the next update to the actor of the caller. The store is read elsewhere.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws -> DocumentCollection.LiveQuery.Update? {
                var result = result
                return try await signals.next(of: &result, isolation: actor) { result in
                    try await BlockingExecutor.reads.run { [result] in try result.update() }
                }
            }
        }
    }
}

/// Keeps a live result between updates.
final class FollowedResult: @unchecked Sendable {
    // Unchecked: an iterator requests one update at a time, so no two threads use the result at once.
    private var result: LiveResult

    init(_ result: LiveResult) { self.result = result }

    func update() throws -> DocumentCollection.LiveQuery.Update? { try result.update() }
}

extension AsyncDocumentStore {
    /// The present and future changes of a store, which are not read on the actor of the consumer; see
    /// ``AsyncDocumentStore/changeStream(since:epoch:in:batchLimit:)``.
    public struct ChangeStream: AsyncSequence, Sendable {
        let stream: DocumentStore.ChangeStream

        /// Creates an iterator, which starts listening for commits.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(
                stream: stream, position: stream.sequence, signals: CommitSignals(stream.store.signal))
        }

        /// An iterator over batches of changes.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let stream: DocumentStore.ChangeStream
            var position: UInt64
            var signals: CommitSignals

            /// Returns the next changes; `nil` when the store is closed or the task is canceled.
            public mutating func next() async throws -> [StoreChange]? { try await next(isolation: #isolation) }

            /// Returns the next changes to the actor of the caller. The store is read elsewhere.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [StoreChange]? {
                try await signals.next(of: &position, isolation: actor) { [stream] position in
                    let read = try await BlockingExecutor.reads.run { [position] in
                        try stream.store.visitChanges(
                            since: position, epoch: stream.epoch, in: stream.collection, limit: stream.limit)
                    }
                    position = read.position
                    return read.changes.isEmpty ? nil : read.changes
                }
            }
        }
    }
}
