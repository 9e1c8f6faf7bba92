/// What the searches of one query find: rows, looked up once and asked for many documents, and scores.
///
/// Used by one thread.
final class SearchResults {
    private let search: TextSearch
    private var rows: [TextCondition: RowBitmap] = [:]
    /// Rows of single documents that were looked at; see ``look(at:for:)``.
    private var single: [TextCondition: Set<UInt64>] = [:]
    private var scores: [UInt64: Int64] = [:]

    init(_ search: TextSearch) { self.search = search }

    /// Finds the rows of searches that documents are going to be asked for.
    func find(_ conditions: some Sequence<TextCondition>) throws {
        for condition in conditions where rows[condition] == nil {
            rows[condition] = RowBitmap(try search.rows(condition.query))
        }
    }

    /// Whether a search finds the document of a row. The search must have been looked up, or the row looked at.
    func contains(_ row: UInt64, _ condition: TextCondition) -> Bool {
        rows[condition]?.contains(row) ?? single[condition]?.contains(row) ?? false
    }

    /// Finds out which searches find a document, without looking for others.
    ///
    /// - Complexity: independent of how many documents there are, but for the logarithms of lookups.
    func look(at row: UInt64, for conditions: some Sequence<TextCondition>) throws {
        for condition in conditions {
            if try search.finds(row, condition.query) {
                single[condition, default: []].insert(row)
            } else {
                single[condition]?.remove(row)
            }
        }
    }

    /// The rows of a search.
    func rows(of query: TextQuery) throws -> [UInt64] { try search.rows(query) }

    // MARK: - Scores

    /// Finds what every document scores.
    func findScores(of query: TextQuery) throws {
        for hit in try search.top(query, limit: nil) { scores[hit.row] = hit.score }
    }

    /// The best documents; see ``TextSearch/top(_:limit:filter:)``.
    func top(_ query: TextQuery, limit: Int?, filter: ((UInt64) throws -> Bool)?) throws -> [TopHits.Hit] {
        let hits = try search.top(query, limit: limit, filter: filter)
        for hit in hits { scores[hit.row] = hit.score }
        return hits
    }

    /// What the document of a row scores, in parts of ``BM25/unit``; 0 where no search finds it, or none was asked.
    func score(of row: UInt64) -> Int64 { scores[row] ?? 0 }
}
