internal import Foundation
internal import Synchronization

/// Threads apart from those that all tests share.
///
/// Tests run on as many threads as the machine has cores. Most of ours hold theirs until they are done, so whatever
/// suspends waits behind a thousand others before it goes on, for minutes. A test of who waits for whom runs here
/// instead: each job gets a thread at once.
public final class OwnThreads: TaskExecutor {
    /// The one there is.
    public static let shared = OwnThreads()

    /// Starts a thread for a job, as soon as that can go on.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// That something has not ended in time, and goes on where it is.
public struct NotInTime: Error, CustomStringConvertible {
    /// How long it had.
    public let limit: Duration

    /// What a failed test says.
    public var description: String { "has not ended within \(limit)" }
}

/// Runs `body` on threads of its own, and fails where it has not ended within `limit`, whether it waits in a task or holds
/// its thread.
///
/// Neither the clock nor the body waits for other tests, which is not so with `.timeLimit`: that may strike where a test
/// is done and only the report of it still waits for a thread, and it cannot end a test that holds its thread. A body
/// that has not ended goes on by itself, and what it says later is lost.
///
/// - Throws: What the body throws; ``NotInTime``.
public func within<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
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

/// Waits on the threads apart: `Task.sleep` is woken by those that all tests share.
public func pause(for duration: Duration) async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: duration / .seconds(1))
            continuation.resume()
        }
    }
}

/// A body and a clock: the first of them resumes who waits.
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
