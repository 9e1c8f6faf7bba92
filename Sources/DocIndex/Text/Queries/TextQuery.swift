/// What is looked for in a text index.
///
/// Written as people write it:
///
/// | notation | finds documents |
/// |---|---|
/// | `fog bridge`, `fog AND bridge` | with both words |
/// | `fog OR bridge` | with at least one; binds weaker than the space |
/// | `-fog`, `NOT fog` | without the word |
/// | `+fog bridge` | with the first word; the second counts for the order alone |
/// | `"golden gate"` | with these words, as they are written, one after the other in one text |
/// | `"gate golden"~3` | with these words in any order, and at most three others between them |
/// | `bridg*` | with a word that begins like this |
/// | `harbor~`, `harbor~2` | with a word that differs by a letter, or by two; the first letter is as it is |
/// | `title:fog`, `title:(fog OR bridge)` | with the word at this field |
/// | `fog^2` | as without, and counts twice |
/// | `( )` | groups |
///
/// Words are kept as they are written. What they become is decided by the analyzer of each field that is searched.
public indirect enum TextQuery: Sendable, Hashable {
    /// A word, in any of its forms where a field has stems. What an index takes for several words must follow one another.
    case word(String)
    /// Words as they are written, which follow one another in one text.
    case phrase(String)
    /// Words as they are written in one text, in any order, with at most so many other words between them.
    case near(String, slop: Int)
    /// Words that begin like this; together they count as one word.
    case prefix(String)
    /// Words within so many insertions, deletions, replacements and swaps of neighbours, at most two, which begin with
    /// the same letter; together they count as one word. `nil` for one, and two in words of nine letters or more.
    case fuzzy(String, distance: Int?)
    /// Documents with all of these.
    case and([TextQuery])
    /// Documents with at least one of these.
    case or([TextQuery])
    /// Documents with the first and without the second.
    case except(TextQuery, TextQuery)
    /// Documents with the first; those with the second as well score more.
    case prefer(TextQuery, TextQuery)
    /// The query at one field of the index, named by its path or the last member of it.
    case field(String, TextQuery)
    /// The query with its scores multiplied.
    case boost(TextQuery, Double)
    /// No document: what was asked for has no word in it.
    case nothing

    /// Reads a query strictly: for programs, and for people who want to be told.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position: a parenthesis or a quote that is not closed, an
    ///   operator without its sides, or a query that only excludes; `queryTooLarge` where it exceeds
    ///   ``maximumWordCount`` or another limit. Whether a field exists is asked when it is searched.
    public init(parsing text: String) throws {
        var parser = TextQueryParser(text, fields: nil)
        self = try parser.parse()
    }

    /// Reads a query as a search box does: whatever is typed means something.
    ///
    /// What can be read strictly is read so. Else quotes and parentheses are closed or left out, then operators, and at
    /// last every word of the text must occur. Of a text that exceeds a limit such as ``maximumWordCount``, the first words
    /// count, and nothing in it is an operator.
    ///
    /// - Parameter fields: the fields that may stand before a colon; a word before another colon is a word.
    public init(forgiving text: String, fields: [String] = []) {
        guard text.utf8.count <= Self.maximumByteCount else {
            self = Self.words(of: text)
            return
        }
        var quotes = text
        if text.count(where: { $0 == "\"" }) % 2 == 1 { quotes.append("\"") }
        let plain = String(text.map { "\"()".contains($0) ? " " : $0 })
        let words = plain.split(whereSeparator: \.isWhitespace)
            .filter { !["AND", "OR", "NOT"].contains($0) }
            .map { $0.drop { "+-".contains($0) } }
            .joined(separator: " ")
        for attempt in [text, quotes, Self.balanced(quotes), plain, words] {
            var parser = TextQueryParser(attempt, fields: fields)
            if let query = try? parser.parse() {
                self = query
                return
            }
        }
        self = Self.words(of: text)
    }

    /// The words of a text that cannot be read otherwise, as far as the limits allow.
    private static func words(of text: String) -> TextQuery {
        let signs = Set("\"()^~*:+-|&!")
        var words: [TextQuery] = []
        var size = Size()
        let start = String(decoding: text.utf8.prefix(maximumByteCount - 3), as: UTF8.self)
        for part in start.split(whereSeparator: { signs.contains($0) || $0.isWhitespace }) {
            if ["AND", "OR", "NOT"].contains(part) { continue }
            var terms = Analyzer.Terms()
            Analyzer.append(String(part), to: &terms)
            if terms.count == 0 { continue }
            guard (try? size.addText(String(part), words: terms.count)) != nil else { break }
            words.append(.word(String(part)))
        }
        return words.count < 2 ? words.first ?? .nothing : .and(words)
    }

    /// The text with parentheses closed, and without those that close nothing.
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
