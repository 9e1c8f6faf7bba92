/// Limits for the size of a query. Queries that people type stay far below. Without limits, a few kilobytes of text
/// could keep a search busy for minutes or overflow the stack of a thread.
extension TextQuery {
    /// The maximum nesting depth: parentheses, fields, weights, and all other operators that contain a query.
    public static let maximumDepth = 64
    /// The maximum number of words in a query; each word of a phrase counts.
    public static let maximumWordCount = 4096
    /// The maximum number of prefixes and fuzzy words. Each reads a part of the vocabulary.
    public static let maximumExpansionCount = 64
    /// The maximum size of the words of a query, or of its notation, in bytes.
    public static let maximumByteCount = 1 << 16

    /// The maximum number of terms that a query may look up in one index. Fields with different analyzers, synonyms and
    /// n-grams make several terms of one word.
    static let maximumTermCount = 8192

    /// Checks the limits. A parsed query always satisfies them; one built in code may not.
    ///
    /// - Throws: ``DocIndexError`` with `queryTooLarge`; the message names the limit.
    /// - Complexity: O(*n*) in the number of parts and the length of phrases, or O(1) if parts are nested too deeply.
    package func validate() throws {
        guard depth <= Self.maximumDepth else { throw Self.tooDeep }
        var size = Size()
        try size.add(self)
    }

    /// The running totals for a query.
    struct Size {
        private(set) var wordCount = 0
        private(set) var expansionCount = 0
        private var byteCount = 0

        /// Adds a query within the maximum depth.
        mutating func add(_ query: TextQuery) throws {
            switch query {
            case .nothing: break
            case .word(let text): try addText(text, words: 1)
            case .phrase(let text), .near(let text, _):
                // A long text fails by its size before its words are counted.
                try addText(text, words: 1)
                try addText("", words: max(1, TextQuery.wordCount(of: text)) - 1)
            case .prefix(let text), .fuzzy(let text, _):
                try addText(text, words: 1)
                try addExpansion()
            case .and(let parts), .or(let parts): for part in parts.content { try add(part) }
            case .except(let first, let second), .prefer(let first, let second):
                try add(first.content)
                try add(second.content)
            case .field(_, let part), .boost(let part, _): try add(part.content)
            case .searchBox(let box): for part in box.parts.map(\.query) + box.excluded { try add(part) }
            }
        }

        /// Adds a string with this number of words.
        mutating func addText(_ text: String, words: Int) throws {
            byteCount += text.utf8.count
            guard byteCount <= maximumByteCount else { throw TextQuery.tooLong(byteCount) }
            wordCount += words
            guard wordCount <= maximumWordCount else {
                throw DocIndexError(
                    .queryTooLarge,
                    "the search has \(wordCount) words or more; at most \(maximumWordCount) are allowed; use "
                        + "fewer words")
            }
        }

        /// Adds a prefix or fuzzy word.
        mutating func addExpansion() throws {
            expansionCount += 1
            guard expansionCount <= maximumExpansionCount else {
                throw DocIndexError(
                    .queryTooLarge,
                    "the search has \(expansionCount) or more words that end with * or ~; at most "
                        + "\(maximumExpansionCount) are allowed; write some of them in full")
            }
        }
    }

    /// Returns the number of words in a text by the rules of most fields; symbols alone are not words.
    static func wordCount(of text: String) -> Int {
        var terms = SimpleAnalyzer.Terms()
        SimpleAnalyzer.append(text, to: &terms)
        return terms.count
    }

    static var tooDeep: DocIndexError {
        DocIndexError(
            .queryTooLarge, "the parts of the search are nested more than \(maximumDepth) deep; simplify the query")
    }

    static func tooLong(_ byteCount: Int) -> DocIndexError {
        DocIndexError(
            .queryTooLarge,
            "the search has \(byteCount) bytes; at most \(maximumByteCount) are allowed; use fewer words")
    }
}

extension TextQuery: Nesting {
    package var depth: Int {
        switch self {
        case .and(let parts), .or(let parts): parts.depth
        case .except(let first, let second), .prefer(let first, let second): max(first.depth, second.depth)
        case .field(_, let part), .boost(let part, _): part.depth
        case .searchBox(let box): (box.parts.map(\.query) + box.excluded).reduce(0) { max($0, $1.depth) } + 1
        case .word, .phrase, .near, .prefix, .fuzzy, .nothing: 1
        }
    }

    package static var omitted: TextQuery { .nothing }
}
