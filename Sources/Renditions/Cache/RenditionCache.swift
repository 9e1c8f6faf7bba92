internal import Synchronization

/// The renditions in memory, with a limit for each specification, so that previews cannot displace thumbnails.
///
/// Pictures that are visible are never dropped for others.
final class RenditionCache: Sendable {
    private struct State {
        var caches: [RenditionSpecification: CostLimitedCache<RenditionKey, Rendition>] = [:]
        var visible: Set<RenditionKey> = []
        /// What is being prefetched: the key, and how many pictures are more urgent.
        var window: [RenditionKey: Int] = [:]
    }

    private let limit: @Sendable (RenditionSpecification) -> Int
    private let state = Mutex(State())

    /// - Parameter limit: the maximum size of all renditions of a specification, in bytes.
    init(limit: @escaping @Sendable (RenditionSpecification) -> Int) { self.limit = limit }

    /// Returns a rendition, which becomes the most recently used one; `nil` if it is not in memory.
    func rendition(_ key: RenditionKey) -> Rendition? {
        state.withLock { $0.caches[key.specification]?.value(for: key) }
    }

    /// Returns whether a rendition is in memory, without using it.
    func contains(_ key: RenditionKey) -> Bool {
        state.withLock { $0.caches[key.specification]?.contains(key) ?? false }
    }

    /// Adds a rendition. A prefetched one does not displace more urgent ones of the same window.
    func insert(_ rendition: Rendition, _ key: RenditionKey) {
        let limit = limit(key.specification)
        state.withLock { state in
            var cache = state.caches.removeValue(forKey: key.specification) ?? CostLimitedCache(costLimit: limit)
            let urgency = state.window[key]
            let (visible, window) = (state.visible, state.window)
            _ = cache.insert(rendition, for: key, cost: rendition.bytes.count) { other in
                if visible.contains(other) { return true }
                guard let urgency, let otherUrgency = window[other] else { return false }
                return otherUrgency <= urgency
            }
            state.caches[key.specification] = cache
        }
    }

    /// Sets the visible pictures and the pictures to prefetch, the most urgent first.
    func setWindow(visible: Set<RenditionKey>, prefetched: [RenditionKey]) {
        state.withLock { state in
            state.visible = visible
            state.window = [:]
            for (index, key) in prefetched.enumerated() { state.window[key] = state.window[key] ?? index }
        }
    }

    /// Drops everything.
    func removeAll() { state.withLock { $0.caches = [:] } }

    /// The number of renditions, and their size in bytes.
    func totals(_ specification: RenditionSpecification) -> (count: Int, byteCount: Int) {
        state.withLock { ($0.caches[specification]?.count ?? 0, $0.caches[specification]?.cost ?? 0) }
    }
}
