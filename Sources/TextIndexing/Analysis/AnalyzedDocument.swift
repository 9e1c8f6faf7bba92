/// The analyzed words of a document: terms with their positions, field by field.
package struct AnalyzedDocument {
    package internal(set) var terms = SimpleAnalyzer.Terms()
    /// The position of each term. Fields ascend, and positions within a field do not decrease.
    package private(set) var positions: [TextPosition] = []
    private var field = -1
    private var next: UInt32 = 0
    /// The number of words, weighted by field. A word counts once, no matter how many of its forms are terms.
    package private(set) var length = 0
    /// The analysis chains of the fields of the present document.
    package var chains: [AnalysisChain] = []
    /// The chains of the fields for each language of documents, created for the first document in it.
    private var chainsOfLanguages: [TextAnalyzer.Language?: [AnalysisChain]] = [:]

    package init() {}

    /// Prepares for a document in a language.
    mutating func use(_ analyzers: [TextAnalyzer], of language: TextAnalyzer.Language?) {
        if let known = chainsOfLanguages[language] {
            chains = known
        } else {
            chains = AnalysisChain.chains(analyzers.map { $0.inLanguage(language) })
            chainsOfLanguages[language] = chains
        }
    }

    mutating func removeAll() {
        terms.removeAll()
        positions.removeAll(keepingCapacity: true)
        field = -1
        next = 0
        length = 0
    }

    /// Adds the words of a string in a field. Fields must ascend.
    package mutating func append(_ text: String, field: Int, weight: Int) {
        if field != self.field {
            self.field = field
            next = 0
        } else if next > 0 {
            next = min(next + TextPosition.gap, TextPosition.positionLimit)
        }
        let before = terms.count
        guard chains[field].isPlain, SimpleAnalyzer.appendUnlessJoined(text, to: &terms) else {
            return appendAnalyzed(text, field: field, weight: weight)
        }
        for _ in before..<terms.count {
            positions.append(TextPosition(field: field, position: next))
            next = min(next + 1, TextPosition.positionLimit)
        }
        length += (terms.count - before) * weight
    }

    private mutating func appendAnalyzed(_ text: String, field: Int, weight: Int) {
        let start = next
        let count = chains[field].forEachTerm(of: text) { term, position in
            terms.append(term)
            // Both are too small for the sum to overflow.
            positions.append(TextPosition(field: field, position: start + min(position, TextPosition.positionLimit)))
        }
        next = min(start + min(count.positions, TextPosition.positionLimit), TextPosition.positionLimit)
        length += count.words * weight
    }

    package var isEmpty: Bool { positions.isEmpty }
}
