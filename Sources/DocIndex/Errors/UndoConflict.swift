extension DocIndexError {
    /// A document that has changed again since the commit to undo.
    public struct Conflict: Sendable, Hashable {
        /// The collection.
        public let collection: String
        /// The document.
        public let id: DocumentID
        /// The commit to undo.
        public let commit: UInt64
        /// The last commit that changed the document.
        public let laterCommit: UInt64
    }
}
