/// What is asked of a collection: which documents, in which order, how many.
///
/// ```swift
/// let query = Query(try Predicate(parsing: "rating >= 4 and keywords has sea"), sort: [.descending("taken")], limit: 20)
/// ```
///
/// A query says nothing of how it is answered; see ``Plan``. Its answer does not depend on the indexes there are.
public struct Query: Sendable, Hashable {
    /// One key of the order of results.
    public struct SortKey: Sendable, Hashable {
        /// The field.
        public var path: FieldPath
        /// Whether larger values come first.
        public var isDescending: Bool

        /// An order by a field.
        public init(_ path: FieldPath, isDescending: Bool = false) {
            self.path = path
            self.isDescending = isDescending
        }

        /// Smaller values first: missing, `null`, `false`, `true`, numbers, texts.
        public static func ascending(_ path: FieldPath) -> SortKey { SortKey(path) }
        /// Larger values first.
        public static func descending(_ path: FieldPath) -> SortKey { SortKey(path, isDescending: true) }
    }

    /// Which documents.
    public var predicate: Predicate
    /// In which order. Equal documents, and all where there is no key, come in the order of their ids.
    public var sort: [SortKey]
    /// How many at most; `nil` for all.
    public var limit: Int?
    /// How many are left out at the beginning.
    public var offset: Int

    /// A query.
    public init(_ predicate: Predicate = .all, sort: [SortKey] = [], limit: Int? = nil, offset: Int = 0) {
        self.predicate = predicate
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }

    func validate() throws {
        if let limit, limit < 0 {
            throw DocIndexError(.invalidQuery, "the limit is \(limit); give 0 or more")
        }
        guard offset >= 0 else { throw DocIndexError(.invalidQuery, "the offset is \(offset); give 0 or more") }
        for key in sort where key.path.hasArrayStep {
            throw DocIndexError(
                .invalidQuery, "cannot sort by \(key.path): a document has several values there; name one field")
        }
    }
}

extension Query.SortKey {
    /// Sort keys in the notation of the shell: fields with commas between them, `-` before one that is descending.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`.
    public static func parse(_ text: String) throws -> [Query.SortKey] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let isDescending = part.hasPrefix("-")
            do {
                return Query.SortKey(
                    try FieldPath(parsing: String(isDescending ? part.dropFirst() : part)), isDescending: isDescending)
            } catch {
                throw DocIndexError(.invalidQuery, "cannot sort by \(part): \(error)")
            }
        }
    }
}
