internal import Dispatch
internal import Synchronization

/// Stores received attachments, all that wait at once.
///
/// A flush of a file waits for the disk. While one group is flushed, the next attachments arrive, and then share their
/// flushes.
package final class ContentQueue: Sendable {
    private struct Request {
        let contents: [NewContent]
        let continuation: CheckedContinuation<Result<[Attachment], any Error>, Never>
    }

    private struct State {
        var waiting: [Request] = []
        var isRunning = false
    }

    /// The store.
    package let store: DocumentStore
    private let state = Mutex(State())
    /// A thread of its own, because it blocks while others work.
    private let thread = DispatchQueue(label: "DocIndex.contents")

    /// Creates a queue that begins to work with the first content.
    package init(of store: DocumentStore) { self.store = store }

    /// Stores attachments.
    ///
    /// Files are on the disk when this returns; see ``DocumentStore/Attachments/add(_:type:name:)``. A call that has
    /// begun is completed even if the task is canceled.
    ///
    /// - Returns: the references, in the order of the attachments.
    /// - Throws: `CancellationError` if the task was canceled before; `DocIndexError` with `corruption`; `LevelError`.
    package func add(_ contents: [NewContent]) async throws -> [Attachment] {
        try Task.checkCancellation()
        if contents.isEmpty { return [] }
        return try await withCheckedContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting.append(Request(contents: contents, continuation: continuation))
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if begins { thread.async { self.run() } }
        }.get()
    }

    private func run() {
        while true {
            let group = state.withLock { state in
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.isRunning = false }
                return state.waiting
            }
            if group.isEmpty { return }
            var results = ContentGroup(store: store, contents: group.flatMap(\.contents)).results()[...]
            for request in group {
                let own = results.prefix(request.contents.count)
                results = results.dropFirst(request.contents.count)
                request.continuation.resume(returning: Result { try own.map { try $0.get() } })
            }
        }
    }
}
