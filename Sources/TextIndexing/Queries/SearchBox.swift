/// A search as people type it into a search box: documents with all words come first, then those with most, then those
/// with any.
///
/// Any input is a valid search. The operators of search engines are understood; an operator that cannot be applied is
/// named in ``notes``, and is never read as something else:
///
/// | input | meaning |
/// |---|---|
/// | `red car in the snow` | any of the words, the documents with all of them first; stop words do not count |
/// | `fog,ice`, `rain/snow` | two words |
/// | `"golden gate"`, `“golden gate”` | these adjacent words are required |
/// | `"a b"~3`, `NEAR(a b, 3)`, `a NEAR/3 b` | these words are required near one another |
/// | `+fog`, `fog AND rain`, `fog && rain` | required words |
/// | `-fog`, `!fog`, `NOT fog` | an excluded word; a hyphen inside a word is no operator |
/// | `fog OR mist`, `fog \|\| mist` | one word with alternatives |
/// | `bridg*` | a prefix |
/// | `fog~`, `fog~2`, `fog^2` | a fuzzy word, a weight |
/// | `title:fog`, `intitle:fog` | a word required in a field |
/// | `( )` | grouping |
///
/// The order of the results is that of their scores. A document's score counts, in this order of importance:
///
/// 1. the number of the words that it contains, one more if it contains them as a phrase as typed;
/// 2. how many of them it contains as typed, rather than as another form of the word, a continuation or a misspelling;
/// 3. its BM25 score for these words.
///
/// Words and expressions that mean the same in the language of the index, such as `bridge^2` and `bridges^2`, count as
/// one. Without an operator, `bridge` and `bridges` are two words, because each is also found as typed.
///
/// With more than four words, a document with all words still comes first. Among the others each word counts by its
/// rarity, because a document with one rare word is better than one with two frequent words; and the more words there
/// are, the more the BM25 score decides.
public struct SearchBox: Sendable, Hashable {
    /// A word, or an expression in place of a word.
    public struct Part: Sendable, Hashable {
        /// The query for the word or the expression.
        public let query: TextQuery
        /// Whether every result must match.
        public let isRequired: Bool
        /// Whether this is the word being typed, so that longer words match too.
        public let isUnfinished: Bool
    }

    /// The different words in the order of the input, at most ``maximumPartCount``.
    public private(set) var parts: [Part]
    /// The queries that no result may match.
    public let excluded: [TextQuery]
    /// Notes for display to the user, about words that are not searched for as typed.
    public let notes: [Note]
    /// The input, if it consists of two to eight words without operators.
    let phrase: String?

    /// The maximum number of words that are searched for.
    public static let maximumPartCount = 64

    /// Reads what a user typed. Never fails.
    ///
    /// - Parameters:
    ///   - text: the input.
    ///   - fields: the field names accepted before a colon; `nil` to accept any name.
    ///   - isTyping: whether the user is still typing, so that a last word without a space after it also finds
    ///     longer words.
    /// - Complexity: O(*n*) in the length of the input.
    public init(_ text: String, fields: [String]? = nil, isTyping: Bool = false) {
        var parser = SearchBoxParser(text, fields: fields, isTyping: isTyping)
        parser.parse()
        var parts: [Part] = []
        for part in parser.parts {
            if let known = parts.firstIndex(where: { $0.query == part.query }) {
                parts[known] = Part(
                    query: part.query, isRequired: part.isRequired || parts[known].isRequired,
                    isUnfinished: part.isUnfinished || parts[known].isUnfinished)
            } else {
                parts.append(part)
                if parts.count > Self.maximumPartCount { break }
            }
        }
        if parts.count > Self.maximumPartCount {
            parser.note(.tooLong)
            parts.removeLast(parts.count - Self.maximumPartCount)
        }
        if parts.isEmpty, !parser.excluded.isEmpty { parser.note(.onlyExclusions) }
        var excluded = parser.excluded
        var phrase = parser.phrase
        // Groups can hold any number of words.
        if !Self.isWithinLimits(parts, excluded) {
            parser.note(.tooLong)
            parts = SearchBoxParser.words(of: text).prefix(Self.maximumPartCount).map {
                Part(query: $0, isRequired: false, isUnfinished: false)
            }
            excluded = []
            phrase = nil
        }
        self.parts = parts
        self.excluded = excluded
        self.phrase = phrase
        notes = parser.notes
    }

    private init(_ box: SearchBox, parts: [Part]) {
        self = box
        self.parts = parts
    }

    /// Returns the search with each part replaced by another query.
    func mapping(_ transform: (Part) throws -> TextQuery) rethrows -> SearchBox {
        let parts = try parts.map {
            Part(query: try transform($0), isRequired: $0.isRequired, isUnfinished: $0.isUnfinished)
        }
        return SearchBox(self, parts: parts)
    }

    /// The maximum number of words in all parts. Few of them are looked up in more than one form and language.
    private static let wordLimit = 512

    private static func isWithinLimits(_ parts: [Part], _ excluded: [TextQuery]) -> Bool {
        let words = (parts.map(\.query) + excluded).reduce(0) { $0 + SearchBoxWord.wordCount(in: $1) }
        if words > wordLimit { return false }
        var size = TextQuery.Size()
        return (try? size.add(.or(parts.map(\.query) + excluded))) != nil
    }

    /// A part of the input that is not searched for as typed.
    public enum Note: Sendable, Hashable {
        /// A wildcard that is not at the end of a word, as in `har?or` and `*arbor`; what is searched for instead, or
        /// `nil` if the word is left out.
        case wildcard(String, searched: String?)
        /// `*:*` or `title:*`: all documents, or those with a field, which is a condition and not a search.
        case notWords(String)
        /// A name before a colon that is not a field of the index; both sides are searched for as words.
        case unknownField(String)
        /// An operator of a web search engine, such as `site:`, and whether its word is searched for.
        case webOperator(String, isSearched: Bool)
        /// A range or a comparison, as in `year:[1900 TO 1910]` and `year:>1900`, which is a condition and not a search.
        case range(String)
        /// An operator of another search engine, such as the pattern `/fo[gx]/`; what is searched for instead, or `nil`
        /// if it is left out.
        case unsupported(String, searched: String?)
        /// A field of the index within parentheses after another field, as in `title:(caption:fog)`; both sides are
        /// searched for as words.
        case nestedField(String)
        /// A distance other than 0, 1 or 2, as in `fog~3`; the distance that is used instead depends on the word's
        /// length.
        case distance(String)
        /// A weight that is not a number from 0.1 to 10; the nearest such weight is used.
        case weight(String)
        /// An operator without a word to apply to; it is left out.
        case operatorWithoutWord(String)
        /// The search only excludes words, so it finds nothing.
        case onlyExclusions
        /// The input is too long; only its first words are searched for.
        case tooLong
        /// Parentheses are nested too deep; the inner ones are left out.
        case tooDeep
    }
}

extension SearchBox.Note: CustomStringConvertible {
    /// A sentence for the user.
    public var description: String {
        switch self {
        case .wildcard(let word, let searched?):
            "\(word): a wildcard is only supported as * at the end of a word; searching for \(searched)"
        case .wildcard(let word, nil): "\(word): a wildcard is only supported as * at the end of a word; left out"
        case .notWords(let text): "\(text): a search needs words; left out. Use a condition to list documents"
        case .unknownField(let name): "\(name): is not a field of the text index; searching for it as a word"
        case .webOperator(let name, true): "\(name) is not supported; searching for the word after it"
        case .webOperator(let name, false): "\(name) is not supported; left out"
        case .range(let text): "\(text): a range is a condition, such as year between 1900 and 1910; left out"
        case .unsupported(let text, let searched?): "\(text) is not supported; searching for \(searched)"
        case .unsupported(let text, nil): "\(text) is not supported; left out"
        case .nestedField(let name): "\(name): is within the words of another field; searching for it as a word"
        case .distance(let text): "\(text): at most two letters may differ; searching for similar words"
        case .weight(let text): "\(text): a weight is a number from 0.1 to 10; using the nearest one"
        case .operatorWithoutWord(let text): "\(text) has no word to apply to; left out"
        case .onlyExclusions: "the search only excludes words; add a word to search for"
        case .tooLong: "the search is too long; searching for its first words"
        case .tooDeep: "the parentheses are nested too deep; the inner ones are left out"
        }
    }
}

extension TextQuery {
    /// Creates the query for a search box: any input is valid, documents with all words come first, then those with
    /// most, then those with any.
    ///
    /// To show the user what is not searched for as typed, create a ``SearchBox`` and read its notes.
    ///
    /// - Parameters:
    ///   - text: the input of a user.
    ///   - fields: the field names accepted before a colon; `nil` to accept any name.
    ///   - isTyping: whether the user is still typing the last word.
    public init(searchBox text: String, fields: [String]? = nil, isTyping: Bool = false) {
        self = .searchBox(SearchBox(text, fields: fields, isTyping: isTyping))
    }
}
