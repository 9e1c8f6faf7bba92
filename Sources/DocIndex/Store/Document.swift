/// A document as it is stored: its id and its content, which holds the id as well.
public struct Document: Sendable, Hashable {
    /// What names the document within its collection.
    public let id: DocumentID
    /// The members, in the order in which they were written.
    public let content: DocumentObject

    /// The value at a path; `nil` if there is none.
    public subscript(path: FieldPath) -> DocumentValue? { path.value(in: content) }
}
