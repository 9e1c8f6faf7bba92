internal import LevelKit

extension AsyncDocumentStore {
    /// Runs `body` and writes its changes as one atomic batch; see ``DocumentStore/replicate(_:durability:_:)``.
    ///
    /// - Parameter isSynced: whether the changes are durable on return.
    @discardableResult
    package func replicate<R: Sendable>(
        _ name: String, isSynced: Bool = false,
        _ body: @escaping @Sendable (inout ReplicationBatch) throws -> R
    ) async throws -> (result: R, sequence: UInt64?) {
        try await store.writes.run { [store] in
            try store.replicate(name, durability: isSynced ? .synced : .buffered, body)
        }
    }
}
