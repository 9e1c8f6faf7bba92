/// A document as it is stored: its id and its content, which holds the id as well.
public struct Document: Sendable, Hashable {
    /// What names the document within its collection.
    public let id: DocumentID
    /// The members, in the order in which they were written.
    public let content: DocumentObject
    /// The sequence number of the commit that wrote it; 0 within a transaction that has not been committed.
    public let sequence: UInt64

    init(id: DocumentID, content: DocumentObject, sequence: UInt64 = 0) {
        self.id = id
        self.content = content
        self.sequence = sequence
    }

    /// The value at a path; `nil` if there is none.
    public subscript(path: FieldPath) -> DocumentValue? { path.value(in: content) }
}

/// What must hold of a stored document for a write to take place.
public enum WriteCondition: Sendable, Hashable {
    /// Nothing.
    case none
    /// There is no document of that id.
    case absent
    /// There is one.
    case present
    /// There is one, and it is still the one that this commit wrote; see ``Document/sequence``.
    case sequence(UInt64)
}
