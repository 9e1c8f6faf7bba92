internal import Synchronization

/// Lets a limited number of tasks do something at once. The others wait, and get their turns in the order in which they
/// came.
final class TransferTurns: Sendable {
    private struct State {
        var freeCount: Int
        var lastNumber: UInt64 = 0
        var waiting: [(number: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let state: Mutex<State>

    /// - Parameter count: the number of tasks at once, at least 1.
    init(_ count: Int) { state = Mutex(State(freeCount: count)) }

    /// The number of tasks that wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` when there is a turn.
    ///
    /// - Throws: what `body` throws; `CancellationError` if the task is canceled before its turn.
    func withTurn<R: Sendable>(_ body: () async throws -> R) async throws -> R {
        try await take()
        defer { give() }
        return try await body()
    }

    private func take() async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard state.freeCount > 0 else {
                        state.waiting.append((number, continuation))
                        return nil
                    }
                    state.freeCount -= 1
                    return .success(())
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    private func give() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.freeCount += 1
            return nil
        }
        next?.resume()
    }
}
