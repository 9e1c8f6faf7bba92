public import DocIndex
internal import LevelKit
internal import Synchronization

/// The renditions of the pictures in a store: made when they are needed, and kept in memory and in the directory
/// `renditions` of the store.
///
/// ```swift
/// let renditions = RenditionStore(of: store)
/// for try await image in renditions.images(of: original, upTo: .preview) { show(image) }
/// ```
///
/// The directory may be deleted at any time, and copies and dumps of the store do not contain it. A store that is open
/// for reading only, and a process that does not hold the directory because another one does, make renditions without
/// storing them.
public final class RenditionStore: Sendable {
    /// The limits on the renditions kept and on those made concurrently.
    public struct Options: Sendable, Hashable {
        /// The maximum size, in bytes, of the renditions in memory for one specification up to ``smallEdge``.
        public var smallMemoryByteCount = 32 << 20
        /// The same for larger ones.
        public var largeMemoryByteCount = 128 << 20
        /// The maximum size, in bytes, of the renditions on disk for one specification up to ``smallEdge``.
        public var smallDiskByteCount: Int64 = 1 << 30
        /// The same for larger ones.
        public var largeDiskByteCount: Int64 = 8 << 30
        /// The maximum number of renditions made concurrently.
        public var width = 2
        /// The maximum long edge, in pixels, of specifications that count as small.
        public static let smallEdge = 512

        /// The usual options.
        public init() {}

        func memoryByteCount(_ specification: RenditionSpecification) -> Int {
            isSmall(specification) ? smallMemoryByteCount : largeMemoryByteCount
        }

        func diskByteCount(_ specification: RenditionSpecification) -> Int64 {
            isSmall(specification) ? smallDiskByteCount : largeDiskByteCount
        }

        private func isSmall(_ specification: RenditionSpecification) -> Bool {
            specification.longEdge.map { $0 <= Self.smallEdge } ?? false
        }
    }

    /// The specifications, the smallest first.
    public let specifications: [RenditionSpecification]
    let maker: RenditionMaker
    let cache: RenditionCache
    let queue: RenderingQueue
    let window = Mutex(PrefetchWindow())

    /// Creates the renditions of a store. Opens and creates nothing yet.
    ///
    /// - Parameters:
    ///   - store: the store. Its attachments are the originals.
    ///   - specifications: which renditions ``images(of:upTo:)`` returns.
    ///   - renderers: what makes them.
    ///   - options: how much is kept.
    public init(
        of store: DocumentStore, specifications: [RenditionSpecification] = [.thumbnail, .preview, .full],
        renderers: RendererChain = RendererChain(), options: Options = Options()
    ) {
        self.specifications = specifications.sorted { $0.longEdge ?? .max < $1.longEdge ?? .max }
        let cache = RenditionCache { options.memoryByteCount($0) }
        let maker = RenditionMaker(of: store, renderers, options)
        self.maker = maker
        self.cache = cache
        queue = RenderingQueue(width: options.width) { key in
            let outcome = maker.outcome(key)
            if case .success(let rendition) = outcome { cache.insert(rendition, key) }
            return outcome
        }
    }

    /// Returns a rendition in memory at once; `nil` if it is not there.
    public func cachedRendition(of original: Attachment, as specification: RenditionSpecification) -> Rendition? {
        cache.rendition(RenditionKey(original.digest, specification))
    }

    /// Returns a rendition: from memory, from the disk, or made now. Equal requests at the same time are one.
    ///
    /// - Throws: ``RenditionError``, to be shown as a placeholder; `CancellationError` if the task is canceled.
    public func rendition(
        of original: Attachment, as specification: RenditionSpecification
    ) async throws -> Rendition {
        try Task.checkCancellation()
        let key = RenditionKey(original.digest, specification)
        if let cached = cache.rendition(key) { return cached }
        maker.note(original)
        return try await queue.rendition(key)
    }

    /// Drops all renditions in memory. Call it when the system runs low on memory.
    public func purge() { cache.removeAll() }

    /// Deletes the directory `renditions`, and drops what is in memory. Does nothing if the store is open for reading
    /// only.
    public func removeAll() {
        maker.folder.removeAll()
        maker.forgetProblems()
        cache.removeAll()
    }

    /// Deletes from the disk the renditions of all other originals, such as those of deleted pictures. What is in memory
    /// stays. Does nothing if the store is open for reading only.
    ///
    /// - Returns: the number of deleted renditions.
    /// - Complexity: O(n) in the number of renditions on the disk.
    @discardableResult
    public func removeAll(except originals: Set<Attachment.Digest>) -> Int {
        maker.folder.removeAll(except: originals)
    }

    /// The number of renditions that were deleted from the disk since this object exists, because they exceeded
    /// ``Options/smallDiskByteCount`` or ``Options/largeDiskByteCount``.
    public var evictedCount: Int { maker.folder.evictedCount.load(ordering: .relaxed) }

    /// Closes the database of the directory. It is opened again when it is needed.
    public func close() { maker.folder.close() }
}

extension RenditionStore {
    /// The renditions on the disk of a specification.
    public struct Totals: Sendable, Hashable {
        /// The name of the specification.
        public let name: String
        /// The number of renditions.
        public let count: Int
        /// Their size in bytes.
        public let byteCount: Int64
    }

    /// Returns what is on the disk, sorted by name. Empty if there is nothing, or if the directory is damaged.
    public func totals() -> [Totals] {
        maker.folder.totals().map {
            Totals(name: $0.name, count: Int(clamping: $0.totals.count), byteCount: $0.totals.byteCount)
        }
    }

    /// Returns whether a rendition is on the disk.
    public func isStored(_ original: Attachment, as specification: RenditionSpecification) -> Bool {
        maker.folder.contains(RenditionKey(original.digest, specification))
    }
}
