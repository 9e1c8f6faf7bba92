internal import DocIndex
internal import Synchronization

/// The store that is shown, and how it is read: away from the threads of the network, a limited number of queries at
/// once, and each for a limited time.
final class StoreReading: Sendable {
    /// The longest time of a query.
    static let longestTime = Duration.seconds(30)

    private let store: Mutex<DocumentStore>
    private let turnstile = QueryTurnstile()

    init(_ store: DocumentStore) { self.store = Mutex(store) }

    /// Returns the newest state.
    func state() async throws -> ReadableStore {
        try await store.withLock { $0 }.asynchronous.run { try ReadableStore(newestOf: $0) }
    }

    /// Runs `body`, which reads the store, within a time. A query that takes longer is cancelled.
    ///
    /// - Throws: ``Problem`` with `busy` or `tooSlow`; what `body` throws.
    func run<R: Sendable>(
        within limit: Duration = StoreReading.longestTime, _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        let executor = store.withLock { $0 }.asynchronous
        return try await turnstile.run {
            try await withThrowingTaskGroup(of: R?.self) { group in
                group.addTask { try await executor.run { _ in try body() } }
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
                defer { group.cancelAll() }
                guard let result = try await group.next() ?? nil else {
                    throw Problem(
                        .tooSlow,
                        "The query took longer than \(limit.components.seconds) s and was cancelled; narrow the condition."
                    )
                }
                return result
            }
        }
    }

    /// Runs `body` within a short time; returns `nil` if it takes longer, or if too many queries are running.
    func quick<R: Sendable>(
        within limit: Duration = .seconds(1), _ body: @escaping @Sendable () throws -> R
    ) async throws -> R? {
        do {
            return try await run(within: limit, body)
        } catch let problem as Problem where problem.kind == .tooSlow || problem.kind == .busy {
            return nil
        }
    }
}
