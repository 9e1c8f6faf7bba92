import Dispatch
import Synchronization

/// Runs a command in a separate task, which ^C cancels.
///
/// DocIndex checks the cancellation of its task, commands of lkrepl check ``Interruption``. The caller's thread waits.
enum CommandTask {
    private final class Outcome: Sendable {
        let result = Mutex<Result<Void, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
    }

    /// Runs `body` and rethrows its error. Task-local values of the caller are inherited.
    static func run(_ body: @escaping @Sendable () throws -> Void) throws {
        let outcome = Outcome()
        let task = Task {
            let result = Result { try body() }
            outcome.result.withLock { $0 = result }
            outcome.isDone.signal()
        }
        Interruption.onRequest { task.cancel() }
        outcome.isDone.wait()
        Interruption.endCommand()
        try outcome.result.withLock { $0 }?.get()
    }

    /// Runs asynchronous work, and waits for it on the caller's thread. If the caller's task is cancelled, so is the work.
    static func wait<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
        let result = Mutex<Result<R, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let task = Task.detached {
            let outcome: Result<R, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
            isDone.signal()
        }
        while isDone.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
            if Task.isCancelled || Interruption.isRequested { task.cancel() }
        }
        guard let outcome = result.withLock({ $0 }) else { throw CancellationError() }
        return try outcome.get()
    }
}
