/// A stored document: its ID and its content, which includes the ID.
public struct Document: Sendable, Hashable {
    /// The ID, unique within the collection.
    public let id: DocumentID
    /// The members, in the order in which they were stored.
    public let content: DocumentObject
    /// The sequence number of the commit that wrote the document; 0 within a transaction that has not been committed.
    public let sequence: UInt64

    package init(id: DocumentID, content: DocumentObject, sequence: UInt64 = 0) {
        self.id = id
        self.content = content
        self.sequence = sequence
    }

    /// The value at a path; `nil` if there is none.
    public subscript(path: FieldPath) -> DocumentValue? { path.value(in: content) }
}

extension Document {
    /// A condition on the stored document that a write requires.
    public enum WriteCondition: Sendable, Hashable {
        /// No condition.
        case none
        /// There is no document with that ID.
        case absent
        /// There is a document with that ID.
        case present
        /// There is a document with that ID, last written by this commit; see ``Document/sequence``.
        case sequence(UInt64)
    }
}
