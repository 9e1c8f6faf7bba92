internal import Synchronization

/// Query resolvers, the BM25 weights and vocabularies of one index, kept from one search to the next. Creating them
/// takes longer than looking up a word.
final class SearchTools: Sendable {
    private struct State {
        var resolvers: [LentResolver] = []
        var bm25: BM25?
        var vocabularies: [UInt32: SegmentVocabulary] = [:]
    }

    /// Holds stateful analyzers. Each may be used by only one thread at a time.
    private struct LentResolver: @unchecked Sendable {
        // Unchecked: a resolver is either here or owned by exactly one search.
        let resolver: QueryResolver
    }

    private let state = Mutex(State())
    /// The number of resolvers kept for concurrent searches; any others are discarded after use.
    private static let resolverLimit = 8
    /// The memory that the kept vocabularies may take. Larger ones are read again for each search.
    private static let vocabularyByteLimit = 64 << 20

    /// Returns a resolver for one search, which passes it to ``keep(_:)`` afterwards.
    func resolver(for index: TextIndex) -> QueryResolver {
        let kept = state.withLock { $0.resolvers.popLast() }
        return kept?.resolver
            ?? QueryResolver(
                index.name, fields: index.fields, languages: index.languages?.languages ?? [])
    }

    /// Keeps a resolver for another search.
    func keep(_ resolver: QueryResolver) {
        let lent = LentResolver(resolver: resolver)
        state.withLock { if $0.resolvers.count < Self.resolverLimit { $0.resolvers.append(lent) } }
    }

    /// Returns the weights for these statistics.
    func bm25(_ statistics: IndexStatistics) -> BM25 {
        state.withLock { state in
            if let kept = state.bm25, kept.statistics == statistics { return kept }
            let bm25 = BM25(statistics)
            state.bm25 = bm25
            return bm25
        }
    }

    /// Returns the vocabulary of a segment, which is kept until another search does without the segment.
    func vocabulary(of segment: TextSegment, _ read: () throws -> SegmentVocabulary) rethrows -> SegmentVocabulary {
        if let kept = state.withLock({ $0.vocabularies[segment.number] }) { return kept }
        // Two searches may read the same one.
        let vocabulary = try read()
        state.withLock { state in
            let byteCount = state.vocabularies.values.reduce(vocabulary.byteCount) { $0 + $1.byteCount }
            if byteCount <= Self.vocabularyByteLimit { state.vocabularies[segment.number] = vocabulary }
        }
        return vocabulary
    }

    /// Forgets the vocabularies of segments that were merged.
    func forgetVocabularies(except segments: [TextSegment]) {
        let numbers = Set(segments.map(\.number))
        state.withLock { state in state.vocabularies = state.vocabularies.filter { numbers.contains($0.key) } }
    }
}
