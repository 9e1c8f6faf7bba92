/// What becomes of a record whose key or id is there already.
enum LoadMode: String, CaseIterable {
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

    init(named name: String) throws(CommandFailure) {
        guard let mode = LoadMode(rawValue: name) else {
            throw CommandFailure(
                .usage, "there is no mode \(name)",
                hint: "the modes are \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = mode
    }
}
