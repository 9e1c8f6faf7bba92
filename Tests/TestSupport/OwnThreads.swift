internal import Foundation
internal import Synchronization

/// Threads separate from those that all tests share.
///
/// Tests run on as many threads as the machine has cores. Most tests hold their thread until they finish, so a test
/// that suspends may wait minutes behind a thousand others before it resumes. Tests of waiting and blocking run here
/// instead, where each job gets a thread immediately.
public final class OwnThreads: TaskExecutor {
    /// The shared instance.
    public static let shared = OwnThreads()

    /// Starts a thread for a job as soon as the job is runnable.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// An error stating that an operation missed its deadline. The operation keeps running.
public struct NotInTime: Error, CustomStringConvertible {
    /// The time limit.
    public let limit: Duration

    /// The message of the failed test.
    public var description: String { "has not ended within \(limit)" }
}

/// Runs `body` on separate threads, and fails if it does not finish within `limit`, whether it suspends or blocks its
/// thread.
///
/// The default limit only ends tests that hang. A test that suspends makes room for the next one, so without turns,
/// hundreds of bodies would run at once, and all would be slow. At most 16 run at a time, and the clock begins with the turn;
/// a body within another one needs no turn. Unlike with `.timeLimit`, a report that waits for a thread does not count,
/// and a body that blocks its thread fails too. A body that misses the deadline keeps running, and its result is
/// discarded.
///
/// - Throws: Any error that the body throws, or ``NotInTime``.
public func within<Value: Sendable>(
    _ limit: Duration = .seconds(600), _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    if BodyTurns.isHeld { return try await race(body, limit) }
    return try await withTaskExecutorPreference(OwnThreads.shared) {
        await BodyTurns.turns.take()
        defer { BodyTurns.turns.give() }
        return try await BodyTurns.$isHeld.withValue(true) { try await race(body, limit) }
    }
}

/// The turns of the bodies that ``within(_:_:)`` runs.
private enum BodyTurns {
    @TaskLocal static var isHeld = false
    static let turns = Turns(16)
}

private func race<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value, _ limit: Duration
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let race = Race(continuation)
        Task(executorPreference: OwnThreads.shared) {
            do {
                race.end(.success(try await body()))
            } catch {
                race.end(.failure(error))
            }
        }
        Thread.detachNewThread { race.end(after: limit) }
    }
}

/// Waits on the separate threads. `Task.sleep` would be resumed by the threads that all tests share.
public func pause(for duration: Duration) async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: duration / .seconds(1))
            continuation.resume()
        }
    }
}

/// A race between a body and a clock: the first to finish resumes the caller.
private final class Race<Value: Sendable>: Sendable {
    private let waiting: Mutex<CheckedContinuation<Value, any Error>?>
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ continuation: CheckedContinuation<Value, any Error>) {
        waiting = Mutex(continuation)
    }

    func end(_ result: Result<Value, any Error>) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        hasEnded.signal()
        continuation?.resume(with: result)
    }

    func end(after limit: Duration) {
        if hasEnded.wait(timeout: .now() + limit / .seconds(1)) == .timedOut { end(.failure(NotInTime(limit: limit))) }
    }
}
