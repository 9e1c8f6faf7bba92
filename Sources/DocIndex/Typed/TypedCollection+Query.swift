// MARK: - Queries

extension TypedCollection {
    /// Returns the values that satisfy a condition.
    ///
    /// ```swift
    /// let best = try photos.find("rating >= \(stars) and keywords has \(word)", sort: "-taken", limit: 20)
    /// let all = try photos.find()
    /// ```
    ///
    /// - Parameters:
    ///   - condition: the condition; interpolated values are bound, never read as notation.
    ///   - sort: fields separated by commas, with `-` before a field in descending order; see
    ///     ``Query/SortKey/parse(_:)``. `nil` for the order in which the values were first stored.
    ///   - limit: the maximum number of values; `nil` for all.
    /// - Throws: `DecodingError` if a document does not fit the type; the errors of
    ///   ``DocumentCollection/find(_:options:)``.
    /// - Complexity: that of the plan; see ``DocumentCollection/plan(_:options:)``.
    public func find(_ condition: FilterText = "", sort: String? = nil, limit: Int? = nil) throws -> [Value] {
        try find(Query(condition, sort: sort, limit: limit))
    }

    /// Returns the values that match a query.
    ///
    /// - Throws: the errors of ``find(_:sort:limit:)``.
    public func find(_ query: Query, options: Query.Options = Query.Options()) throws -> [Value] {
        var values: [Value] = []
        try forEach(matching: query, options: options) {
            values.append($0)
            return true
        }
        return values
    }

    /// Calls `body` with each value of the result, in order, until it returns `false`. All values come from one
    /// snapshot.
    ///
    /// - Returns: the plan that was used, and how much was read.
    /// - Throws: what `body` throws; the errors of ``find(_:sort:limit:)``.
    @discardableResult
    public func forEach(
        matching query: Query, options: Query.Options = Query.Options(), _ body: (Value) throws -> Bool
    ) throws -> Plan.Execution {
        try documents.forEach(matching: query, options: options) { try body(try value(of: $0)) }
    }

    /// Returns the first value that satisfies a condition; `nil` if there is none.
    public func first(_ condition: FilterText = "", sort: String? = nil) throws -> Value? {
        try find(condition, sort: sort, limit: 1).first
    }

    /// Returns the first value that matches a query; `nil` if there is none.
    public func first(_ query: Query, options: Query.Options = Query.Options()) throws -> Value? {
        var first: Value?
        try forEach(matching: query, options: options) {
            first = $0
            return false
        }
        return first
    }

    /// Returns the number of values that satisfy a condition.
    ///
    /// - Complexity: that of the plan. If an index answers the condition exactly, no documents are read.
    public func count(_ condition: FilterText) throws -> Int { try count(where: try Filter(condition)) }

    /// Returns the number of values that satisfy a condition; see ``count(_:)``.
    public func count(where filter: Filter, options: Query.Options = Query.Options()) throws -> Int {
        try documents.count(where: filter, options: options)
    }

    /// Returns the values at a path and the number of documents with each, the most frequent first; see
    /// ``DocumentCollection/facets(_:where:limit:options:)-(FieldPath,_,_,_)``.
    public func facets(
        _ path: FieldPath, _ condition: FilterText = "", limit: Int? = nil
    ) throws -> [DocumentCollection.Facet] {
        try documents.facets(path, where: try Filter(condition), limit: limit)
    }
}

// MARK: - Pages

extension TypedCollection {
    /// Some values of a result, and the position of the next ones.
    public struct Page {
        /// The values.
        public let values: [Value]
        /// The position of the next page; `nil` if there are no more values.
        public let next: DocumentCollection.Page.Token?
        /// How the values were found.
        public let execution: Plan.Execution
    }
}

extension TypedCollection.Page: Sendable where Value: Sendable {}

extension TypedCollection {
    /// Returns a page of the result. Its size is the limit of the query, or 100 without a limit.
    ///
    /// ```swift
    /// let newest = try Query("rating >= \(stars)", sort: "-taken", limit: 50)
    /// var page = try photos.page(newest)
    /// while let next = page.next { page = try photos.page(newest, after: next) }
    /// ```
    ///
    /// - Throws: `DecodingError` if a document does not fit the type; the errors of
    ///   ``DocumentCollection/page(_:after:options:)``, where paging is described.
    public func page(
        _ query: Query, after token: DocumentCollection.Page.Token? = nil, options: Query.Options = Query.Options()
    ) throws -> TypedCollection<Value>.Page {
        let page = try documents.page(query, after: token, options: options)
        return TypedCollection.Page(
            values: try page.documents.map(value(of:)), next: page.next, execution: page.execution)
    }
}

// MARK: - Text

extension TypedCollection {
    /// A value found by a search.
    public struct Hit {
        /// The value.
        public let value: Value
        /// The quality of the match; higher is better. Scores are comparable only within one search.
        public let score: Double
    }
}

extension TypedCollection.Hit: Sendable where Value: Sendable {}
extension TypedCollection.Hit: Equatable where Value: Equatable {}
extension TypedCollection.Hit: Hashable where Value: Hashable {}

extension TypedCollection {
    /// Returns the values whose text fields match, best first.
    ///
    /// - Parameters:
    ///   - text: the query; see ``TextQuery``.
    ///   - condition: an additional condition.
    ///   - limit: the maximum number of hits; `nil` for all.
    /// - Throws: `DecodingError` if a document does not fit the type; the errors of
    ///   ``DocumentCollection/search(_:where:limit:)-(String,_,_)``.
    public func search(
        _ text: String, where condition: FilterText = "", limit: Int? = 20
    ) throws -> [TypedCollection<Value>.Hit] {
        try search(try TextQuery(parsing: text), where: condition, limit: limit)
    }

    /// Returns the values that match a parsed query, best first; see ``search(_:where:limit:)-(String,_,_)``.
    public func search(
        _ query: TextQuery, where condition: FilterText = "", limit: Int? = 20
    ) throws -> [TypedCollection<Value>.Hit] {
        var hits: [TypedCollection<Value>.Hit] = []
        try documents.forEachHit(query, where: try Filter(condition), limit: limit) { hit in
            hits.append(TypedCollection.Hit(value: try value(of: hit.document), score: hit.score))
            return true
        }
        return hits
    }
}
