internal import Dispatch

/// Threads for calls that block: reading files, decoding, waiting for other programs. A call stays part of its task, so
/// that it sees when the task is canceled.
final class RenderingThreads: TaskExecutor {
    static let shared = RenderingThreads()

    private let queue = DispatchQueue(label: "Renditions.rendering", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
