extension DocumentStore.Verification {
    /// A problem found by a check of a store, with its location as far as it is known.
    public struct Problem: Sendable, Hashable {
        /// The problem as a sentence that contains no document content except the ID.
        public let problem: String
        /// The name of the collection; `nil` if the problem concerns the whole store.
        public let collection: String?
        /// The name of the index in the collection; `nil` if no index is affected.
        public let index: String?
        /// The ID of the document; `nil` if it is unknown, or if no single document is affected.
        public let documentID: DocumentID?
        /// The row of the document; `nil` in the same cases as ``documentID``.
        public let row: UInt64?
        /// The stored key of the problem; for a missing record, the key that it would have. `nil` if no single key is
        /// affected. The key of an index entry contains values of documents.
        public let key: [UInt8]?
    }
}
