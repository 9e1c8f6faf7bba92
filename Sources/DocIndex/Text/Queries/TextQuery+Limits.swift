/// The size that a query may have. People stay far below; without limits a few kilobytes of text could keep a search busy
/// for minutes, or nest so deep that a thread runs out of stack.
extension TextQuery {
    /// How deep parts may lie inside each other: parentheses, fields, weights, and whatever else contains a query.
    public static let maximumDepth = 64
    /// How many words a query may have; each word of a phrase counts.
    public static let maximumWordCount = 4096
    /// How many words may stand for others: prefixes, and words with slips. Each reads a part of the vocabulary.
    public static let maximumExpansionCount = 64
    /// How many bytes the words of a query, or its notation, may have.
    public static let maximumByteCount = 1 << 16

    /// How many terms a query may look up in one index: fields with different analyzers, synonyms and n-grams make several
    /// of a word.
    static let maximumTermCount = 8192

    /// Checks the limits. A query that was read from text satisfies them; one that a program put together may not.
    ///
    /// - Throws: ``DocIndexError`` with `queryTooLarge` that names the limit.
    /// - Complexity: O(*n*) in the parts of the query. Stops where it becomes too deep.
    func validate() throws {
        var size = Size()
        try size.add(self, depth: 1)
    }

    /// What was counted of a query.
    struct Size {
        private(set) var wordCount = 0
        private(set) var expansionCount = 0
        private var byteCount = 0

        mutating func add(_ query: TextQuery, depth: Int) throws {
            guard depth <= maximumDepth else { throw TextQuery.tooDeep }
            switch query {
            case .nothing: break
            case .word(let text), .phrase(let text), .near(let text, _): try addText(text, words: 1)
            case .prefix(let text), .fuzzy(let text, _):
                try addText(text, words: 1)
                try addExpansion()
            case .and(let parts), .or(let parts): for part in parts { try add(part, depth: depth + 1) }
            case .except(let first, let second), .prefer(let first, let second):
                try add(first, depth: depth + 1)
                try add(second, depth: depth + 1)
            case .field(_, let part), .boost(let part, _): try add(part, depth: depth + 1)
            }
        }

        /// Counts the words of a text.
        mutating func addText(_ text: String, words: Int) throws {
            byteCount += text.utf8.count
            guard byteCount <= maximumByteCount else { throw TextQuery.tooLong(byteCount) }
            wordCount += words
            guard wordCount <= maximumWordCount else {
                throw DocIndexError(
                    .queryTooLarge,
                    "the search has \(wordCount) words or more; at most \(maximumWordCount) are allowed, look for fewer"
                )
            }
        }

        /// Counts a word that stands for others.
        mutating func addExpansion() throws {
            expansionCount += 1
            guard expansionCount <= maximumExpansionCount else {
                throw DocIndexError(
                    .queryTooLarge,
                    "the search has \(expansionCount) or more words that end with * or ~; at most "
                        + "\(maximumExpansionCount) are allowed, write some of them out")
            }
        }
    }

    static var tooDeep: DocIndexError {
        DocIndexError(
            .queryTooLarge, "the parts of the search are nested more than \(maximumDepth) deep; simplify the query")
    }

    static func tooLong(_ byteCount: Int) -> DocIndexError {
        DocIndexError(
            .queryTooLarge,
            "the search has \(byteCount) bytes; at most \(maximumByteCount) are allowed, look for fewer words")
    }
}
