import DocIndex
import DocSync
import Foundation
import Synchronization
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

    private final class Record: Sendable {
        let isOver = Mutex(false)
        let order = Mutex<[Int]>([])
    }

    @Test func `Waiting queries get their turns in order, and a canceled one takes none`() async throws {
        try await within {
            let turnstile = QueryTurnstile(limit: 1, patience: .seconds(600))
            let record = Record()
            let first = Task(executorPreference: OwnThreads.shared) {
                try await turnstile.run { while !record.isOver.withLock({ $0 }) { await pause(for: .milliseconds(1)) } }
            }
            while turnstile.counts.running == 0 { await pause(for: .milliseconds(1)) }
            var waiting: [Task<Void, any Error>] = []
            for number in 0..<4 {
                waiting.append(
                    Task(executorPreference: OwnThreads.shared) {
                        try await turnstile.run { record.order.withLock { $0.append(number) } }
                    })
                while turnstile.counts.waiting <= number { await pause(for: .milliseconds(1)) }
            }
            waiting[1].cancel()
            let cancelled = await waiting[1].result
            #expect(throws: CancellationError.self) { try cancelled.get() }
            record.isOver.withLock { $0 = true }
            try await first.value
            for number in [0, 2, 3] { try await waiting[number].value }
            #expect(record.order.withLock { $0 } == [0, 2, 3])
            #expect(turnstile.counts == (0, 0))
        }
    }

    @Test func `A query that takes too long is canceled, and so is one whose client has left`() async throws {
        try await withInspectedStore(photoCount: 1) { inspected in
            let reading = StoreReading(inspected.store, limits: InspectedStore.patient)
            let endless: @Sendable () throws -> Int = {
                // Asleep, so that the shared threads go on: on them its time expires.
                while true {
                    try Task.checkCancellation()
                    usleep(1000)
                }
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
