internal import LevelKit

/// Compound words.
extension TextSearch {
    /// The words of an index that are compounds of others.
    package final class Compounds {
        private let search: TextSearch
        /// The analyzers of fields in languages that write words together.
        private let chains: [AnalysisChain]
        private var vocabularies: [SegmentVocabulary]?
        /// Whether words are in the index, for those that were looked up.
        private var known: [String: Bool] = [:]

        /// The maximum number of compounds that are added to a query.
        static let limit = 64
        /// The maximum number of compounds of one word that are added to a query.
        private static let wordLimit = 16

        /// A word and the number of its documents.
        package typealias Word = (word: String, documentCount: Int)

        package init(_ search: TextSearch) {
            self.search = search
            let languages = search.index.languages?.languages ?? []
            chains = search.index.fields.analyzers(languages).map(\.analyzer)
                .filter { $0.hasWords && CompoundWords.isUsed(in: $0.language) }.map(AnalysisChain.init)
        }

        /// Returns the words that contain a word as a part, starting with the words in the most documents.
        ///
        /// - Complexity: O(*n*) in the bytes of all words in memory; reads the words of new segments. O(1) if no field
        ///   has a language with compounds.
        package func compounds(of text: String, limit: Int) throws -> [Word] {
            var found: [Word] = []
            var cancellation = CancellationCheck()
            for chain in chains where limit > 0 {
                let tokens = chain.tokens(of: text, isExact: true)
                guard tokens.count == 1, let term = tokens[0].term, let language = chain.analyzer.language else {
                    continue
                }
                let part = String(decoding: term, as: UTF8.self)
                // Most words contain a short one, and none is its compound.
                guard part.unicodeScalars.count >= CompoundWords.minimumLength else { continue }
                let compounds = CompoundWords(language: language) { [self] in isKnown($0) }
                for candidate in try words(containing: term) where found.count < limit {
                    try cancellation.step()
                    guard compounds.isCompound(candidate.word, of: part) else { continue }
                    if !found.contains(where: { $0.word == candidate.word }) { found.append(candidate) }
                }
            }
            return found
        }

        // MARK: - Vocabulary

        private func readVocabularies() throws -> [SegmentVocabulary] {
            if let vocabularies { return vocabularies }
            let segments = search.view.structure.segments
            search.index.tools.forgetVocabularies(except: segments)
            let read = try segments.map { segment in
                try search.index.tools.vocabulary(of: segment) {
                    try SegmentVocabulary(SegmentReader(reader: search.reader, index: search.index, segment: segment))
                }
            }
            vocabularies = read
            return read
        }

        /// Returns the words with a part, starting with those in the most documents.
        private func words(containing part: [UInt8]) throws -> [Word] {
            var words: Set<[UInt8]> = []
            for vocabulary in try readVocabularies() {
                vocabulary.forEachWord(containing: part) { words.insert($0) }
            }
            for unwritten in search.view.unwritten {
                unwritten.pending.forEachTerm(containing: part) {
                    if $0.first != AnalysisChain.stemMark { words.insert(Array($0)) }
                }
            }
            var found: [Word] = []
            for word in words {
                let count = documentCount(of: word)
                if count > 0 { found.append((String(decoding: word, as: UTF8.self), count)) }
            }
            return found.sorted {
                $0.documentCount != $1.documentCount ? $0.documentCount > $1.documentCount : $0.word < $1.word
            }
        }

        private func documentCount(of word: [UInt8]) -> Int {
            var count = (vocabularies ?? []).reduce(0) { $0 + $1.documentCount(of: word) }
            for part in search.view.unwritten {
                let (postings, tombstoneCount) = part.pending.postings(of: word, part.limit)
                count += postings.slots.count - tombstoneCount
            }
            return count
        }

        private func isKnown(_ word: String) -> Bool {
            if let isKnown = known[word] { return isKnown }
            let isKnown = documentCount(of: Array(word.utf8)) > 0
            known[word] = isKnown
            return isKnown
        }

        // MARK: - Queries

        /// Returns the query in which each word is also found as a part of compounds, which count half.
        package func expanded(_ query: TextQuery) throws -> TextQuery {
            if chains.isEmpty { return query }
            var count = Self.limit
            return try expanded(query, &count)
        }

        /// - Parameter count: The number of compounds that can still be added.
        private func expanded(_ query: TextQuery, _ count: inout Int) throws -> TextQuery {
            switch query {
            case .word(let text):
                let compounds = try compounds(of: text, limit: min(count, Self.wordLimit))
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
            case .searchBox(let box): return .searchBox(try expanded(box, &count))
            case .nothing, .phrase, .near, .prefix, .fuzzy: return query
            }
        }

        private func expanded(_ box: SearchBox, _ count: inout Int) throws -> SearchBox {
            func isStopWord(_ part: SearchBox.Part) -> Bool {
                guard case .word(let text) = part.query, !part.isRequired else { return false }
                return CommonWord(text, languages: search.resolver.languages) == .always
            }
            // With compounds, a stop word would count like the other words.
            let hasOthers = !box.parts.allSatisfy(isStopWord)
            return try box.mapping { part in
                hasOthers && isStopWord(part) ? part.query : try expanded(part.query, &count)
            }
        }
    }
}
