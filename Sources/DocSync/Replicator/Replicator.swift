public import DocIndex
internal import Synchronization

/// Exchanges the documents of a collection with a peer: a database of CouchDB, a collection served by another store, or
/// anything else that speaks the replication protocol of Apache CouchDB.
///
/// ```swift
/// let peer = try Peer(url: "https://nas.local:6984/photos", credentials: .basic { ("anna", password) })
/// var options = Replicator.Options()
/// options.isContinuous = true
/// for try await status in Replicator(photos, with: peer, options: options).updates() {
///     print(status.phase, status.pull.writtenCount, status.push.writtenCount)
/// }
/// ```
///
/// Both sides then have all documents, and all versions of those that were edited on both sides; see
/// `DocumentConflict`. A replication can be interrupted at any time. The next one continues where both sides
/// know that they agree.
///
/// The network needs the package trait `Network`. Two stores of one process can replicate without it.
public struct Replicator: Sendable {
    /// What a replication does.
    public struct Options: Sendable {
        /// Whether documents come from the peer.
        public var pulls = true
        /// Whether documents go to the peer.
        public var pushes = true
        /// Whether the replication continues after both sides are equal, and waits for changes.
        public var isContinuous = false
        /// The number of documents that are compared with one request.
        public var batchLimit = 1000
        /// The size of documents in bytes that are sent with one request, unless a single one is larger.
        public var byteLimit = 1 << 20
        /// The number of documents after which a checkpoint is saved.
        public var checkpointInterval = 10_000
        /// The time after which a checkpoint is saved.
        public var checkpointPeriod = Duration.seconds(30)
        /// The interval at which changes are polled if the peer's feed cannot be waited on.
        public var pollInterval = Duration.seconds(10)
        /// Which documents take part; `nil` for all. Deletions always do. A document that no longer matches is no
        /// longer updated on the other side. Each filter has a separate checkpoint.
        ///
        /// On a pull, documents that do not match are transferred and then dropped.
        public var filter: Filter?
        /// Decides about conflicts that arrive. By default they stay.
        public var resolver = DocumentConflict.Resolver.manual

        /// Creates the options of one run in both directions.
        public init() {}
    }

    /// The collection.
    public let collection: DocumentCollection
    /// The other side.
    public let peer: Peer
    /// What the replication does.
    public let options: Options

    /// Creates a replication. It does nothing until it runs.
    public init(_ collection: DocumentCollection, with peer: Peer, options: Options = Options()) {
        self.collection = collection
        self.peer = peer
        self.options = options
    }

    /// Runs until both sides have what the other had at the beginning; if it is continuous, until the task is canceled.
    ///
    /// - Parameter report: is told of progress.
    /// - Returns: what was done.
    /// - Throws: ``SyncError``; ``TransportError`` or ``MessageError`` once the attempts are used up; `DocIndexError`,
    ///   `LevelError`; `CancellationError`.
    @discardableResult
    public func run(_ report: @escaping @Sendable (SyncStatus) -> Void = { _ in }) async throws -> SyncStatus {
        let board = StatusBoard(report)
        do {
            var failures = Failures()
            var hasConnected = false
            var isMissingSince: ContinuousClock.Instant?
            while true {
                let start = ContinuousClock.now
                var isConnected = false
                do {
                    try await runOnce(board, &isConnected)
                    break
                } catch let error as SyncError where error.code == .databaseReplaced {
                    isMissingSince = nil
                    failures.count(after: start)
                    if failures.number > 3 { throw error }
                } catch let error as PeerError
                    where error.status == 404 && options.isContinuous && (hasConnected || isConnected)
                {
                    // A database that is deleted and recreated is missing for a moment. One that was found may lack
                    // something else.
                    if isConnected {
                        isMissingSince = nil
                        failures.count(after: start)
                        if failures.number > 3 { throw error }
                    } else {
                        let since = isMissingSince ?? .now
                        isMissingSince = since
                        if ContinuousClock.now - since > .seconds(30) { throw error }
                    }
                    try await Task.sleep(for: .milliseconds(500))
                }
                hasConnected = hasConnected || isConnected
            }
        } catch {
            throw SyncError.of(error)
        }
        board.update { $0.phase = .finished }
        return board.current
    }

    /// Runs, and returns the status whenever it changes. The last status has the phase `finished`.
    ///
    /// If the reader is slow, it gets the newest status. If it stops reading, the replication is canceled.
    ///
    /// - Throws: the sequence throws what ``run(_:)`` throws.
    public func updates() -> AsyncThrowingStream<SyncStatus, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                do {
                    try await run { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Runs that failed one after the other.
    private struct Failures {
        private(set) var number = 0

        /// Counts a failure. A continuous replication may see the next one after weeks, so a long run ends the series.
        mutating func count(after start: ContinuousClock.Instant) {
            number = ContinuousClock.now - start > .seconds(60) ? 1 : number + 1
        }
    }

    /// - Parameter isConnected: set once the peer's database was found.
    private func runOnce(_ board: StatusBoard, _ isConnected: inout Bool) async throws {
        board.update { status in
            status.phase = .connecting
            status.idle = []
            status.retry = nil
            status.isPolling = false
        }
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
        isConnected = true
        board.update { $0.phase = .transferring }
        let (pull, push) = (PullRun(link: link), PushRun(link: link))
        guard options.isContinuous else {
            if options.pulls { try await pull.run() }
            if options.pushes { try await push.run() }
            try await link.acknowledgeSetBack()
            return
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            if options.pulls { group.addTask { try await pull.run() } }
            if options.pushes { group.addTask { try await push.run() } }
            group.addTask { try await link.watch() }
            // The first error ends all, although the others may be waiting for a change. The check ends with an error or
            // never, so the results are those of the transfers.
            for _ in 0..<(options.pulls ? 1 : 0) + (options.pushes ? 1 : 0) { try await group.next() }
            group.cancelAll()
        }
    }
}
