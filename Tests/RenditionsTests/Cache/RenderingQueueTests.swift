import DocIndex
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Renditions

/// Work that tests hold up and observe.
private final class ObservedWork: Sendable {
    private struct State {
        var started: [RenditionKey] = []
        var cancelled: [RenditionKey] = []
        var isOpen = true
    }

    private let state = Mutex(State())

    var started: [RenditionKey] { state.withLock { $0.started } }
    var cancelled: [RenditionKey] { state.withLock { $0.cancelled } }

    /// Holds up all work until it is released or canceled.
    func hold() { state.withLock { $0.isOpen = false } }
    func release() { state.withLock { $0.isOpen = true } }

    func run(_ key: RenditionKey) -> RenderingQueue.Outcome {
        state.withLock { $0.started.append(key) }
        while !state.withLock({ $0.isOpen }) {
            if Task.isCancelled {
                state.withLock { $0.cancelled.append(key) }
                return .failure(RenditionError(.cancelled, "cancelled; try again"))
            }
            Thread.sleep(forTimeInterval: 0.001)
        }
        return .success(
            Rendition(bytes: [UInt8](repeating: 1, count: 10), width: 1, height: 1, specification: key.specification))
    }
}

@Suite struct `The queue of renditions` {
    private static func until(_ condition: @Sendable () -> Bool) async {
        while !condition() { await pause(for: .milliseconds(1)) }
    }

    private static func isCancelled(_ request: Task<Result<Rendition, any Error>, Never>) async -> Bool {
        if case .failure(let error) = await request.value { return error is CancellationError }
        return false
    }

    private static func key(_ number: Int) throws -> RenditionKey { try `The folder of renditions`.key(number) }

    private static func request(
        _ queue: RenderingQueue, _ key: RenditionKey
    ) -> Task<Result<Rendition, any Error>, Never> {
        Task(executorPreference: OwnThreads.shared) {
            do { return .success(try await queue.rendition(key)) } catch { return .failure(error) }
        }
    }

    @Test func `Equal requests are one`() async throws {
        try await within {
            let work = ObservedWork()
            let queue = RenderingQueue(width: 2) { work.run($0) }
            work.hold()
            let key = try Self.key(1)
            let tasks = (0..<50).map { _ in Self.request(queue, key) }
            await Self.until { work.started.count == 1 && queue.requestCount(for: key) == 50 }
            work.release()
            for task in tasks { #expect(try await task.value.get().bytes.count == 10) }
            #expect(work.started == [key])
            #expect(queue.counts == (0, 0))
            // Afterwards it is a new one.
            _ = try await queue.rendition(key)
            #expect(work.started.count == 2)
        }
    }

    @Test func `A canceled request ends at once, and its work only if nobody else waits`() async throws {
        try await within {
            let work = ObservedWork()
            let queue = RenderingQueue(width: 1) { work.run($0) }
            work.hold()
            let key = try Self.key(1)
            let first = Self.request(queue, key)
            await Self.until { work.started.count == 1 }
            let second = Self.request(queue, key)
            await Self.until { queue.requestCount(for: key) == 2 }
            first.cancel()
            #expect(await Self.isCancelled(first))
            #expect(work.cancelled.isEmpty)
            second.cancel()
            #expect(await Self.isCancelled(second))
            await Self.until { work.cancelled == [key] && queue.counts.running == 0 }
        }
    }

    @Test func `A second request while the work is being canceled gets the rendition`() async throws {
        try await within {
            for round in 0..<30 {
                let work = ObservedWork()
                let queue = RenderingQueue(width: 1) { work.run($0) }
                work.hold()
                let key = try Self.key(round)
                let first = Self.request(queue, key)
                await Self.until { work.started.count == 1 }
                first.cancel()
                let second = Self.request(queue, key)
                if round % 2 == 0 { await pause(for: .milliseconds(round / 5)) }
                work.release()
                #expect(try await second.value.get().bytes.count == 10)
                _ = await first.value
                await Self.until { queue.counts == (0, 0) }
            }
        }
    }

    @Test func `A request that is canceled before it begins ends too`() async throws {
        try await within {
            let queue = RenderingQueue(width: 1) { ObservedWork().run($0) }
            let key = try Self.key(1)
            let task = Task(executorPreference: OwnThreads.shared) { () -> Bool in
                while !Task.isCancelled { await Task.yield() }
                do {
                    _ = try await queue.rendition(key)
                    return false
                } catch {
                    return error is CancellationError
                }
            }
            task.cancel()
            #expect(await task.value)
            #expect(queue.counts == (0, 0))
        }
    }

    @Test func `The latest request comes first, then the earlier ones, then what is prefetched in order`() async throws
    {
        try await within {
            let work = ObservedWork()
            let queue = RenderingQueue(width: 1) { work.run($0) }
            work.hold()
            let keys = try (0..<7).map { try Self.key($0) }
            let blocking = Self.request(queue, keys[0])
            await Self.until { work.started.count == 1 }
            queue.prefetch([keys[1], keys[2], keys[3]])
            var tasks = [blocking]
            for number in [4, 5, 6] {
                tasks.append(Self.request(queue, keys[number]))
                await Self.until { queue.counts.waiting == number }
            }
            // 3 is asked for as well.
            tasks.append(Self.request(queue, keys[3]))
            await Self.until { queue.requestCount(for: keys[3]) == 1 }
            work.release()
            for task in tasks { _ = try await task.value.get() }
            await Self.until { queue.counts == (0, 0) }
            #expect(work.started == [0, 3, 6, 5, 4, 1, 2].map { keys[$0] })
        }
    }

    @Test func `A rendition that is no longer prefetched is canceled`() async throws {
        try await within {
            let work = ObservedWork()
            let queue = RenderingQueue(width: 2) { work.run($0) }
            work.hold()
            let keys = try (0..<10).map { try Self.key($0) }
            queue.prefetch(Array(keys[..<5]))
            await Self.until { work.started.count == 2 }
            queue.prefetch([keys[1], keys[7]])
            await Self.until { work.cancelled == [keys[0]] }
            await Self.until { work.started.contains(keys[7]) }
            work.release()
            await Self.until { queue.counts == (0, 0) }
            #expect(Set(work.started) == Set([0, 1, 7].map { keys[$0] }))
        }
    }
}
