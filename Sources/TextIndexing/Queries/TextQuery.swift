/// A full-text query.
///
/// Parsed from this notation:
///
/// | notation | finds documents |
/// |---|---|
/// | `fog bridge`, `fog AND bridge` | with both words |
/// | `fog OR bridge` | with at least one; binds less tightly than a space |
/// | `-fog`, `NOT fog` | without the word |
/// | `+fog bridge` | with the first word; the second only affects the ranking |
/// | `"golden gate"` | with exactly these words, adjacent and in this order, in one string |
/// | `"gate golden"~3` | with these words in any order, and at most three others between them |
/// | `bridg*` | with a word that begins with these letters |
/// | `harbor~`, `harbor~2` | with a word that differs by at most one letter, or at most two; the first letter must match |
/// | `title:fog`, `title:(fog OR bridge)` | with the word in this field |
/// | `fog^2` | with the word, whose score counts twice |
/// | `( )` | grouping |
///
/// Words are kept as written. The analyzer of each searched field determines the terms.
public indirect enum TextQuery: Sendable, Hashable {
    /// A word, in any of its forms if a field is stemmed. If the index splits it into several words, they must be
    /// adjacent.
    case word(String)
    /// Words that follow one another in one string, exactly as written.
    case phrase(String)
    /// Words in one string, exactly as written, in any order, with at most `slop` other words between them.
    case near(String, slop: Int)
    /// Words with this prefix; together they count as one word.
    case prefix(String)
    /// Words within an edit distance (insertions, deletions, substitutions and transpositions) that begin with the same
    /// letter; together they count as one word. The distance is at most 2; `nil` means 1, or 2 for words of nine
    /// letters or more.
    case fuzzy(String, distance: Int?)
    /// Documents that match all of these.
    case and(Nested<[TextQuery]>)
    /// Documents that match at least one of these.
    case or(Nested<[TextQuery]>)
    /// Documents that match the first and do not match the second.
    case except(Nested<TextQuery>, Nested<TextQuery>)
    /// Documents that match the first; documents that also match the second score higher.
    case prefer(Nested<TextQuery>, Nested<TextQuery>)
    /// The query limited to one field of the index, named by its path or the last member of the path.
    case field(String, Nested<TextQuery>)
    /// The query with its scores multiplied by a factor.
    case boost(Nested<TextQuery>, Double)
    /// The words of a search box: documents with any of the words, those with all of them first.
    case searchBox(SearchBox)
    /// No document: the query contains no words.
    case nothing

    /// Parses a query strictly, for programs and for users who want syntax errors reported.
    ///
    /// - Throws: ``DocIndexError``: `invalidQuery` with the position of an unclosed parenthesis or quote, an operator
    ///   without operands, or a query that only excludes; `queryTooLarge` if the query exceeds ``maximumWordCount`` or
    ///   another limit. Field names are checked when the query is executed.
    public init(parsing text: String) throws {
        var parser = TextQueryParser(text, fields: nil)
        self = try parser.parse()
    }

    /// Parses a query leniently, as a search box does: any input is a valid query.
    ///
    /// Input that parses strictly is parsed that way. Otherwise quotes and parentheses are closed or dropped, then
    /// operators are dropped, with the words that they exclude. As a last resort every other word must occur. Input that
    /// only excludes words finds nothing. If the input exceeds a limit such as ``maximumWordCount``, only the first words
    /// are used, and all operators are ignored.
    ///
    /// - Parameters:
    ///   - text: the input of a user.
    ///   - fields: the field names accepted before a colon; before any other colon, a name is an ordinary word.
    public init(forgiving text: String, fields: [String] = []) {
        guard text.utf8.count <= Self.maximumByteCount else {
            self = Self.words(of: text)
            return
        }
        var quotes = text
        if text.count(where: { $0 == "\"" }) % 2 == 1 { quotes.append("\"") }
        let plain = String(Self.withoutExcludedGroups(text).map { "\"()".contains($0) ? " " : $0 })
        let words = Self.wanted(text).map { $0.drop { "+-".contains($0) } }.joined(separator: " ")
        for attempt in [text, quotes, Self.balanced(quotes), plain, words] {
            var parser = TextQueryParser(attempt, fields: fields)
            if let query = try? parser.parse() {
                self = query
                return
            }
        }
        self = Self.words(of: text)
    }

    /// Returns the words between spaces, quotes and parentheses without operators and without what is excluded, as in
    /// `-fog`, `-"old fog"` and `NOT fog`.
    private static func wanted(_ text: String) -> [Substring] {
        var isExcluded = false
        return withoutExcludedGroups(text).split { $0.isWhitespace || "\"()".contains($0) }.filter { word in
            defer { isExcluded = word == "NOT" || (isExcluded && ["AND", "OR"].contains(word)) }
            return !isExcluded && !["AND", "OR", "NOT"].contains(word) && !(word.first == "-" && word.count > 1)
        }
    }

    /// Returns the string without what a minus before a quote or parenthesis excludes.
    private static func withoutExcludedGroups(_ text: String) -> String {
        text.replacing(/(?:^|\s)-(?:"[^"]*"?|\([^()]*\)?)/, with: " ")
    }

    /// Returns the words of a string that cannot be parsed, within the limits.
    private static func words(of text: String) -> TextQuery {
        let signs = Set("\"()^~*:+-|&!")
        var words: [TextQuery] = []
        var size = Size()
        let start = String(decoding: text.utf8.prefix(maximumByteCount - 3), as: UTF8.self)
        for part in wanted(start).flatMap({ $0.split(whereSeparator: signs.contains) }) {
            var terms = SimpleAnalyzer.Terms()
            SimpleAnalyzer.append(String(part), to: &terms)
            if terms.count == 0 { continue }
            guard (try? size.addText(String(part), words: terms.count)) != nil else { break }
            words.append(.word(String(part)))
        }
        return words.count < 2 ? words.first ?? .nothing : .and(words)
    }

    /// Returns the string with open parentheses closed and unmatched closing ones removed.
    private static func balanced(_ text: String) -> String {
        var result = ""
        var depth = 0
        for character in text {
            if character == ")" {
                if depth == 0 { continue }
                depth -= 1
            }
            if character == "(" { depth += 1 }
            result.append(character)
        }
        return result + String(repeating: ")", count: depth)
    }
}

// MARK: - Nested queries

extension TextQuery {
    /// Returns the query for documents that match all of several queries.
    public static func and(_ parts: [TextQuery]) -> TextQuery { .and(Nested(parts)) }

    /// Returns the query for documents that match at least one of several queries.
    public static func or(_ parts: [TextQuery]) -> TextQuery { .or(Nested(parts)) }

    /// Returns the query for documents that match the first query and do not match the second.
    public static func except(_ wanted: TextQuery, _ unwanted: TextQuery) -> TextQuery {
        .except(Nested(wanted), Nested(unwanted))
    }

    /// Returns the query for documents that match the first query; documents that also match the second score higher.
    public static func prefer(_ wanted: TextQuery, _ optional: TextQuery) -> TextQuery {
        .prefer(Nested(wanted), Nested(optional))
    }

    /// Returns the query limited to one field of the index, named by its path or the last member of the path.
    public static func field(_ name: String, _ query: TextQuery) -> TextQuery { .field(name, Nested(query)) }

    /// Returns the query with its scores multiplied by a factor.
    public static func boost(_ query: TextQuery, _ factor: Double) -> TextQuery { .boost(Nested(query), factor) }
}
