import Foundation
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
