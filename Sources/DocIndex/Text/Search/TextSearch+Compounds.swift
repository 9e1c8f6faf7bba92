internal import LevelKit

/// Compound words.
extension TextSearch {
    /// The words of an index that are compounds of others.
    struct Compounds {
        /// The words of the index, those in the most documents first.
        private let words: [(word: String, documentCount: Int)]
        /// The analyzers of fields in languages that write words together.
        private let chains: [AnalysisChain]
        private let known: Set<String>

        /// The maximum number of compounds that are added to a query.
        static let limit = 64

        /// - Complexity: O(*n*) in the number of words of the index; O(1) if no field has such a language.
        init(_ search: TextSearch) throws {
            let languages = search.index.languages?.languages ?? []
            chains = search.index.fields.analyzers(languages).map(\.analyzer)
                .filter { $0.hasWords && CompoundWords.isUsed(in: $0.language) }.map(AnalysisChain.init)
            words =
                try chains.isEmpty
                ? []
                : search.terms(from: []).sorted {
                    $0.documentCount != $1.documentCount ? $0.documentCount > $1.documentCount : $0.word < $1.word
                }
            known = Set(words.lazy.map(\.word))
        }

        /// Returns the words that contain a word as a part, starting with the words in the most documents.
        func compounds(of text: String, limit: Int) throws -> [(word: String, documentCount: Int)] {
            var found: [(word: String, documentCount: Int)] = []
            var cancellation = CancellationCheck()
            for chain in chains {
                let tokens = chain.tokens(of: text, isExact: true)
                guard tokens.count == 1, let term = tokens[0].term, let language = chain.analyzer.language else {
                    continue
                }
                let part = String(decoding: term, as: UTF8.self)
                let compounds = CompoundWords(language: language) { known.contains($0) }
                for candidate in words where found.count < limit {
                    try cancellation.step()
                    guard compounds.isCompound(candidate.word, of: part) else { continue }
                    if !found.contains(where: { $0.word == candidate.word }) { found.append(candidate) }
                }
            }
            return found
        }

        /// Returns the query in which each word is also found as a part of compounds, which count half.
        ///
        /// - Parameter count: The number of compounds that can still be added.
        func expanded(_ query: TextQuery, _ count: inout Int) throws -> TextQuery {
            switch query {
            case .word(let text):
                let compounds = try compounds(of: text, limit: min(count, 16))
                count -= compounds.count
                if compounds.isEmpty { return query }
                return .or([query, .boost(.or(compounds.map { .phrase($0.word) }), 0.5)])
            case .and(let parts): return .and(try parts.content.map { try expanded($0, &count) })
            case .or(let parts): return .or(try parts.content.map { try expanded($0, &count) })
            case .except(let wanted, let unwanted):
                return .except(try expanded(wanted.content, &count), unwanted.content)
            case .prefer(let wanted, let optional):
                return .prefer(try expanded(wanted.content, &count), try expanded(optional.content, &count))
            case .field(let name, let part): return .field(name, try expanded(part.content, &count))
            case .boost(let part, let factor): return .boost(try expanded(part.content, &count), factor)
            case .searchBox(let box): return .searchBox(try box.mapping { try expanded($0, &count) })
            case .nothing, .phrase, .near, .prefix, .fuzzy: return query
            }
        }
    }
}
