extension DocumentCollection {
    /// Returns the compounds that contain a word, most frequent first: for `Rad`, `fahrrad` and `fahrradweg`. Empty
    /// unless a field has the language German, Dutch, Danish, Norwegian or Swedish, which write compounds as one word.
    ///
    /// A word is a compound if it consists of words that are in the index, with the letters that may join them.
    ///
    /// - Throws: ``DocIndexError``: `unknownIndex`, `corruption`; `CancellationError`.
    /// - Complexity: O(*n*) in the bytes of the words of the index, which are kept in memory, at most 64 MB; reads the
    ///   words of new segments of the index, and a few documents for each returned word.
    public func compounds(of word: String, limit: Int = 10) throws -> [IndexedWord] {
        let rows = try reader()
        let search = try textSearch(in: rows)
        return try TextSearch.Compounds(search).compounds(of: word, limit: max(0, limit)).map {
            try Self.indexed($0.word, $0.documentCount, search, rows)
        }
    }

    /// Returns a query that also finds each word as part of a compound, for a search box: `Fahrrad` then finds
    /// "Fahrradweg", with half the score. Words in quotes, prefixes, excluded words and, in a search box, stop words do
    /// not change. At most 64 compounds are added.
    ///
    /// ```swift
    /// let query = try photos.findingCompounds(.searchBox(photos.searchBox(typed)))
    /// for hit in try photos.search(query) { print(hit.document.id) }
    /// ```
    ///
    /// - Throws: the errors of ``compounds(of:limit:)``; `queryTooLarge` if the query exceeds a limit.
    /// - Complexity: that of ``compounds(of:limit:)`` for each word of the query, without reading documents; O(1) if no
    ///   field has one of the languages of ``compounds(of:limit:)``.
    public func findingCompounds(_ query: TextQuery) throws -> TextQuery {
        try query.validate()
        let expanded = try TextSearch.Compounds(try textSearch(in: try reader())).expanded(query)
        // A query near its limits is searched as it is.
        return (try? expanded.validate()) == nil ? query : expanded
    }

    /// Returns the condition in which each search box also finds compounds, as with ``findingCompounds(_:)-(TextQuery)``.
    /// Other searches stay as they are.
    ///
    /// ```swift
    /// let condition = try photos.findingCompounds(.search(box: typed) && .compare("year", .less, 1950))
    /// ```
    ///
    /// - Throws: the errors of ``compounds(of:limit:)``; `queryTooLarge` if a search exceeds a limit.
    /// - Complexity: that of ``findingCompounds(_:)-(TextQuery)`` for each search box.
    public func findingCompounds(_ filter: Filter) throws -> Filter {
        switch filter {
        case .search(let search):
            guard search.isBox, case .searchBox(let box) = try findingCompounds(search.query) else { return filter }
            return .search(Filter.Search(box, text: search.text))
        case .and(let parts): return .and(try parts.content.map { try findingCompounds($0) })
        case .or(let parts): return .or(try parts.content.map { try findingCompounds($0) })
        case .not(let part): return .not(try findingCompounds(part.content))
        default: return filter
        }
    }
}
