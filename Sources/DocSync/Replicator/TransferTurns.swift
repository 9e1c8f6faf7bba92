internal import Synchronization

/// Lets a limited number of tasks do something at once. The others wait, and get their turns in the order in which they
/// came.
///
/// A task that waits does not notice that it is cancelled. Its turn comes when the tasks before it end.
final class TransferTurns: Sendable {
    private struct State {
        var freeCount: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    /// - Parameter count: the number of tasks at once, at least 1.
    init(_ count: Int) { state = Mutex(State(freeCount: count)) }

    /// Runs `body` when there is a turn.
    func withTurn<R: Sendable>(_ body: () async throws -> R) async rethrows -> R {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.freeCount > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.freeCount -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        defer {
            state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.freeCount += 1
                return nil
            }?.resume()
        }
        return try await body()
    }
}
