internal import Synchronization

/// Makes a limited number of renditions at a time. Equal requests share one job. Requests with a waiting caller come
/// first, the latest before earlier ones, because its picture is still visible; then what is prefetched, in order.
///
/// A job that no caller waits for any longer is canceled, down to the decoder or the other program, unless it is
/// prefetched.
final class RenderingQueue: Sendable {
    typealias Outcome = Result<Rendition, RenditionError>

    private struct Job {
        var waiters: [UInt64: CheckedContinuation<Rendition, any Error>] = [:]
        /// The number of its latest request; rises with each request.
        var request: UInt64 = 0
        /// The position among what is prefetched; `nil` if it is not.
        var prefetchIndex: Int?
        /// The running task; `nil` while the job waits for its turn.
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private struct State {
        var jobs: [RenditionKey: Job] = [:]
        var runningCount = 0
        var lastNumber: UInt64 = 0
        /// Requests that do not wait yet, and whether they were canceled in the meantime.
        var isCancelledEarly: [UInt64: Bool] = [:]
    }

    private let width: Int
    private let work: @Sendable (RenditionKey) -> Outcome
    private let state = Mutex(State())

    /// - Parameters:
    ///   - width: the number of jobs that run at the same time.
    ///   - work: makes a rendition; called on a thread that may block, in a task that may be canceled.
    init(width: Int, _ work: @escaping @Sendable (RenditionKey) -> Outcome) {
        self.width = max(1, width)
        self.work = work
    }

    /// Waits for a rendition.
    ///
    /// - Throws: ``RenditionError``; `CancellationError` as soon as the task is canceled.
    func rendition(_ key: RenditionKey) async throws -> Rendition {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.isCancelledEarly[state.lastNumber] = false
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(continuation, number, key)
            }
        } onCancel: {
            cancel(number, key)
        }
    }

    /// Replaces the list of renditions to prefetch, the most urgent first. Jobs that are no longer in the list, and
    /// that no caller waits for, are canceled.
    func prefetch(_ keys: [RenditionKey]) {
        state.withLock { state in
            for key in Array(state.jobs.keys) { state.jobs[key]?.prefetchIndex = nil }
            for (index, key) in keys.enumerated() {
                var job = state.jobs[key] ?? Job()
                job.prefetchIndex = job.prefetchIndex ?? index
                state.jobs[key] = job
            }
            for key in Array(state.jobs.keys) { Self.cancelIfUnwanted(key, &state) }
            startJobs(&state)
        }
    }

    /// The numbers of running and of waiting jobs.
    var counts: (running: Int, waiting: Int) {
        state.withLock { state in (state.runningCount, state.jobs.values.count { $0.task == nil }) }
    }

    /// The number of requests that wait for a rendition.
    func requestCount(for key: RenditionKey) -> Int { state.withLock { $0.jobs[key]?.waiters.count ?? 0 } }

    // MARK: - Requests

    private func add(_ continuation: CheckedContinuation<Rendition, any Error>, _ number: UInt64, _ key: RenditionKey) {
        let isCancelled = state.withLock { state in
            if state.isCancelledEarly.removeValue(forKey: number) == true { return true }
            var job = state.jobs[key] ?? Job()
            job.waiters[number] = continuation
            job.request = number
            state.jobs[key] = job
            startJobs(&state)
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
    }

    private func cancel(_ number: UInt64, _ key: RenditionKey) {
        let continuation = state.withLock { state in
            guard let continuation = state.jobs[key]?.waiters.removeValue(forKey: number) else {
                // It does not wait yet, or has its result already.
                if state.isCancelledEarly[number] != nil { state.isCancelledEarly[number] = true }
                return nil as CheckedContinuation<Rendition, any Error>?
            }
            Self.cancelIfUnwanted(key, &state)
            startJobs(&state)
            return continuation
        }
        continuation?.resume(throwing: CancellationError())
    }

    private static func cancelIfUnwanted(_ key: RenditionKey, _ state: inout State) {
        guard let job = state.jobs[key], job.waiters.isEmpty, job.prefetchIndex == nil else { return }
        if let task = job.task {
            state.jobs[key]?.isCancelled = true
            task.cancel()
        } else {
            state.jobs[key] = nil
        }
    }

    // MARK: - Jobs

    private func startJobs(_ state: inout State) {
        while state.runningCount < width, let key = Self.next(state) {
            state.runningCount += 1
            state.jobs[key]?.isCancelled = false
            state.jobs[key]?.task = Task(executorPreference: RenderingThreads.shared) { [self] in
                finish(key, work(key))
            }
        }
    }

    /// The most urgent job that waits for its turn.
    private static func next(_ state: State) -> RenditionKey? {
        let waiting = state.jobs.lazy.filter { $0.value.task == nil }
        let wanted = waiting.filter { !$0.value.waiters.isEmpty }
        if let latest = wanted.max(by: { $0.value.request < $1.value.request }) { return latest.key }
        return waiting.min { $0.value.prefetchIndex ?? .max < $1.value.prefetchIndex ?? .max }?.key
    }

    private func finish(_ key: RenditionKey, _ outcome: Outcome) {
        let waiters = state.withLock { state in
            state.runningCount -= 1
            defer { startJobs(&state) }
            guard let job = state.jobs[key] else { return [] as [CheckedContinuation<Rendition, any Error>] }
            if job.isCancelled, !job.waiters.isEmpty || job.prefetchIndex != nil, Self.isCancellation(outcome) {
                // Somebody asked again after it was canceled.
                state.jobs[key]?.task = nil
                return []
            }
            state.jobs[key] = nil
            return Array(job.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: outcome.mapError { $0 as any Error }) }
    }

    private static func isCancellation(_ outcome: Outcome) -> Bool {
        if case .failure(let problem) = outcome { return problem.code == .cancelled }
        return false
    }
}
