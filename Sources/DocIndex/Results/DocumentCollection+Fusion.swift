/// Searches by words and by vectors at once.
extension DocumentCollection {
    /// A document that was found by its words, by its vector, or by both.
    public struct FusedMatch: Sendable, Hashable {
        /// The document.
        public let document: Document
        /// The sum of 1 / (60 + rank) over the lists that contain the document; higher is better.
        public let score: Double
        /// The rank of the document among those found by words, from 1; `nil` if it is not among the best of them.
        public let textRank: Int?
        /// The rank of the document among those found by vectors, from 1; `nil` if it is not among the best of them.
        public let vectorRank: Int?
    }

    /// Returns the documents that words and a vector find, best first.
    ///
    /// Scores of words and similarities of vectors cannot be compared, but ranks can. Each document gets 1 / (60 +
    /// rank) from each of the two lists that contains it (G. Cormack, C. Clarke and S. Büttcher, "Reciprocal Rank
    /// Fusion Outperforms Condorcet and Individual Rank Learning Methods", 2009). Documents with equal sums are in the
    /// order in which they were first stored. Both lists come from one snapshot.
    ///
    /// - Parameters:
    ///   - query: the text query, such as `.searchBox(collection.searchBox("dog beach"))`.
    ///   - vector: the vector; see ``nearest(to:in:where:limit:exact:candidates:options:)``.
    ///   - index: the name of an index of the kind `vector`.
    ///   - filter: an additional condition for both.
    ///   - limit: the maximum number of documents.
    ///   - depth: the length of each list; `nil` for 100, or `limit` if that is more.
    ///   - options: the hint and the limits for finding the documents that satisfy the condition; the progress.
    /// - Throws: the errors of ``search(_:where:limit:)-(TextQuery,_,_)`` and of
    ///   ``nearest(to:in:where:limit:exact:candidates:options:)``.
    /// - Complexity: that of the two searches.
    public func search(
        _ query: TextQuery, nearest vector: [Float], in index: String, where filter: Filter = .all, limit: Int = 20,
        depth: Int? = nil, options: Query.Options = Query.Options()
    ) throws -> [FusedMatch] {
        let (rows, chosen) = try chosenRows(filter, options)
        let index = try vectorIndex(named: index, in: rows)
        let depth = limit < 0 ? limit : max(depth ?? 100, limit)
        var search = try VectorSearch(index, rows: rows, limit: depth, options: options)
        let near = try search.nearest(to: try unit(vector, of: index), among: chosen)
        let words = try textSearch(in: rows).top(query, limit: depth) { row in
            try CancellationCheck.now()
            return chosen?.contains(row) ?? true
        }
        return try RankFusion(text: words.map(\.row), vectors: near.map(\.row)).best(limit).map { match in
            FusedMatch(
                document: try rows.document(match.row), score: match.score, textRank: match.textRank,
                vectorRank: match.vectorRank)
        }
    }
}

/// Merges two lists of rows by their ranks.
struct RankFusion {
    /// A row and its ranks, from 1.
    struct Match: Equatable {
        let row: UInt64
        let textRank: Int?
        let vectorRank: Int?

        var score: Double { [textRank, vectorRank].reduce(0) { $0 + ($1.map { 1 / (60 + Double($0)) } ?? 0) } }
    }

    private var matches: [Match]

    /// - Parameters: the rows of each list, best first, each at most once.
    init(text: [UInt64], vectors: [UInt64]) {
        var ranks: [UInt64: Int] = [:]
        for (place, row) in vectors.enumerated() { ranks[row] = place + 1 }
        matches = text.enumerated().map { Match(row: $1, textRank: $0 + 1, vectorRank: ranks.removeValue(forKey: $1)) }
        matches += ranks.map { Match(row: $0.key, textRank: nil, vectorRank: $0.value) }
    }

    /// Returns the best rows, best first, and in ascending order at equal scores.
    func best(_ limit: Int) -> [Match] {
        Array(matches.sorted { ($1.score, $0.row) < ($0.score, $1.row) }.prefix(limit))
    }
}
