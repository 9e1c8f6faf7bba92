/// What is looked for in a text index.
///
/// Written as people write it: words that must all occur, `OR` between alternatives, `NOT` or `-` before what must not
/// occur, `"a phrase"` in quotes, parentheses. `OR` binds weaker than the space between words.
public indirect enum TextQuery: Sendable, Hashable {
    /// Terms that follow one another; a single word is a phrase of one term.
    case phrase([[UInt8]])
    /// Documents with all of these.
    case and([TextQuery])
    /// Documents with at least one of these.
    case or([TextQuery])
    /// Documents with the first and without the second.
    case except(TextQuery, TextQuery)
    /// No document: what was asked for has no word in it.
    case nothing

    /// Reads a query.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position: a parenthesis or a quote that is not closed, an
    ///   operator without its sides, or a query that only excludes.
    public init(parsing text: String) throws {
        var parser = TextQueryParser(text)
        self = try parser.parse()
    }

    /// Every term that adds to the score, each once.
    var terms: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return allTerms.filter { seen.insert($0).inserted }
    }

    private var allTerms: [[UInt8]] {
        switch self {
        case .phrase(let terms): terms
        case .and(let parts), .or(let parts): parts.flatMap(\.allTerms)
        case .except(let wanted, _): wanted.allTerms
        case .nothing: []
        }
    }
}

/// Reads the notation of ``TextQuery`` by recursive descent.
private struct TextQueryParser {
    private let text: [Character]
    private var offset = 0
    private var depth = 0

    init(_ text: String) { self.text = Array(text) }

    mutating func parse() throws -> TextQuery {
        let query = try alternatives()
        skipSpaces()
        guard offset == text.count else {
            throw fault("there is a ) without its (; remove it or put it in quotes")
        }
        guard let query else {
            throw fault("there is nothing to look for; give at least one word that must occur")
        }
        return query
    }

    /// `all {OR all}`; `nil` where there is nothing but exclusions.
    private mutating func alternatives() throws -> TextQuery? {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 64 else { throw fault("the parentheses are nested more than 64 deep; simplify the query") }
        var parts: [TextQuery] = []
        repeat {
            let start = offset
            guard let part = try all() else {
                if parts.isEmpty && !peek("OR") { return nil }
                offset = start
                throw fault("OR needs a word that must occur on both sides")
            }
            parts.append(part)
        } while take("OR")
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    /// Words and groups side by side, with AND between them or not.
    private mutating func all() throws -> TextQuery? {
        var wanted: [TextQuery] = []
        var unwanted: [TextQuery] = []
        // Signs without a letter or digit, such as a lone `&`, are no words and are passed over.
        var hasSigns = false
        var hasParts = false
        while true {
            let isJoined = take("AND")
            guard !isJoined || hasParts else { throw fault("AND needs a word on both sides") }
            let isExcluded = take("NOT") || takeMinus()
            if isExcluded, peek("NOT") || peek("AND") { throw fault("NOT needs something that must not occur") }
            guard !isJoined || !peek("AND"), let part = try single() else {
                if isExcluded { throw fault("NOT needs something that must not occur") }
                if isJoined { throw fault("AND needs a word on both sides") }
                break
            }
            hasParts = true
            if part == .nothing {
                hasSigns = true
            } else if isExcluded {
                unwanted.append(part)
            } else {
                wanted.append(part)
            }
        }
        guard !wanted.isEmpty else {
            if unwanted.isEmpty { return hasSigns ? .nothing : nil }
            throw fault("a query cannot only exclude; add a word that must occur")
        }
        let found = wanted.count == 1 ? wanted[0] : .and(wanted)
        if unwanted.isEmpty { return found }
        return .except(found, unwanted.count == 1 ? unwanted[0] : .or(unwanted))
    }

    /// A word, a phrase or a group; `nil` at the end, at `)` and at an operator.
    private mutating func single() throws -> TextQuery? {
        skipSpaces()
        guard offset < text.count, text[offset] != ")", !peek("OR"), !peek("AND"), !peek("NOT") else { return nil }
        switch text[offset] {
        case "(":
            let start = offset
            offset += 1
            let group = try alternatives()
            skipSpaces()
            guard offset < text.count, text[offset] == ")" else {
                offset = start
                throw fault("this ( is not closed")
            }
            offset += 1
            guard let group else {
                offset = start
                throw fault("there is nothing between the parentheses")
            }
            return group
        case "\"":
            let start = offset
            guard let end = text[(offset + 1)...].firstIndex(of: "\"") else {
                throw fault("this quote is not closed")
            }
            offset = end + 1
            return phrase(text[(start + 1)..<end])
        default:
            let start = offset
            while offset < text.count, !text[offset].isWhitespace, !"()\"".contains(text[offset]) { offset += 1 }
            return phrase(text[start..<offset])
        }
    }

    private func phrase(_ characters: ArraySlice<Character>) -> TextQuery {
        var terms = Analyzer.Terms()
        Analyzer.append(String(characters), to: &terms)
        return terms.count == 0 ? .nothing : .phrase((0..<terms.count).map { Array(terms[$0]) })
    }

    private mutating func skipSpaces() {
        while offset < text.count, text[offset].isWhitespace { offset += 1 }
    }

    private mutating func takeMinus() -> Bool {
        skipSpaces()
        guard offset + 1 < text.count, text[offset] == "-", !text[offset + 1].isWhitespace else { return false }
        offset += 1
        return true
    }

    private func peek(_ word: String) -> Bool {
        var end = offset
        while end < text.count, text[end].isWhitespace { end += 1 }
        let start = end
        while end < text.count, !text[end].isWhitespace, !"()\"".contains(text[end]) { end += 1 }
        return String(text[start..<end]) == word
    }

    private mutating func take(_ word: String) -> Bool {
        guard peek(word) else { return false }
        skipSpaces()
        offset += word.count
        return true
    }

    private func fault(_ reason: String) -> DocIndexError {
        DocIndexError(
            .invalidQuery, "the search cannot be read at character \(offset + 1): \(reason)", position: offset)
    }
}
