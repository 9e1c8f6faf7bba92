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

        package init(collection: String, id: DocumentID, commit: UInt64, laterCommit: UInt64) {
            self.collection = collection
            self.id = id
            self.commit = commit
            self.laterCommit = laterCommit
        }
    }
}
