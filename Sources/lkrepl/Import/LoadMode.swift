/// How to handle a record whose key or ID already exists.
enum LoadMode: String, NamedChoice {
    /// Replace the existing record.
    case upsert
    /// Reject the new record.
    case insert
    /// Keep the existing record.
    case skip
    /// Like `upsert`, after removing everything in the range or the collections of the input.
    case replace
    /// Merge the record into the existing document (RFC 7396).
    case merge

    static let unknownName = "unknown mode"
}
