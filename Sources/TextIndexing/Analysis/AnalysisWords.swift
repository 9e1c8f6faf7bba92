internal import Synchronization

/// The stop words and synonyms of an analyzer in the form used for comparison. Preparing them takes longer than most
/// searches, so the latest ones are kept.
final class AnalysisWords: Sendable {
    /// The stop words, folded.
    let stopWords: Set<[UInt8]>
    /// The synonyms of each word or phrase, each as the terms of its words.
    let synonyms: [[[UInt8]]: [[[UInt8]]]]

    private static let none = AnalysisWords(stopWords: [], synonyms: [:])
    private static let kept = Mutex<[TextAnalyzer: AnalysisWords]>([:])
    /// Each store has a few analyzers, and each process a few stores.
    private static let keptLimit = 32

    /// Returns the words of an analyzer.
    ///
    /// - Complexity: O(*n*) in the number of its words, which are hashed if they are cached and analyzed if not.
    static func of(_ analyzer: TextAnalyzer) -> AnalysisWords {
        if analyzer.stopWords == .none, analyzer.synonyms.isEmpty { return none }
        if let known = kept.withLock({ $0[analyzer] }) { return known }
        let words = AnalysisWords(stopWords: stopWords(analyzer), synonyms: synonyms(analyzer))
        kept.withLock { kept in
            if kept.count >= keptLimit { kept.removeAll() }
            kept[analyzer] = words
        }
        return words
    }

    private init(stopWords: Set<[UInt8]>, synonyms: [[[UInt8]]: [[[UInt8]]]]) {
        self.stopWords = stopWords
        self.synonyms = synonyms
    }

    private static func stopWords(_ analyzer: TextAnalyzer) -> Set<[UInt8]> {
        let words: [String] =
            switch analyzer.stopWords {
            case .none: []
            case .ofLanguage: analyzer.language?.stopWords ?? []
            case .words(let words): words
            }
        return Set(words.map { Array(TextFolding.folded($0, case: analyzer.foldsCase, accents: true).utf8) })
    }

    private static func synonyms(_ analyzer: TextAnalyzer) -> [[[UInt8]]: [[[UInt8]]]] {
        if analyzer.synonyms.isEmpty { return [:] }
        let plain = AnalysisChain(analyzer.withoutSynonyms)
        var all: [[[UInt8]]: [[[UInt8]]]] = [:]
        for group in analyzer.synonyms {
            // In the form in which they are looked up: stems if there is a stemmer.
            let phrases = group.map { plain.tokens(of: $0, isExact: false).compactMap(\.term) }.filter { !$0.isEmpty }
            for phrase in phrases {
                for other in phrases where other != phrase && all[phrase]?.contains(other) != true {
                    all[phrase, default: []].append(other)
                }
            }
        }
        return all
    }
}
