extension TextQuery {
    /// The number of documents that match a search, or a lower bound of it.
    public struct Total: Sendable, Hashable {
        /// The number of documents counted.
        public let count: Int
        /// Whether `count` is the total. Otherwise there are more matches.
        public let isExact: Bool
    }
}
