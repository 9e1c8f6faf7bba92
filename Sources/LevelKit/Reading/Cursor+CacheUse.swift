extension Cursor {
    /// The use of the cache by a cursor. Blocks that are in the cache are always read from there.
    public enum CacheUse: Sendable, Hashable {
        /// The blocks that are read from the disk are added to the cache.
        case fill
        /// The blocks that are read from the disk are not added to the cache, so that a long scan does not displace
        /// other blocks.
        case bypass
    }
}
