package import Dispatch

/// Runs calls that block their thread, away from the threads that tasks and actors share.
///
/// A call stays part of its task. It can thus see that the task was canceled, and the values of task-local variables.
package final class BlockingExecutor: TaskExecutor {
    /// Runs any number of reads at once.
    static let reads = BlockingExecutor("DocIndex.reads", attributes: .concurrent)

    private let queue: DispatchQueue

    /// - Parameter attributes: `.concurrent` to run several calls at once; otherwise they run one after another.
    package init(_ label: String, attributes: DispatchQueue.Attributes = []) {
        queue = DispatchQueue(label: label, attributes: attributes)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs `body` and waits for it without blocking a thread.
    ///
    /// - Throws: `CancellationError` if the task was canceled before `body` began; what `body` throws.
    @concurrent func run<R: Sendable>(_ body: @Sendable () throws -> R) async throws -> R {
        try await withTaskExecutorPreference(self) {
            try Task.checkCancellation()
            return try body()
        }
    }

    /// Runs `body` outside the task, so that `body` is not canceled with it, and waits without blocking a thread.
    func runEvenIfCancelled<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
