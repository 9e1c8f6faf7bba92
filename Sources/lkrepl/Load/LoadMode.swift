/// What becomes of a record whose key or id is there already.
enum LoadMode: String, NamedChoice {
    /// It takes the place of what is there.
    case upsert
    /// It is rejected.
    case insert
    /// What is there stays.
    case skip
    /// As `upsert`, after everything in the range or the collections of the input was removed.
    case replace
    /// It is merged into the document that is there (RFC 7396).
    case merge

    static let unknownName = "there is no mode"
}
