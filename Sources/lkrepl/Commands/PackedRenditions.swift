import DocIndex
import Renditions
import Synchronization

/// The renditions of a store for a package: stored ones, or made now.
final class PackedRenditions: Sendable {
    private let renditions: RenditionStore
    private let sizes: [RenditionSpecification]
    /// The renditions that were not stored: their originals, and the names of their sizes.
    private let made = Mutex<[String: Set<Attachment.Digest>]>([:])

    /// The number of renditions that were not stored.
    var madeCount: Int { made.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    init(of store: DocumentStore, _ sizes: [RenditionSpecification]) {
        var options = RenditionStore.Options()
        // Each is used once.
        options.smallMemoryByteCount = 0
        options.largeMemoryByteCount = 0
        renditions = RenditionStore(of: store, specifications: sizes, options: options)
        self.sizes = sizes
    }

    /// Closes the directory, so that the next command can open it.
    func close() { renditions.close() }

    /// Returns a rendition as a JPEG file; `nil` if there is none, because the attached file is not a picture or cannot
    /// be read.
    ///
    /// - Throws: ``CommandError`` after ^C.
    func bytes(of original: Attachment, named name: String) throws -> [UInt8]? {
        guard let size = sizes.first(where: { $0.name == name }) else { return nil }
        let renditions = renditions
        let isStored = renditions.isStored(original, as: size)
        do {
            let bytes = try CommandTask.wait { try await renditions.rendition(of: original, as: size).bytes }
            if !isStored { _ = made.withLock { $0[name, default: []].insert(original.digest) } }
            return bytes
        } catch let fault as RenditionError where fault.code != .cancelled {
            return nil
        } catch is CancellationError {
            throw Interruption.failure()
        }
    }
}
