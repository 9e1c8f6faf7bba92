/// A search for words as a part of a condition: the notation of ``TextQuery``, and what it means.
///
/// ```swift
/// let old = try Predicate.search("bridge -brooklyn") && .compare("year", .less, 1930)
/// ```
///
/// Which texts are searched is declared with the text index of the collection; a collection without one refuses the query.
public struct TextCondition: Sendable {
    /// The search as it was written.
    public let text: String
    /// What it means.
    public let query: TextQuery

    /// The search that a text describes.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position.
    public init(parsing text: String) throws {
        self.init(try TextQuery(parsing: text), text: text)
    }

    /// - Parameter text: tells the search apart from others.
    init(_ query: TextQuery, text: String) {
        self.query = query
        self.text = text
    }
}

extension TextCondition: Hashable, CustomStringConvertible {
    /// Whether both were written with the same bytes.
    public static func == (left: TextCondition, right: TextCondition) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    /// Feeds the text into `hasher`.
    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

    /// The text.
    public var description: String { text }
}

extension Predicate {
    /// The condition that a search finds the document.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position.
    public static func search(_ text: String) throws -> Predicate { .search(try TextCondition(parsing: text)) }

    /// Every search in the condition, each once.
    var searches: Set<TextCondition> {
        switch self {
        case .search(let condition): [condition]
        case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.searches) }
        case .not(let part), .anyElement(_, let part): part.searches
        default: []
        }
    }

    /// The searches that a document can satisfy the condition by, in the order of the notation: what it scores is the sum
    /// of what these give it. Must be normalized.
    var scoredSearches: [TextCondition] {
        switch self {
        case .search(let condition): [condition]
        case .and(let parts), .or(let parts): parts.flatMap(\.scoredSearches)
        default: []
        }
    }

    /// What decides about the scores of documents; `nil` if nothing does.
    var scoringQuery: TextQuery? {
        var seen: Set<TextCondition> = []
        let queries = normalized.scoredSearches.filter { seen.insert($0).inserted }.map(\.query)
        return queries.count < 2 ? queries.first : .or(queries)
    }
}
