/// Reads a single word of a search box with its field, wildcard, distance and weight.
struct SearchBoxWord {
    /// The known field names; `nil` if every name is one.
    let fields: [String]?

    /// The meaning of a word.
    struct Reading {
        var queries: [TextQuery] = []
        var notes: [SearchBox.Note] = []
        var hasOperators = false
        var isRequired = false
    }

    /// The number of letters before a wildcard from which they are searched for as a prefix.
    private static let prefixLength = 3
    static let weights = 0.1...10

    /// Operators of web search engines that name a part of a page, with the names of fields that are meant.
    private static let partOperators: [String: [String]] = [
        "intitle": ["title"], "allintitle": ["title"], "intext": [], "allintext": [], "inbody": [], "inurl": [],
        "allinurl": [], "inanchor": [], "allinanchor": [],
    ]
    /// Operators of web search engines that do not name what a page is about.
    private static let otherOperators: Set<String> = [
        "site", "filetype", "ext", "mime", "related", "cache", "link", "linkfromdomain", "ip", "loc", "before", "after",
        "source", "info", "domain", "hostname", "feed", "hasfeed",
    ]

    /// Returns the number of words in a part of a search box.
    static func wordCount(in query: TextQuery) -> Int {
        switch query {
        case .nothing: 0
        case .word(let text), .phrase(let text), .near(let text, _), .prefix(let text), .fuzzy(let text, _):
            TextQuery.wordCount(of: text)
        case .and(let parts), .or(let parts): parts.content.reduce(0) { $0 + wordCount(in: $1) }
        case .except(let first, let second), .prefer(let first, let second):
            wordCount(in: first.content) + wordCount(in: second.content)
        case .field(_, let part), .boost(let part, _): wordCount(in: part.content)
        case .searchBox(let box): box.parts.reduce(0) { $0 + wordCount(in: $1.query) }
        }
    }

    /// Returns the name if it is a field.
    func field(_ name: String) -> String? {
        guard let first = name.first, first.isLetter, name.allSatisfy(Self.isOfName) else { return nil }
        guard let fields else { return Self.otherOperators.contains(name.lowercased()) ? nil : name }
        if fields.contains(where: { $0.hasSameBytes(as: name) }) { return name }
        return Self.partOperators[name.lowercased()]?.first { fields.contains($0) }
    }

    private static func isOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_.[]".contains(character)
    }

    func read(_ text: String) -> Reading {
        var reading = Reading()
        guard let colon = text.firstIndex(of: ":") else {
            if let query = plain(text, &reading) { reading.queries = [query] }
            return reading
        }
        let name = String(text[..<colon])
        let rest = String(text[text.index(after: colon)...])
        if rest == "*" || rest.hasPrefix("*^") {
            reading.notes.append(.notWords(text))
            reading.hasOperators = true
            return reading
        }
        if rest.isEmpty, fields != nil, field(name) != nil {
            // A field without a word.
            reading.notes.append(.operatorWithoutWord(text))
            reading.hasOperators = true
            return reading
        }
        guard name.first?.isLetter == true, name.allSatisfy(Self.isOfName), let next = rest.first,
            next.isLetter || next.isNumber || next == "*"
        else {
            // A time, an address, or a colon after a word.
            if let query = plain(text, &reading) { reading.queries = [query] }
            return reading
        }
        let lowercased = name.lowercased()
        if let field = field(name) {
            reading.hasOperators = true
            reading.isRequired = true
            if let query = plain(rest, &reading) { reading.queries = [.field(field, query)] }
            return reading
        }
        reading.hasOperators = true
        if Self.otherOperators.contains(lowercased) {
            reading.notes.append(.webOperator(name + ":", isSearched: false))
        } else if Self.partOperators[lowercased] != nil {
            reading.notes.append(.webOperator(name + ":", isSearched: true))
            if let query = plain(rest, &reading) { reading.queries = [query] }
        } else {
            reading.notes.append(.unknownField(name))
            for part in [name, rest] { if let query = plain(part, &reading) { reading.queries.append(query) } }
        }
        return reading
    }

    /// A word without a field.
    private func plain(_ text: String, _ reading: inout Reading) -> TextQuery? {
        var word = Substring(text)
        var weight: Double?
        if let known = foreign(text, &reading) { word = known }
        if word.isEmpty { return nil }
        if let sign = word.lastIndex(of: "^"), sign > word.startIndex,
            let number = Double(word[word.index(after: sign)...]), number.isFinite
        {
            weight = min(max(number, Self.weights.lowerBound), Self.weights.upperBound)
            if weight != number { reading.notes.append(.weight(text)) }
            word = word[..<sign]
            reading.hasOperators = true
        }
        guard var query = unweighted(word, &reading) else { return nil }
        if let weight { query = .boost(query, weight) }
        return query
    }

    /// Returns the part of a word with an operator of another search engine that is searched for, and notes the rest;
    /// `nil` for other words.
    private func foreign(_ text: String, _ reading: inout Reading) -> Substring? {
        func left(_ searched: Substring) -> Substring? {
            guard TextQuery.wordCount(of: String(searched)) > 0 else { return nil }
            reading.notes.append(.unsupported(text, searched: String(searched)))
            reading.hasOperators = true
            return searched
        }
        // The first word of a field, as in FTS5.
        if text.first == "^" { return left(text.drop { $0 == "^" }) }
        // A regular expression, as in Lucene. A path between slashes has no other special characters.
        if text.first == "/", text.last == "/", text.count > 2, text.contains(where: { "[]{}.*+?\\$^|".contains($0) }) {
            reading.notes.append(.unsupported(text, searched: nil))
            reading.hasOperators = true
            return ""
        }
        // A distance or a weight that is no number.
        if let sign = text.lastIndex(where: { $0 == "~" || $0 == "^" }), sign > text.startIndex {
            let (before, after) = (text[..<sign], text[text.index(after: sign)...])
            let isPlain = before.allSatisfy { $0.isLetter || $0.isNumber }
            if isPlain, after.first?.isLetter == true, after.allSatisfy({ $0.isLetter || $0.isNumber }) {
                return left(before)
            }
        }
        return nil
    }

    private func unweighted(_ text: Substring, _ reading: inout Reading) -> TextQuery? {
        var word = text
        if let sign = word.lastIndex(of: "~"), sign > word.startIndex {
            let number = word[word.index(after: sign)...]
            if number.isEmpty || Double(number) != nil {
                let distance = Int(number).flatMap { (0...2).contains($0) ? $0 : nil }
                if distance == nil, !number.isEmpty { reading.notes.append(.distance(String(text))) }
                word = word[..<sign]
                reading.hasOperators = true
                return TextQuery.wordCount(of: String(word)) > 0 ? .fuzzy(String(word), distance: distance) : nil
            }
        }
        // A question mark at the end is punctuation.
        while word.last == "?" { word = word.dropLast() }
        guard let wildcard = word.firstIndex(where: { $0 == "*" || $0 == "?" }) else {
            return TextQuery.wordCount(of: String(word)) > 0 ? .word(String(word)) : nil
        }
        if TextQuery.wordCount(of: String(word)) == 0 { return nil }
        reading.hasOperators = true
        let before = String(word[..<wildcard])
        if word.index(after: wildcard) == word.endIndex, word[wildcard] == "*" { return .prefix(before) }
        let isSearched = before.count(where: { $0.isLetter || $0.isNumber }) >= Self.prefixLength
        reading.notes.append(.wildcard(String(text), searched: isSearched ? before + "*" : nil))
        return isSearched ? .prefix(before) : nil
    }
}
