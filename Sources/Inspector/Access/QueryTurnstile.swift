internal import Synchronization

/// Lets a limited number of queries run at once. Others wait, but not for long.
final class QueryTurnstile: Sendable {
    /// The largest number of queries at once.
    let limit: Int
    private let patience: Duration
    private let runningCount = Mutex(0)

    init(limit: Int = 8, patience: Duration = .seconds(2)) {
        self.limit = limit
        self.patience = patience
    }

    /// Runs `body` when there is room.
    ///
    /// - Throws: ``Problem`` with `busy` if there is none for too long; what `body` throws.
    func run<R: Sendable>(_ body: () async throws -> R) async throws -> R {
        let end = ContinuousClock.now + patience
        while !enter() {
            guard ContinuousClock.now < end else {
                let running = limit == 1 ? "A command is" : "\(limit) queries are"
                throw Problem(.busy, "\(running) running already; try again in a few seconds.")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        defer { runningCount.withLock { $0 -= 1 } }
        return try await body()
    }

    private func enter() -> Bool {
        runningCount.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }
}
