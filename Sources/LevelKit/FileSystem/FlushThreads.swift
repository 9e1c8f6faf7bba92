internal import Dispatch
internal import LevelFiles
internal import Synchronization

/// Threads that flush files to the disk at the same time.
///
/// A file system writes its journal once for all flushes that wait for it. One after another, each flush would wait for
/// a write of its own.
enum FlushThreads {
    /// One thread each, because a serial queue does not share its thread with a queue that is blocked.
    private static let queues = (0..<7).map { DispatchQueue(label: "LevelKit.flush.\($0)") }

    /// Calls `flush` with each number below `count`, up to eight at the same time, and waits for all calls.
    ///
    /// - Returns: for each call, the error that it threw.
    static func run(
        count: Int, _ flush: @escaping @Sendable (Int) throws(SystemError) -> Void
    ) -> [SystemError?] {
        let work = Work(count: count, flush: flush)
        let group = DispatchGroup()
        for queue in queues.prefix(max(0, count - 1)) { queue.async(group: group) { work.run() } }
        work.run()
        group.wait()
        return work.errors
    }

    private final class Work: Sendable {
        private let state: Mutex<(next: Int, errors: [SystemError?])>
        private let count: Int
        private let flush: @Sendable (Int) throws(SystemError) -> Void

        init(count: Int, flush: @escaping @Sendable (Int) throws(SystemError) -> Void) {
            state = Mutex((next: 0, errors: [SystemError?](repeating: nil, count: max(0, count))))
            self.count = count
            self.flush = flush
        }

        var errors: [SystemError?] { state.withLock { $0.errors } }

        func run() {
            while let index = next() {
                do throws(SystemError) {
                    try flush(index)
                } catch {
                    state.withLock { $0.errors[index] = error }
                }
            }
        }

        private func next() -> Int? {
            state.withLock { state in
                guard state.next < count else { return nil }
                state.next += 1
                return state.next - 1
            }
        }
    }
}
