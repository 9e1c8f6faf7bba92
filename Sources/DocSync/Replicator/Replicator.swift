package import DocIndex
internal import Synchronization

/// Exchanges the documents of a collection with a peer: a database of CouchDB, a collection served by another store, or
/// anything else that speaks the replication protocol of Apache CouchDB.
package struct Replicator: Sendable {
    /// What a replication does.
    package struct Options: Sendable {
        /// Whether documents come from the peer.
        package var pulls = true
        /// Whether documents go to the peer.
        package var pushes = true
        /// Whether the replication goes on after both sides are equal, and waits for changes.
        package var isContinuous = false
        /// The number of documents that are compared with one request.
        package var batchLimit = 500
        /// The size of documents in bytes that are sent with one request, unless a single one is larger.
        package var byteLimit = 1 << 20
        /// The number of documents after which a checkpoint is saved.
        package var checkpointInterval = 10_000
        /// The time after which a checkpoint is saved.
        package var checkpointPeriod = Duration.seconds(30)
        /// How often the peer is asked for changes if it cannot be waited for them.
        package var pollInterval = Duration.seconds(10)
        /// Which documents take part; `nil` for all. Deletions always do. A document that no longer matches is not changed
        /// any more on the other side. A filter has a checkpoint of its own.
        ///
        /// On a pull, documents that do not match are transferred and then dropped.
        package var filter: Filter?
        /// Decides about conflicts that arrive. By default they stay.
        package var resolver = DocumentConflict.Resolver.manual

        package init() {}
    }

    package let collection: DocumentCollection
    package let peer: Peer
    package let options: Options

    package init(_ collection: DocumentCollection, with peer: Peer, options: Options = Options()) {
        self.collection = collection
        self.peer = peer
        self.options = options
    }

    /// Runs until both sides have what the other had at the beginning; if it is continuous, until the task is cancelled.
    ///
    /// - Parameter report: is told of progress.
    /// - Returns: what was done.
    /// - Throws: ``SyncError``; ``TransportError`` or ``MessageError`` once the attempts are used up; ``DocIndexError``,
    ///   `LevelError`; `CancellationError`.
    @discardableResult
    package func run(_ report: @escaping @Sendable (SyncStatus) -> Void = { _ in }) async throws -> SyncStatus {
        let board = StatusBoard(report)
        do {
            var attempt = 0
            while true {
                do {
                    try await runOnce(board)
                    break
                } catch let error as SyncError where error.code == .databaseReplaced && attempt < 3 {
                    attempt += 1
                }
            }
        } catch {
            throw SyncError.of(error)
        }
        board.update { $0.phase = .finished }
        return board.current
    }

    private func runOnce(_ board: StatusBoard) async throws {
        var peer = peer
        let hasRetried = Mutex(false)
        peer.onRetry = { error, delay in
            hasRetried.withLock { $0 = true }
            board.update {
                $0.phase = .retrying
                $0.retry = SyncStatus.Retry(error: error, delay: delay)
            }
        }
        peer.onRequest = {
            let isBack = hasRetried.withLock { value in
                defer { value = false }
                return value
            }
            board.note {
                $0.requestCount += 1
                if isBack {
                    $0.phase = .transferring
                    $0.retry = nil
                }
            }
        }
        let link = try await SyncLink.connect(collection, peer: peer, options: options, board: board)
        board.update { $0.phase = .transferring }
        let (pull, push) = (PullRun(link: link), PushRun(link: link))
        guard options.isContinuous else {
            if options.pulls { try await pull.run() }
            if options.pushes { try await push.run() }
            return
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            if options.pulls { group.addTask { try await pull.run() } }
            if options.pushes { group.addTask { try await push.run() } }
            try await group.waitForAll()
        }
    }
}
