/// One thing that a check of a store found wrong, and where, as far as that is known.
public struct VerificationFinding: Sendable, Hashable {
    /// What is wrong, a sentence that shows nothing of what is in a document but its id.
    public let problem: String
    /// The collection; `nil` for what belongs to the store as a whole.
    public let collection: String?
    /// The index of the collection; `nil` where none is concerned.
    public let index: String?
    /// The id of the document; `nil` where it is not known, or no single document is concerned.
    public let documentID: DocumentID?
    /// The row of the document; `nil` as for ``documentID``.
    public let row: UInt64?
    /// The stored key at which the problem is: of a record that is missing, the key that it would have. `nil` where no
    /// single key is to blame. A key of an index holds values of documents.
    public let key: [UInt8]?
}
