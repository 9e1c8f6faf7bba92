/// A field of a text index: where its text is, and how its words are found.
package struct TextField: Sendable {
    package let path: FieldPath
    /// The number of occurrences that one occurrence of a word counts as.
    let weight: Int
    package let analyzer: TextAnalyzer

    package init(path: FieldPath, weight: Int, analyzer: TextAnalyzer) {
        self.path = path
        self.weight = weight
        self.analyzer = analyzer
    }
}

extension [TextField] {
    /// The bits of all fields.
    var allBits: UInt32 { UInt32(truncatingIfNeeded: (UInt64(1) << UInt64(count)) - 1) }

    /// The distinct analyzers, each with the bits of the fields that use it, for documents in any of the languages.
    func analyzers(_ languages: [TextAnalyzer.Language]) -> [(analyzer: TextAnalyzer, fields: UInt32)] {
        var analyzers: [(analyzer: TextAnalyzer, fields: UInt32)] = []
        for (field, definition) in enumerated() {
            let bit = UInt32(1) << UInt32(field)
            var own = [definition.analyzer]
            for language in languages {
                let analyzer = definition.analyzer.inLanguage(language)
                if !own.contains(analyzer) { own.append(analyzer) }
            }
            for analyzer in own {
                if let known = analyzers.firstIndex(where: { $0.analyzer == analyzer }) {
                    analyzers[known].fields |= bit
                } else {
                    analyzers.append((analyzer, bit))
                }
            }
        }
        return analyzers
    }
}
