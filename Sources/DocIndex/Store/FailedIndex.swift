extension DocumentStore {
    /// An index that could not be built; see ``DocumentStore/failedIndexes``.
    public struct FailedIndex: Sendable, Hashable {
        /// The collection.
        public let collection: String
        /// The index.
        public let index: String
        /// Why the build failed, and what to do.
        public let reason: String
    }
}
