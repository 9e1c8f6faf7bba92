import Foundation
import Synchronization
import TestSupport
import Testing

/// The trait of suites whose tests mostly wait for programs that they start.
///
/// Tests run on as many threads as the machine has cores, and a test that waits for a program holds its thread. Tests of
/// these suites run on threads of their own, a few at a time, so that the others go on meanwhile.
struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
    private static let turns = Turns(max(2, ProcessInfo.processInfo.activeProcessorCount))

    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // Outside of this block the test would wait for one of the shared threads again, while it holds its turn.
        try await withTaskExecutorPreference(OwnThreads.shared) {
            await Self.turns.take()
            defer { Self.turns.give() }
            try await function()
        }
    }
}

extension Trait where Self == WaitingTrait {
    /// The tests mostly wait for programs that they start.
    static var waitsForPrograms: Self { WaitingTrait() }
}

/// Lets a limited number of tasks pass, in the order in which they come.
private final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func give() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
