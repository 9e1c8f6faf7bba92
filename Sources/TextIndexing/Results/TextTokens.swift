internal import LevelKit

/// The words of a string and their ranges, for displaying matches.
///
/// The index stores no offsets, so the strings of the few displayed documents are tokenized again.
package struct TextTokens {
    package struct Token {
        package let range: Range<String.Index>
        /// The terms in the index; an ideograph or a word with symbols may have several.
        package let terms: [[UInt8]]
    }

    package private(set) var tokens: [Token] = []
    private let chain: AnalysisChain
    /// Whether each character is a token, because a match may begin anywhere.
    private let isOfCharacters: Bool

    /// Tokenizes a string of a field with this analyzer.
    package init(_ text: String, _ analyzer: TextAnalyzer) {
        var analyzer = analyzer
        // Each ideograph is a separate token. If a search contains adjacent ideographs, all of them are marked.
        analyzer.pairsIdeographs = false
        isOfCharacters = analyzer.tokenizer == .ngrams
        if isOfCharacters {
            var keyword = TextAnalyzer(.keyword)
            keyword.foldsCase = analyzer.foldsCase
            keyword.accents = analyzer.accents
            analyzer = keyword
        }
        chain = AnalysisChain(analyzer)
        if isOfCharacters {
            for index in text.indices { append(text, index..<text.index(after: index)) }
            return
        }
        switch analyzer.tokenizer {
        case .keyword: append(text, text.startIndex..<text.endIndex)
        case .words: takeWords(text)
        case .simple, .ngrams: takeRuns(text)
        }
    }

    /// Appends words as segmented by UAX #29.
    private mutating func takeWords(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        var places = Array(text.unicodeScalars.indices)
        places.append(text.endIndex)
        var ranges: [Range<Int>] = []
        WordBreaks.forEachPart(of: scalars, scalars.map(WordBreakClass.init)) { ranges.append($0) }
        for range in ranges { append(text, places[range.lowerBound]..<places[range.upperBound]) }
    }

    private mutating func takeRuns(_ text: String) {
        var start: String.Index?
        var index = text.startIndex
        while index < text.endIndex {
            let next = text.index(after: index)
            switch SimpleAnalyzer.kind(of: text[index]) {
            case .inside: start = start ?? index
            case .alone:
                if let begin = start { append(text, begin..<index) }
                start = nil
                append(text, index..<next)
            case .between:
                if let begin = start { append(text, begin..<index) }
                start = nil
            }
            index = next
        }
        if let start { append(text, start..<text.endIndex) }
    }

    private mutating func append(_ text: String, _ range: Range<String.Index>) {
        var terms: [[UInt8]] = []
        var plain = SimpleAnalyzer.Terms()
        if chain.isPlain, SimpleAnalyzer.appendUnlessJoined(String(text[range]), to: &plain) {
            terms = (0..<plain.count).map { Array(plain[$0]) }
        } else {
            _ = chain.forEachTerm(of: String(text[range])) { term, _ in terms.append(term.copied()) }
        }
        if !terms.isEmpty { tokens.append(Token(range: range, terms: terms)) }
    }

    /// Returns the indexes of the tokens that match a query: words that it searches for and, for a phrase, adjacent
    /// words in the same order. Empty if the query exceeds its limits and cannot be searched.
    func matches(_ query: TextQuery) -> Set<Int> {
        var found: Set<Int> = []
        guard (try? query.validate()) != nil else { return found }
        collect(query, into: &found)
        return found
    }

    private func collect(_ query: TextQuery, into found: inout Set<Int>) {
        switch query {
        case .nothing: break
        case .word(let text):
            if isOfCharacters { return collect(terms(of: text), into: &found) }
            let tokens = chain.tokens(of: text, isExact: false)
            collect(tokens.compactMap(\.term), into: &found)
            for phrase in chain.synonyms(of: tokens) { collect(phrase, into: &found) }
        case .phrase(let text): collect(terms(of: text), into: &found)
        case .near(let text, _):
            let terms = terms(of: text)
            insert(&found) { terms.contains($0) }
        case .prefix(let text):
            if isOfCharacters { return collect(terms(of: text), into: &found) }
            guard let prefix = terms(of: text).last else { return }
            insert(&found) { $0.starts(with: prefix) }
        case .fuzzy(let text, let distance):
            for term in terms(of: text) {
                let letters = String(decoding: term, as: UTF8.self).count
                let reference = EditDistance(term, limit: min(distance ?? (letters < 9 ? 1 : 2), 2))
                insert(&found) { $0.first == term.first && reference.distance(to: $0) != nil }
            }
        case .and(let parts), .or(let parts): for part in parts.content { collect(part, into: &found) }
        case .except(let wanted, _): collect(wanted.content, into: &found)
        case .prefer(let wanted, let optional):
            collect(wanted.content, into: &found)
            collect(optional.content, into: &found)
        case .field(_, let part), .boost(let part, _): collect(part.content, into: &found)
        case .searchBox(let box): collect(box, into: &found)
        }
    }

    /// Marks the words of a search box; stop words only if all words are stop words.
    private func collect(_ box: SearchBox, into found: inout Set<Int>) {
        let languages = chain.analyzer.language.map { [$0] } ?? []
        let meaningful = box.parts.filter { part in
            guard !part.isRequired, case .word(let text) = part.query else { return true }
            return CommonWord(text, languages: languages) != .always
        }
        for part in meaningful.isEmpty ? box.parts : meaningful {
            collect(part.query, into: &found)
            if part.isUnfinished, case .word(let text) = part.query { collect(.prefix(text), into: &found) }
        }
    }

    private func terms(of text: String) -> [[UInt8]] {
        if isOfCharacters {
            return text.flatMap { chain.tokens(of: String($0), isExact: true).compactMap(\.term) }
        }
        return chain.tokens(of: text, isExact: true, keepsStopWords: true).compactMap(\.term)
    }

    /// Marks tokens with consecutive terms. A token may have several terms, either consecutive or forms of one word.
    private func collect(_ terms: [[UInt8]], into found: inout Set<Int>) {
        guard !terms.isEmpty else { return }
        let hasForms = !chain.isPlain
        if hasForms {
            guard tokens.count >= terms.count else { return }
            for start in 0...(tokens.count - terms.count)
            where terms.indices.allSatisfy({ tokens[start + $0].terms.contains(terms[$0]) }) {
                for offset in terms.indices { found.insert(start + offset) }
            }
            return
        }
        let all = tokens.enumerated().flatMap { position, token in token.terms.map { (position, $0) } }
        guard all.count >= terms.count else { return }
        for start in 0...(all.count - terms.count) where terms.indices.allSatisfy({ all[start + $0].1 == terms[$0] }) {
            for offset in terms.indices { found.insert(all[start + offset].0) }
        }
    }

    private func insert(_ found: inout Set<Int>, where accepts: ([UInt8]) -> Bool) {
        for (position, token) in tokens.enumerated() where token.terms.contains(where: accepts) {
            found.insert(position)
        }
    }
}
