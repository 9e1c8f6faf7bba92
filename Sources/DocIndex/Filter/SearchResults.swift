/// The matches of one query's searches: rows, which are looked up once and then tested for many documents, and scores.
///
/// Used by a single thread.
final class SearchResults {
    private let search: TextSearch
    private var rows: [Filter.Search: RowBitmap] = [:]
    /// The rows of single documents that were checked; see ``look(at:for:)``.
    private var single: [Filter.Search: Set<UInt64>] = [:]
    private var scores: [UInt64: Int64] = [:]

    init(_ search: TextSearch) { self.search = search }

    /// Finds the rows of searches that documents will be checked for.
    func find(_ conditions: some Sequence<Filter.Search>) throws {
        for condition in conditions where rows[condition] == nil {
            rows[condition] = RowBitmap(try search.rows(condition.query))
        }
    }

    /// Returns whether a search matches the document of a row. Either the search must have been run or the row checked.
    func contains(_ row: UInt64, _ condition: Filter.Search) -> Bool {
        rows[condition]?.contains(row) ?? single[condition]?.contains(row) ?? false
    }

    /// Determines which searches match one document, without searching for others.
    ///
    /// - Parameter searches: The searches, resolved for this state of the index.
    /// - Complexity: Independent of the number of documents, except for the logarithmic cost of lookups.
    func look(at row: UInt64, for searches: [Filter.Search: ResolvedQuery]) throws {
        for (condition, query) in searches {
            if try search.finds(row, query) {
                single[condition, default: []].insert(row)
            } else {
                single[condition]?.remove(row)
            }
        }
    }

    /// Returns the rows that match a search.
    func rows(of query: TextQuery) throws -> [UInt64] { try search.rows(query) }

    // MARK: - Scores

    /// Computes the scores of all documents.
    func findScores(of query: TextQuery) throws {
        for hit in try search.top(query, limit: nil) { scores[hit.row] = hit.score }
    }

    /// Returns the best documents; see ``TextSearch/top(_:limit:filter:)``.
    func top(_ query: TextQuery, limit: Int?, filter: ((UInt64) throws -> Bool)?) throws -> [TopHits.Hit] {
        let hits = try search.top(query, limit: limit, filter: filter)
        for hit in hits { scores[hit.row] = hit.score }
        return hits
    }

    /// Returns the score of a row's document in multiples of ``BM25/unit``; 0 if no search matches or none was run.
    func score(of row: UInt64) -> Int64 { scores[row] ?? 0 }
}
