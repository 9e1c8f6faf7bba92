import DocIndex
import Inspector
import Renditions
import Synchronization

/// Thumbnails and previews for the pages of a server.
///
/// They are stored in the directory of the store only if the server has it open for writing, else kept in memory.
final class ServedPictures: Sendable {
    private struct State {
        let store: DocumentStore
        let renditions: RenditionStore
    }

    private let served: ServedSession
    private let state = Mutex<State?>(nil)

    init(_ served: ServedSession) { self.served = served }

    /// Returns a picture as a JPEG file; `nil` if it cannot be made.
    ///
    /// - Throws: `CancellationError`.
    func picture(of original: Attachment, _ size: ShownSize) async throws -> [UInt8]? {
        let renditions: RenditionStore
        do { renditions = try newest() } catch { return nil }
        do {
            return try await renditions.rendition(of: original, as: size.specification).bytes
        } catch is RenditionFault {
            try Task.checkCancellation()
            return nil
        }
    }

    /// The renditions of the store that is shown, which is another one after a commit of another process.
    private func newest() throws -> RenditionStore {
        let store = try served.current.store()
        return state.withLock { state in
            if let state, state.store === store { return state.renditions }
            let renditions = RenditionStore(of: store, specifications: ShownSize.allCases.map(\.specification))
            state = State(store: store, renditions: renditions)
            return renditions
        }
    }
}

extension ShownSize {
    /// The size and the compression, the same that `renditions make` makes.
    fileprivate var specification: RenditionSpecification {
        switch self {
        case .thumbnail: .thumbnail
        case .preview: .preview
        }
    }
}
