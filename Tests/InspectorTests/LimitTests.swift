import DocIndex
import DocSync
import TestSupport
import Testing

@testable import Inspector

@Suite struct `Limits of the inspector` {
    @Test func `A query beyond the limit waits, and is then refused`() async throws {
        try await within {
            let turnstile = QueryTurnstile(limit: 2, patience: .milliseconds(50))
            try await turnstile.run {
                try await turnstile.run {
                    let problem = await #expect(throws: Problem.self) { try await turnstile.run {} }
                    #expect(problem?.kind == .busy && problem?.fields["Retry-After"] == "2")
                }
            }
            let number = try await turnstile.run { 5 }
            #expect(number == 5)
        }
    }

    @Test func `A query that takes too long is cancelled, and so is one whose client has left`() async throws {
        try await withInspectedStore(photoCount: 1) { inspected in
            let reading = StoreReading(inspected.store, limits: InspectedStore.patient)
            let endless: @Sendable () throws -> Int = {
                while true { try Task.checkCancellation() }
            }
            let problem = await #expect(throws: Problem.self) {
                try await reading.run(within: .milliseconds(20), endless)
            }
            #expect(problem?.kind == .tooSlow)
            let none = try await reading.quick(within: .milliseconds(20), endless)
            #expect(none == nil)
            // Only the cancellation can end it.
            let left = Task(executorPreference: OwnThreads.shared) { try await reading.run(endless) }
            await pause(for: .milliseconds(50))
            left.cancel()
            await #expect(throws: CancellationError.self) { try await left.value }
        }
    }
}
