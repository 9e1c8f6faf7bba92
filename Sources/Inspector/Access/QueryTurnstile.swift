internal import Dispatch
internal import Synchronization

/// Lets a limited number of queries run at once. Others wait in the order in which they come, but not for long.
final class QueryTurnstile: Sendable {
    private struct State {
        var runningCount = 0
        var lastNumber: UInt64 = 0
        /// Queries that found no room and do not wait yet, with the error that ended them in the meantime.
        var arriving: [UInt64: (any Error)?] = [:]
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    /// The largest number of queries at once.
    let limit: Int
    private let patience: Duration
    /// A separate thread, because running queries can block the shared ones.
    private static let timers = DispatchQueue(label: "Inspector.turnstile")
    private let state = Mutex(State())

    init(limit: Int = 8, patience: Duration) {
        self.limit = limit
        self.patience = patience
    }

    /// The numbers of running and of waiting queries.
    var counts: (running: Int, waiting: Int) { state.withLock { ($0.runningCount, $0.waiting.count) } }

    /// Runs `body` when there is room.
    ///
    /// - Throws: ``Problem`` with `busy` if there is none for too long; `CancellationError` if the task is canceled
    ///   while it waits; what `body` throws.
    func run<R: Sendable>(_ body: () async throws -> R) async throws -> R {
        if let number = enter() { try await wait(number) }
        defer { leave() }
        return try await body()
    }

    /// Enters if there is room; otherwise returns a number to wait with.
    private func enter() -> UInt64? {
        state.withLock { state in
            guard state.runningCount == limit else {
                state.runningCount += 1
                return nil
            }
            state.lastNumber += 1
            state.arriving[state.lastNumber] = .some(nil)
            return state.lastNumber
        }
    }

    private func wait(_ number: UInt64) async throws {
        let timer = DispatchWorkItem { [weak self, limit] in
            let running = limit == 1 ? "A command is" : "\(limit) queries are"
            self?.end(number, Problem(.busy, "\(running) already running; try again in a few seconds."))
        }
        Self.timers.asyncAfter(deadline: .now() + patience / .seconds(1), execute: timer)
        defer { timer.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if let error = state.arriving.removeValue(forKey: number) ?? nil { return .failure(error) }
                    guard state.runningCount == limit else {
                        state.runningCount += 1
                        return .success(())
                    }
                    state.waiting.append((number, continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            end(number, CancellationError())
        }
    }

    /// Ends the waiting of a query.
    private func end(_ number: UInt64, _ error: any Error) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            if let index = state.waiting.firstIndex(where: { $0.number == number }) {
                return state.waiting.remove(at: index).continuation
            }
            if state.arriving[number] != nil { state.arriving[number] = error }
            return nil
        }
        continuation?.resume(throwing: error)
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.runningCount -= 1
            return nil
        }
        next?.resume()
    }
}
