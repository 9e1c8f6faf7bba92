import Synchronization
import TestSupport
import Testing

@testable import DocSync

@Suite struct TransferTurnsTests {
    private final class Running: Sendable {
        private let counts = Mutex((now: 0, most: 0))

        var most: Int { counts.withLock { $0.most } }

        func begin() {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
        }

        func end() { counts.withLock { $0.now -= 1 } }
    }

    @Test func `No more tasks than the limit have a turn at once, and one that throws gives its turn back`()
        async throws
    {
        try await within {
            let turns = TransferTurns(2)
            let running = Running()
            await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        try await turns.withTurn {
                            running.begin()
                            await pause(for: .milliseconds(2))
                            running.end()
                            if number % 3 == 0 { throw CancellationError() }
                        }
                    }
                }
                while let result = await group.nextResult() { _ = try? result.get() }
            }
            #expect(running.most == 2 && turns.waitingCount == 0)
            let number = try await turns.withTurn { 5 }
            #expect(number == 5)
        }
    }

    @Test func `A task that is canceled before its turn ends at once, and the others keep theirs`() async throws {
        try await within {
            let turns = TransferTurns(1)
            try await turns.withTurn {
                let waiting = (0..<3).map { number in
                    Task(executorPreference: OwnThreads.shared) { try await turns.withTurn { number } }
                }
                while turns.waitingCount < 3 { await pause(for: .milliseconds(1)) }
                waiting[1].cancel()
                let cancelled = await waiting[1].result
                #expect(throws: CancellationError.self) { try cancelled.get() }
                #expect(turns.waitingCount == 2)
                waiting[0].cancel()
                waiting[2].cancel()
            }
            let number = try await turns.withTurn { 5 }
            #expect(number == 5)
        }
    }
}
