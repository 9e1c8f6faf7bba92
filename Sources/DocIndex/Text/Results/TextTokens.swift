/// The words of a text with their places in it, for whoever shows the text.
///
/// The index stores no offsets: the texts of the few documents that are shown are taken apart again.
struct TextTokens {
    struct Token {
        let range: Range<String.Index>
        /// What it is in the index; of an ideograph or of a word with signs there may be several.
        let terms: [[UInt8]]
    }

    private(set) var tokens: [Token] = []

    init(_ text: String) {
        var start: String.Index?
        var index = text.startIndex
        while index < text.endIndex {
            let next = text.index(after: index)
            switch Analyzer.kind(of: text[index]) {
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
        var terms = Analyzer.Terms()
        Analyzer.append(String(text[range]), to: &terms)
        if terms.count == 0 { return }
        tokens.append(Token(range: range, terms: (0..<terms.count).map { Array(terms[$0]) }))
    }

    /// Which tokens a query is about: those that it looks for, and of a phrase those that follow one another.
    func matches(_ query: TextQuery) -> Set<Int> {
        var found: Set<Int> = []
        collect(query, into: &found)
        return found
    }

    private func collect(_ query: TextQuery, into found: inout Set<Int>) {
        switch query {
        case .nothing: break
        case .phrase(let terms):
            // The tokens of the terms in a row: a token may hold several.
            let all = tokens.enumerated().flatMap { position, token in token.terms.map { (position, $0) } }
            guard !terms.isEmpty, all.count >= terms.count else { return }
            for start in 0...(all.count - terms.count)
            where terms.indices.allSatisfy({ all[start + $0].1 == terms[$0] }) {
                for offset in terms.indices { found.insert(all[start + offset].0) }
            }
        case .near(let terms, _): insert(&found) { terms.contains($0) }
        case .prefix(let prefix): insert(&found) { $0.starts(with: prefix) }
        case .fuzzy(let term, let distance):
            let reference = EditDistance(term, limit: distance)
            insert(&found) { $0.first == term.first && reference.distance(to: $0) != nil }
        case .and(let parts), .or(let parts): for part in parts { collect(part, into: &found) }
        case .except(let wanted, _): collect(wanted, into: &found)
        case .prefer(let wanted, let optional):
            collect(wanted, into: &found)
            collect(optional, into: &found)
        case .field(_, let part), .boost(let part, _): collect(part, into: &found)
        }
    }

    private func insert(_ found: inout Set<Int>, where accepts: ([UInt8]) -> Bool) {
        for (position, token) in tokens.enumerated() where token.terms.contains(where: accepts) {
            found.insert(position)
        }
    }
}
