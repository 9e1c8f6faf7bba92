import DocIndex
import Inspector
import Renditions
import Synchronization

/// Thumbnails and previews for the pages of a server.
///
/// They are stored in the directory of the store only if the server has it open for writing, else kept in memory.
final class ServedPictures: Sendable {
    /// How long pictures in memory are kept although another process has written the store. They do not change, but the
    /// files of the state in which they were read are kept with them.
    private static let interval = Duration.seconds(30)

    private struct State {
        let store: DocumentStore
        let renditions: RenditionStore
        let beginning = ContinuousClock.now
    }

    private let served: ServedSession
    private let state = Mutex<State?>(nil)

    init(_ served: ServedSession) { self.served = served }

    /// Returns a picture as a JPEG file; `nil` if it cannot be made.
    ///
    /// - Throws: `CancellationError`.
    func picture(of original: Attachment, _ size: ShownSize) async throws -> [UInt8]? {
        guard let known = renditions(after: nil) else { return nil }
        do {
            return try await known.rendition(of: original, as: size.specification).bytes
        } catch let fault as RenditionError {
            try Task.checkCancellation()
            // A new original is in a newer state.
            guard fault.code == .unreadable, let newer = renditions(after: known), newer !== known else { return nil }
            do {
                return try await newer.rendition(of: original, as: size.specification).bytes
            } catch is RenditionError {
                return nil
            }
        }
    }

    /// The renditions of the store that is shown, which is another one after a commit of another process; `nil` if it
    /// cannot be read.
    ///
    /// - Parameter old: those that lack something, so that newer ones are needed at once.
    private func renditions(after old: RenditionStore?) -> RenditionStore? {
        guard let store = try? served.current.store() else { return nil }
        return state.withLock { state in
            if let state {
                let isYoung = ContinuousClock.now - state.beginning < Self.interval
                if state.store === store || isYoung && state.renditions !== old { return state.renditions }
            }
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
