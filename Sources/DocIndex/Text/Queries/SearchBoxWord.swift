/// Reads a single word of a search box with its field, wildcard, distance and weight.
struct SearchBoxWord {
    /// The known field names; `nil` if every name is one.
    let fields: [String]?

    /// What a word means.
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

    /// Returns the number of words by the rules of most fields; symbols alone are not words.
    static func wordCount(_ text: String) -> Int {
        var terms = SimpleAnalyzer.Terms()
        SimpleAnalyzer.append(text, to: &terms)
        return terms.count
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

    private func unweighted(_ text: Substring, _ reading: inout Reading) -> TextQuery? {
        var word = text
        if let sign = word.lastIndex(of: "~"), sign > word.startIndex {
            let number = word[word.index(after: sign)...]
            if number.isEmpty || Double(number) != nil {
                let distance = Int(number).flatMap { (0...2).contains($0) ? $0 : nil }
                if distance == nil, !number.isEmpty { reading.notes.append(.distance(String(text))) }
                word = word[..<sign]
                reading.hasOperators = true
                return Self.wordCount(String(word)) > 0 ? .fuzzy(String(word), distance: distance) : nil
            }
        }
        // A question mark at the end is punctuation.
        while word.last == "?" { word = word.dropLast() }
        guard let wildcard = word.firstIndex(where: { $0 == "*" || $0 == "?" }) else {
            return Self.wordCount(String(word)) > 0 ? .word(String(word)) : nil
        }
        if Self.wordCount(String(word)) == 0 { return nil }
        reading.hasOperators = true
        let before = String(word[..<wildcard])
        if word.index(after: wildcard) == word.endIndex, word[wildcard] == "*" { return .prefix(before) }
        let isSearched = before.count(where: { $0.isLetter || $0.isNumber }) >= Self.prefixLength
        reading.notes.append(.wildcard(String(text), searched: isSearched ? before + "*" : nil))
        return isSearched ? .prefix(before) : nil
    }
}
