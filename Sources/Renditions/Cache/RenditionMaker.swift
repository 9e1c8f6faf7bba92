internal import DocIndex
internal import LevelKit
internal import Pictures
internal import Synchronization

/// Reads renditions from the disk, or makes them from the originals and stores them.
final class RenditionMaker: Sendable {
    let folder: RenditionFolder
    private let store: DocumentStore
    private let renderers: RendererChain
    /// The reasons why some have no rendition, so that broken pictures are not tried again and again.
    private let problems = Mutex(CostLimitedCache<RenditionKey, RenditionError>(costLimit: 4096))
    /// The references to originals, which state their sizes.
    private let originals = Mutex(CostLimitedCache<Attachment.Digest, Attachment>(costLimit: 65_536))

    init(of store: DocumentStore, _ renderers: RendererChain, _ options: RenditionStore.Options) {
        self.store = store
        self.renderers = renderers
        folder = RenditionFolder(of: store.path, mode: store.isReadOnly ? .readOnly : .readWrite) { specification in
            options.diskByteCount(specification)
        }
    }

    /// Remembers the reference to an original that is going to be requested.
    func note(_ original: Attachment) {
        originals.withLock { _ = $0.insert(original, for: original.digest, cost: 1) }
    }

    /// Returns a rendition or the reason why there is none. Blocks the thread.
    func outcome(_ key: RenditionKey) -> RenderingQueue.Outcome {
        if let stored = folder.rendition(key) ?? packaged(key) { return .success(stored) }
        if let problem = problems.withLock({ $0.value(for: key) }) { return .failure(problem) }
        do throws(RenditionError) {
            let rendition = try make(key)
            folder.store(rendition, key)
            return .success(rendition)
        } catch {
            // Others may succeed the next time.
            if [.damaged, .tooLarge, .unknownFormat].contains(error.code) {
                problems.withLock { _ = $0.insert(error, for: key, cost: 1) }
            }
            return .failure(error)
        }
    }

    /// Returns the rendition in the package that the store was opened from; `nil` if there is none, or if it is damaged.
    private func packaged(_ key: RenditionKey) -> Rendition? {
        guard let external = store.externalContents,
            let bytes = try? external.rendition(of: key.digest, named: key.specification.name),
            let header = JPEGHeader(bytes)
        else { return nil }
        return Rendition(bytes: bytes, width: header.width, height: header.height, specification: key.specification)
    }

    /// Forgets why renditions could not be made.
    func forgetProblems() { problems.withLock { $0.removeAll() } }

    private func make(_ key: RenditionKey) throws(RenditionError) -> Rendition {
        try RenditionError.checkCancellation()
        return try renderers.render(Picture(try original(key.digest)), as: key.specification)
    }

    private func original(_ digest: Attachment.Digest) throws(RenditionError) -> [UInt8] {
        do {
            guard let original = try originals.withLock({ $0.value(for: digest) }) ?? reference(digest) else {
                throw RenditionError(
                    .unreadable, "the original \(digest) is not stored; add it again, or restore a backup")
            }
            try requirePicture(original)
            let limit = renderers.limits.sourceByteCount
            guard original.byteCount <= limit else {
                throw RenditionError(
                    .tooLarge,
                    "the original \(digest) has \(original.byteCount) bytes, more than the limit of \(limit); raise it")
            }
            return try store.attachments.bytes(of: original)
        } catch let problem as RenditionError {
            throw problem
        } catch {
            let reason = (error as? DocIndexError)?.message ?? (error as? LevelError)?.message ?? "\(error)"
            throw RenditionError(.unreadable, "the original cannot be read: \(reason)")
        }
    }

    /// Throws if an attachment, such as a film, is not a picture. Its first bytes suffice.
    private func requirePicture(_ original: Attachment) throws {
        var beginning: [UInt8] = []
        let end = min(Int64(PictureFormat.signatureByteCount), original.byteCount)
        try store.attachments.read(original, in: 0..<end) { beginning += $0 }
        guard PictureFormat(of: beginning) != nil else { throw RenditionError.unknownFormat }
    }

    private func reference(_ digest: Attachment.Digest) throws -> Attachment? {
        try store.attachments.info(digest).flatMap {
            Attachment(digest: digest, byteCount: $0.byteCount, type: Attachment.unknownType)
        }
    }
}
