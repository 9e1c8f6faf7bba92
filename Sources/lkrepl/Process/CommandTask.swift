import Dispatch
import Synchronization

/// Runs a command in a separate task, which ^C cancels.
///
/// DocIndex checks the cancellation of its task, commands of lkrepl check ``Interruption``. The task runs on the
/// caller's thread: starting another one would take longer than many commands.
enum CommandTask {
    /// Runs the jobs of a task on the thread that calls ``run(until:)``.
    private final class CallersThread: TaskExecutor {
        private let jobs = Mutex<[UnownedJob]>([])
        private let hasJob = DispatchSemaphore(value: 0)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobs.withLock { $0.append(job) }
            hasJob.signal()
        }

        /// Runs jobs until `isDone` is true after one of them.
        func run(until isDone: () -> Bool) {
            while !isDone() {
                hasJob.wait()
                let job = jobs.withLock { $0.removeFirst() }
                unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
    }

    /// Runs `body` and rethrows its error. Task-local values of the caller are inherited.
    static func run(_ body: @escaping @Sendable () throws -> Void) throws {
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let thread = CallersThread()
        let task = Task(executorPreference: thread) {
            let result = Result { try body() }
            outcome.withLock { $0 = result }
        }
        Interruption.onRequest { task.cancel() }
        thread.run { outcome.withLock { $0 != nil } }
        Interruption.endCommand()
        try outcome.withLock { $0 }?.get()
    }

    /// Runs asynchronous work, and waits for it on the caller's thread. If the caller's task is canceled, so is the work.
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
