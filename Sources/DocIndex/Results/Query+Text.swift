extension Query {
    /// Creates a query from a condition and a sort order as text.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position.
    public init(_ condition: FilterText, sort: String? = nil, limit: Int? = nil) throws {
        self.init(try Filter(condition), sort: try sort.map(SortKey.parse) ?? [], limit: limit)
    }

    /// Creates a query of all documents from a sort order as text; see ``SortKey/parse(_:)``.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`.
    public init(sort: String, limit: Int? = nil) throws { self.init(sort: try SortKey.parse(sort), limit: limit) }
}

extension DocumentCollection {
    /// Returns the documents that satisfy a condition. Values interpolated into the literal are bound, never
    /// parsed.
    ///
    /// - Parameters:
    ///   - condition: the condition.
    ///   - sort: fields separated by commas, with `-` before a field in descending order.
    ///   - limit: the maximum number of documents; `nil` for all.
    public func find(_ condition: FilterText, sort: String? = nil, limit: Int? = nil) throws -> [Document] {
        try find(Query(condition, sort: sort, limit: limit))
    }
}
