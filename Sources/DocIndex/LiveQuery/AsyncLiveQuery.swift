internal import LevelKit

/// The sequence of a result's changes, which are not read on the actor of the consumer; see
/// ``AsyncDocumentCollection/observe(_:options:)``.
public struct AsyncLiveQuery: AsyncSequence, Sendable {
    let live: LiveQuery

    /// Starts observing.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            result: FollowedResult(
                LiveResult(collection: live.collection, query: live.query, options: live.options)),
            signals: live.collection.store.signal.stream().makeAsyncIterator())
    }

    /// Produces the updates in order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let result: FollowedResult
        private var signals: AsyncStream<UInt64>.AsyncIterator

        init(result: FollowedResult, signals: AsyncStream<UInt64>.AsyncIterator) {
            self.result = result
            self.signals = signals
        }

        /// Returns the next update; `nil` when the store is closed or the task is cancelled.
        public mutating func next() async throws -> LiveQuery.Update? { try await next(isolation: #isolation) }

        /// Returns the next update to the actor of the caller. The store is read elsewhere.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> LiveQuery.Update? {
            while !Task.isCancelled {
                do {
                    let result = self.result
                    if let update = try await BlockingExecutor.reads.run({ try result.update() }) { return update }
                } catch let error as LevelError where error.code == .closed {
                    return nil
                } catch is CancellationError {
                    return nil
                }
                guard await signals.next(isolation: actor) != nil else { return nil }
            }
            return nil
        }
    }
}

/// Keeps a live result between updates.
final class FollowedResult: @unchecked Sendable {
    // Unchecked: an iterator requests one update at a time, so no two threads use the result at once.
    private var result: LiveResult

    init(_ result: LiveResult) { self.result = result }

    func update() throws -> LiveQuery.Update? { try result.update() }
}

/// The present and future changes of a store, which are not read on the actor of the consumer; see
/// ``AsyncDocumentStore/changeStream(since:epoch:in:batchLimit:)``.
public struct AsyncChangeStream: AsyncSequence, Sendable {
    let stream: ChangeStream

    /// Creates an iterator, which starts listening for commits.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            stream: stream, position: stream.sequence, signals: stream.store.signal.stream().makeAsyncIterator())
    }

    /// An iterator over batches of changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let stream: ChangeStream
        var position: UInt64
        var signals: AsyncStream<UInt64>.AsyncIterator

        /// Returns the next changes; `nil` when the store is closed or the task is cancelled.
        public mutating func next() async throws -> [StoreChange]? { try await next(isolation: #isolation) }

        /// Returns the next changes to the actor of the caller. The store is read elsewhere.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [StoreChange]? {
            while !Task.isCancelled {
                do {
                    let (stream, known) = (self.stream, position)
                    let read = try await BlockingExecutor.reads.run {
                        try stream.store.visitChanges(
                            since: known, epoch: stream.epoch, in: stream.collection, limit: stream.limit)
                    }
                    position = read.position
                    if !read.changes.isEmpty { return read.changes }
                } catch let error as LevelError where error.code == .closed {
                    return nil
                } catch is CancellationError {
                    return nil
                }
                guard await signals.next(isolation: actor) != nil else { return nil }
            }
            return nil
        }
    }
}
