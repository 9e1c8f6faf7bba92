extension Filter {
    /// A full-text search as part of a condition: the search text and the ``TextQuery`` parsed from it.
    ///
    /// ```swift
    /// let old = try Filter.search("bridge -brooklyn") && .compare("year", .less, 1930)
    /// ```
    ///
    /// The text index of the collection declares which fields are searched. The query fails if the collection has no text
    /// index.
    public struct Search: Sendable {
        /// The search text as written.
        public let text: String
        /// The parsed search.
        public let query: TextQuery
        /// Whether the text was parsed as search-box input.
        public let isBox: Bool

        /// Parses a search.
        ///
        /// - Throws: ``DocIndexError`` with `invalidQuery` and the position.
        public init(parsing text: String) throws {
            self.init(try TextQuery(parsing: text), text: text)
        }

        /// Reads what a user typed into a search box.
        public init(_ box: SearchBox, text: String) {
            query = .searchBox(box)
            self.text = text
            isBox = true
        }

        /// - Parameter text: The notation, which identifies the search.
        init(_ query: TextQuery, text: String) {
            self.query = query
            self.text = text
            isBox = false
        }
    }
}

extension Filter.Search: Hashable, CustomStringConvertible {
    /// Returns whether both search texts have the same bytes, and are read the same way.
    public static func == (left: Filter.Search, right: Filter.Search) -> Bool {
        left.text.hasSameBytes(as: right.text) && left.isBox == right.isBox
            && (!left.isBox || left.query == right.query)
    }

    /// Feeds the search text into `hasher`.
    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

    /// The search text.
    public var description: String { text }
}

extension Filter {
    /// Returns the condition that a search matches the document.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position.
    public static func search(_ text: String) throws -> Filter { .search(try Filter.Search(parsing: text)) }

    /// Returns the condition that a search box finds the document: by any of its words, and all that are required.
    /// Sorted by ``Query/SortKey/bestFirst``, documents with all words come first.
    public static func search(box text: String, fields: [String]? = nil) -> Filter {
        .search(Filter.Search(SearchBox(text, fields: fields), text: text))
    }

    /// The distinct searches in the condition.
    var searches: Set<Filter.Search> {
        switch self {
        case .search(let condition): [condition]
        case .and(let parts), .or(let parts): parts.content.reduce(into: []) { $0.formUnion($1.searches) }
        case .not(let part), .anyElement(_, let part), .anyKey(_, let part): part.content.searches
        default: []
        }
    }

    /// The searches that can make a document satisfy the condition, in the order of the notation. The score of a
    /// document is the sum of its scores in these. The condition must be normalized.
    var scoredSearches: [Filter.Search] {
        switch self {
        case .search(let condition): [condition]
        case .and(let parts), .or(let parts): parts.content.flatMap(\.scoredSearches)
        default: []
        }
    }

    /// The search that determines the scores of documents; `nil` if there is none.
    var scoringQuery: TextQuery? {
        var seen: Set<Filter.Search> = []
        let queries = normalized.scoredSearches.filter { seen.insert($0).inserted }.map(\.query)
        return queries.count < 2 ? queries.first : .or(queries)
    }
}
