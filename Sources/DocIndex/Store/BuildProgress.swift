extension DocumentStore {
    /// The progress of an index build.
    public struct BuildProgress: Sendable, Hashable {
        /// The collection.
        public let collection: String
        /// The indexes that are built in this pass.
        public let indexes: [String]
        /// The last row processed. Rows number documents in the order in which they were first stored; the rows of deleted
        /// documents are not reused.
        public let row: UInt64
        /// The last row of the collection. It grows while other threads write.
        public let lastRow: UInt64

        /// The completed fraction, from 0 to 1.
        public var fraction: Double { lastRow == 0 ? 1 : Double(row) / Double(lastRow) }
    }
}
