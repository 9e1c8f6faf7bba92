extension DocumentCollection {
    /// Some results of a query, and the position of the next ones.
    public struct Page: Sendable, Hashable {
        /// The results.
        public let documents: [Document]
        /// The position of the next page; `nil` if there are no more results.
        public let next: Page.Token?
        /// How the results were found.
        public let execution: Plan.Execution
    }
}

extension DocumentCollection {
    /// Returns a page of the result. Its size is the limit of the query, or 100 without a limit.
    ///
    /// ```swift
    /// var page = try photos.page(query)
    /// while let next = page.next {
    ///     page = try photos.page(query, after: next)
    /// }
    /// ```
    ///
    /// Each page reads a snapshot taken when it is requested. A page begins after the last result of the previous page,
    /// even if that document has moved or been deleted, so changes elsewhere in the order do not shift pages.
    ///
    /// - Parameters:
    ///   - query: The same query for all pages, except for its limit. The offset applies to the first page.
    ///   - token: The token of the previous page; `nil` for the first page.
    ///   - options: The hint, the limits and the progress of the query.
    /// - Throws: ``DocIndexError`` with `invalidQuery` for a token of another query, and the errors of
    ///   ``find(_:options:)``.
    /// - Complexity: If the plan finds results in order, O(log *n*) plus the cost of the page, wherever it begins, and in
    ///   descending order O(*k*) in the results with the first sort key; otherwise that of the whole query.
    public func page(
        _ query: Query, after token: Page.Token? = nil, options: Query.Options = Query.Options()
    ) throws -> Page {
        var documents: [Document] = []
        let (next, execution) = try runPage(query, after: token, options) { rows, row, record in
            documents.append(try rows.document(in: record, row: row))
        }
        return Page(documents: documents, next: next, execution: execution)
    }

    /// Runs the query of a page, and calls `body` with the reader, and the row and record of each of its documents.
    func runPage(
        _ query: Query, after token: Page.Token?, _ options: Query.Options,
        _ body: (RowReader, UInt64, borrowing RowRecord) throws -> Void
    ) throws -> (next: Page.Token?, execution: Plan.Execution) {
        let clock = ContinuousClock()
        let begin = clock.now
        try query.validate()
        var query = query
        let limit = query.limit ?? 100
        // One more result shows whether there is a next page.
        query.limit = limit == .max ? limit : limit + 1
        let content = try token?.content()
        if let content, content.query != query.fingerprint {
            throw DocIndexError(.invalidQuery, "the token belongs to another query; request the first page")
        }
        let (rows, plan) = try prepare(query, options, continuing: content?.plan)
        let executor = QueryExecutor(rows: rows, query: query, plan: plan, options: options, after: content?.position)
        var count = 0
        var position: [UInt8] = []
        var hasMore = false
        if limit > 0 {
            try executor.run { row, record in
                if count == limit {
                    hasMore = true
                    return false
                }
                count += 1
                if count == limit {
                    try rows.reading(row) {
                        try executor.positions.append(record.body, row: row, to: &position)
                    }
                }
                try body(rows, row, record)
                return true
            }
        }
        let next =
            hasMore
            ? Page.Token(
                .init(query: query.fingerprint, plan: content?.plan ?? plan.identity, position: position)) : nil
        return (
            next,
            Plan.Execution(
                plan: plan, keysExamined: executor.work.keysExamined,
                documentsExamined: executor.work.documentsExamined, resultCount: count,
                didSwitchAccess: executor.didSwitchAccess, duration: clock.now - begin)
        )
    }
}
