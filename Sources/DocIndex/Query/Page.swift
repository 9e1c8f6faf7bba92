internal import LevelKit

/// Some results of a query, and where the next ones begin.
public struct Page: Sendable, Hashable {
    /// The results.
    public let documents: [Document]
    /// Where the next page begins; `nil` if there are no more results.
    public let next: ContinuationToken?
    /// How they were found.
    public let explanation: Explanation
}

extension DocumentCollection {
    /// A page of the answer: as many results as the limit of the query says, or 100.
    ///
    /// ```swift
    /// var page = try photos.page(query)
    /// while let next = page.next {
    ///     page = try photos.page(query, after: next)
    /// }
    /// ```
    ///
    /// Each page is of the moment at which it is asked for. Results that come or go elsewhere in the order move nothing: a
    /// page begins behind the last result of the one before, wherever that stood, and even if it is gone.
    ///
    /// - Parameters:
    ///   - query: the same for all pages; the limit alone may differ. The offset counts for the first page.
    ///   - token: of the page before; `nil` for the first one.
    /// - Throws: ``DocIndexError``: `invalidQuery` for a token of another query; as ``find(_:options:)``.
    /// - Complexity: of a plan that finds results in order, O(log *n*) and what the page takes, wherever it begins; otherwise
    ///   that of the whole query.
    public func page(
        _ query: Query, after token: ContinuationToken? = nil, options: QueryOptions = QueryOptions()
    ) throws -> Page {
        let clock = ContinuousClock()
        let begin = clock.now
        try query.validate()
        var query = query
        let limit = query.limit ?? 100
        // One more shows whether there is a next page.
        query.limit = limit == .max ? limit : limit + 1
        let content = try token?.content()
        if let content, content.query != query.fingerprint {
            throw DocIndexError(.invalidQuery, "the token is of another query; ask for the first page")
        }
        let (rows, plan) = try prepare(query, options, continuing: content)
        let runner = QueryRunner(rows: rows, query: query, plan: plan, options: options, after: content?.position)
        var documents: [Document] = []
        var lastRow: UInt64 = 0
        var hasMore = false
        if limit > 0 {
            try runner.run { row, record, _, _ in
                if documents.count == limit {
                    hasMore = true
                    return false
                }
                lastRow = row
                documents.append(try RowReader.document(record: record, row: row, collection: rows.collection))
                return true
            }
        }
        let next = documents.last.flatMap { last in
            hasMore
                ? ContinuationToken(
                    .init(
                        query: query.fingerprint, plan: content?.plan ?? plan.identity,
                        position: runner.positions.bytes(of: last.content, row: lastRow))) : nil
        }
        return Page(
            documents: documents, next: next,
            explanation: Explanation(
                plan: plan, keysExamined: runner.work.keysExamined,
                documentsExamined: runner.work.documentsExamined, resultCount: documents.count,
                didLeaveWalk: runner.didLeaveWalk,
                duration: clock.now - begin))
    }

    /// What is read from, and the plan of the first page if there still is one like it.
    private func prepare(
        _ query: Query, _ options: QueryOptions, continuing content: ContinuationToken.Content?
    ) throws -> (RowReader, Plan) {
        guard let content, options.hint == nil else { return try prepare(query, options) }
        try query.validate()
        let rows = try reader(for: query.predicate)
        return (rows, try planner(rows, for: .documents).plan(query, continuing: content.plan))
    }
}
