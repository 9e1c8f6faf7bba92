internal import LevelKit

/// Text searches.
extension DocumentCollection {
    /// A document found by a search.
    public struct Hit: Sendable, Hashable {
        /// The document.
        public let document: Document
        /// The quality of the match; higher is better. Scores are comparable only within one search.
        public let score: Double
    }

    /// Returns the documents whose text fields match, best first.
    ///
    /// - Parameters:
    ///   - text: the query; see ``TextQuery``.
    ///   - filter: an additional condition.
    ///   - limit: the maximum number of results; `nil` for all.
    /// - Throws: ``DocIndexError``: `unknownIndex` if the collection has no text index, `invalidQuery`;
    ///   `CancellationError` if the task is canceled.
    /// - Complexity: reads the postings that can be among the best. With a condition, it also reads the candidate
    ///   documents, or the entries of indexes that answer the condition.
    public func search(
        _ text: String, where filter: Filter = .all, limit: Int? = 20
    ) throws -> [Hit] {
        try search(try TextQuery(parsing: text), where: filter, limit: limit)
    }

    /// Returns the documents that match a parsed query, best first. Documents with equal scores are in the order in
    /// which they were first stored.
    ///
    /// - Complexity: reads the postings that can be among the best. With a condition, it also reads the candidate
    ///   documents, or the entries of indexes that answer the condition.
    public func search(_ query: TextQuery, where filter: Filter = .all, limit: Int? = 20) throws -> [Hit] {
        var hits: [Hit] = []
        try forEachHit(query, where: filter, limit: limit) {
            hits.append($0)
            return true
        }
        return hits
    }

    /// Returns the documents that a search box finds, best first: those with all words, then those with most, then
    /// those with any.
    ///
    /// - Complexity: as ``search(_:where:limit:)-(TextQuery,_,_)``.
    public func search(_ box: SearchBox, where filter: Filter = .all, limit: Int? = 20) throws -> [Hit] {
        try search(.searchBox(box), where: filter, limit: limit)
    }

    /// Reads what a user typed into a search box. Names before a colon are fields only if the text index has them.
    ///
    /// - Parameters:
    ///   - text: the input.
    ///   - isTyping: whether the user is still typing the last word.
    public func searchBox(_ text: String, isTyping: Bool = false) -> SearchBox {
        let fields = definition.indexes.first { $0.kind == .text }?.fields.map(\.description) ?? []
        let names = fields.flatMap { path -> [String] in
            let last = path.split(separator: ".").last.map(String.init) ?? path
            return [path, last, last.hasSuffix("[]") ? String(last.dropLast(2)) : last]
        }
        return SearchBox(text, fields: names, isTyping: isTyping)
    }

    /// Calls `body` with each hit of a search, best first, until it returns `false`.
    ///
    /// The hits are ranked before the first call. Each document is read just before its call, so the documents are
    /// never all in memory.
    ///
    /// - Throws: what `body` throws; the errors of ``search(_:where:limit:)-(TextQuery,_,_)``.
    public func forEachHit(
        _ query: TextQuery, where filter: Filter = .all, limit: Int? = 20, options: Query.Options = Query.Options(),
        _ body: (Hit) throws -> Bool
    ) throws {
        try filter.validate()
        if !filter.isAll, filter.searches.isEmpty {
            let wanted = Query(Self.both(query, filter), sort: [.bestFirst], limit: limit)
            let (rows, plan) = try prepare(wanted, options)
            let executor = QueryExecutor(rows: rows, query: wanted, plan: plan, options: options)
            return try executor.run { row, record in
                let document = try rows.document(in: record, row: row)
                let score = Double(executor.searches?.score(of: row) ?? 0) / BM25.unit
                return try body(Hit(document: document, score: score))
            }
        }
        let rows = try reader()
        let filter =
            filter == .all
            ? nil
            : { (row: UInt64) throws in
                try CancellationCheck.now()
                return try filter.matchesBounded(try rows.document(row).content)
            }
        let hits = try textSearch(in: rows).top(query, limit: limit, filter: filter)
        var cancellation = CancellationCheck()
        for hit in hits {
            try cancellation.step()
            guard try body(Hit(document: try rows.document(hit.row), score: Double(hit.score) / BM25.unit)) else {
                return
            }
        }
    }

    private static func both(_ query: TextQuery, _ filter: Filter) -> Filter {
        // It is the only search of the query, so it needs no text to be distinguished from others.
        .and([.search(Filter.Search(query, text: "")), filter])
    }

    /// Returns what ``search(_:where:limit:)-(TextQuery,_,_)`` would find, without reading documents.
    ///
    /// - Returns: rows, which number documents in the order in which they were first stored, and scores.
    public func rank(_ query: TextQuery, limit: Int? = 20) throws -> [(row: UInt64, score: Double)] {
        try textSearch(in: try reader()).top(query, limit: limit).map { ($0.row, Double($0.score) / BM25.unit) }
    }

    /// Returns the number of documents that match.
    ///
    /// - Complexity: reads every posting of every word; with a condition as ``count(where:options:)``.
    public func count(matching query: TextQuery, where filter: Filter = .all) throws -> Int {
        try filter.validate()
        if !filter.isAll, filter.searches.isEmpty { return try count(where: Self.both(query, filter)) }
        let rows = try reader()
        let search = try textSearch(in: rows)
        if filter == .all { return try search.count(query) }
        return try search.rows(query).count {
            // Evaluating a condition on one document may take long.
            try CancellationCheck.now()
            return try filter.matchesBounded(try rows.document($0).content)
        }
    }

    /// Counts the documents that match, up to a limit. Useful for displaying the length of a result list.
    ///
    /// - Complexity: O(1) for a single word; otherwise reads postings until `limit` documents have been found.
    public func count(matching query: TextQuery, upTo limit: Int) throws -> TextQuery.Total {
        try textSearch(in: try reader()).count(query, upTo: limit)
    }

    /// Returns the text search that matches the state of `rows`.
    func textSearch(in rows: RowReader) throws -> TextSearch {
        guard let index = rows.textIndex
        else {
            throw DocIndexError(
                .unknownIndex, "the collection \(name) has no text index; declare one of type text in its schema")
        }
        guard !rows.collection.readable.textHasOtherStemmer else { throw otherStemmer(of: index.definition) }
        let view = try store.texts.views.view(
            of: rows.collection.source(of: index.text, isCurrent: rows.collection.readable.textHasTheseRules),
            candidates: rows.texts, reader: rows.snapshot,
            database: store.database)
        return TextSearch(reader: rows.snapshot, index: index.text, view: view, cache: store.texts.cache)
    }

    /// The name of the text index if another build of the stemmer has built it: a word that the two stem differently is
    /// not found. They agree on the common words, otherwise searching throws.
    package var textIndexOfOtherStemmerBuild: String? {
        get throws {
            let rows = try reader()
            return rows.collection.readable.textHasThisStemmerBuild ? nil : rows.textIndex?.definition.name
        }
    }

    /// Returns the error for a search in an index that was built with a different version of the stemmer.
    private func otherStemmer(of index: IndexDefinition) -> DocIndexError {
        DocIndexError(
            .unknownIndex,
            "the text index \(index.name) of \(name) was built with a different version of the stemmer for "
                + "\(index.languages.map(\.rawValue).joined(separator: ", ")), so words would not be found; rebuild it "
                + "with `lkrepl index rebuild --write STORE \(name) \(index.name)`, or open the store for writing in a "
                + "program"
        )
    }
}
