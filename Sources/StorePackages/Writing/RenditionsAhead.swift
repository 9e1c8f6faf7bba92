internal import Dispatch
internal import DocIndex
internal import Pictures
internal import Synchronization

/// Renditions in the order of a package, read on a thread of its own and summed on others, while the ones before are
/// written.
///
/// A few are ready at a time, so memory does not depend on the size of the package.
final class RenditionsAhead: Sendable {
    typealias Rendering = @Sendable (Attachment, _ specification: String) throws -> [UInt8]?

    /// A rendition with the sums of its bytes.
    struct Summed: Sendable {
        let bytes: [UInt8]
        let sum: ContentSum
    }

    /// A rendition that is being summed, or an error.
    private final class Pending: Sendable {
        private let result = Mutex<Result<Summed?, any Error>>(.success(nil))
        private let isSummed = DispatchSemaphore(value: 0)

        func finish(_ result: Result<Summed?, any Error>) {
            self.result.withLock { $0 = result }
            isSummed.signal()
        }

        func wait() throws -> Summed? {
            isSummed.wait()
            return try result.withLock { $0 }.get()
        }
    }

    /// The maximum number of renditions that are read but not written.
    private static let limit = 4

    private let pending = Mutex<[Pending]>([])
    /// Counts the pending ones, and how many more there may be.
    private let filled = DispatchSemaphore(value: 0)
    private let free = DispatchSemaphore(value: 0)
    private let work = DispatchGroup()
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Starts with the renditions of the first attachment.
    ///
    /// - Parameters:
    ///   - attachments: the attachments in the order of the package.
    ///   - specifications: the names of the renditions of each.
    ///   - rendering: returns a rendition; `nil` if there is none.
    init(of attachments: [Attachment], as specifications: [String], _ rendering: @escaping Rendering) {
        // A semaphore must not be released with a smaller value than it was created with.
        for _ in 0..<Self.limit { free.signal() }
        work.enter()
        // The thread of this executor may block. A task has the caller's task-local values, and can be canceled.
        let reading = Task(executorPreference: BlockingExecutor("StorePackages.renditions")) {
            defer { self.work.leave() }
            for attachment in attachments {
                for specification in specifications {
                    self.free.wait()
                    if Task.isCancelled { return }
                    let next = Pending()
                    self.pending.withLock { $0.append(next) }
                    self.filled.signal()
                    let rendition = Result { try rendering(attachment, specification) }
                    DispatchQueue.global().async(group: self.work) {
                        next.finish(Result { try Self.summed(rendition.get(), attachment) })
                    }
                }
            }
        }
        task.withLock { $0 = reading }
    }

    /// Returns the next rendition; `nil` if there is none. Called once for each, in order.
    ///
    /// - Throws: what the rendering threw.
    func next() throws -> Summed? {
        filled.wait()
        defer { free.signal() }
        return try pending.withLock { $0.removeFirst() }.wait()
    }

    /// Ends the work, also if not all renditions were used, and waits until it has ended. The rendering is canceled.
    func stop() {
        task.withLock { $0 }?.cancel()
        free.signal()
        work.wait()
    }

    /// Returns a rendition with its sums.
    ///
    /// - Throws: ``PackageError`` for a rendition with EXIF, XMP, IPTC or a comment, in which a place could be.
    static func summed(_ bytes: [UInt8]?, _ original: Attachment) throws -> Summed? {
        guard let bytes else { return nil }
        guard bytes.starts(with: [0xff, 0xd8, 0xff]),
            !JPEGSegments(in: bytes).contains(where: { [0xe1, 0xed, 0xfe].contains($0.marker) })
        else {
            throw PackageError(
                .invalidOptions,
                "the rendition of \(original.digest) is not a JPEG file without metadata; make it again")
        }
        var sum = ContentSum()
        sum.add(bytes)
        return Summed(bytes: bytes, sum: sum)
    }
}
