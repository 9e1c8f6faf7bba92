public import DocIndex
internal import Synchronization

extension RenditionStore {
    /// Prefetches the pictures around a position of a list: first those ahead in the direction of scrolling, which
    /// follows from the previous call, and for each picture the smaller renditions first.
    ///
    /// Each call replaces the previous one: pictures that were scrolled past are no longer prefetched. The visible
    /// pictures are kept in memory.
    ///
    /// - Parameters:
    ///   - index: the position that is shown.
    ///   - originals: the pictures in the order of the list.
    ///   - ahead: how many pictures ahead are prefetched.
    ///   - behind: the number of pictures to prefetch in the opposite direction.
    ///   - specification: the largest rendition that is prefetched.
    ///   - visible: the positions that are visible; `nil` for `index` alone.
    /// - Complexity: O(`ahead` + `behind`), however long the list is.
    public func prefetch(
        around index: Int, in originals: [Attachment], ahead: Int = 30, behind: Int = 5,
        upTo specification: RenditionSpecification = .preview, visible: Range<Int>? = nil
    ) {
        let positions = window.withLock {
            $0.move(to: index, of: originals.count, ahead: ahead, behind: behind)
        }
        let sizes = specifications.filter { $0.longEdge ?? .max <= specification.longEdge ?? .max }
        // Small renditions of all pictures are made sooner than large ones of the first.
        let keys = sizes.flatMap { size in positions.map { RenditionKey(originals[$0].digest, size) } }
        let shown = visible?.clamped(to: originals.indices) ?? positions.first.map { $0..<$0 + 1 } ?? 0..<0
        let visibleKeys = Set(shown.flatMap { position in sizes.map { RenditionKey(originals[position].digest, $0) } })
        for position in positions { maker.note(originals[position]) }
        cache.setWindow(visible: visibleKeys, prefetched: keys)
        queue.prefetch(keys.filter { !cache.contains($0) })
    }

    /// Stops prefetching, for example because the list is closed. What is visible may be dropped from memory.
    public func stopPrefetching() {
        cache.setWindow(visible: [], prefetched: [])
        queue.prefetch([])
    }
}
