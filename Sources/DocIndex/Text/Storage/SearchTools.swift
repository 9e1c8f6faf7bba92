internal import Synchronization

/// Query resolvers and the scorer of one index, kept from one search to the next. Creating them takes longer than
/// looking up a word.
final class SearchTools: Sendable {
    private struct State {
        var resolvers: [LentResolver] = []
        var scorer: BM25?
    }

    /// Holds stateful analyzers. Each may be used by only one thread at a time.
    private struct LentResolver: @unchecked Sendable {
        // Unchecked: a resolver is either here or owned by exactly one search.
        let resolver: QueryResolver
    }

    private let state = Mutex(State())
    /// The number of resolvers kept for concurrent searches; any others are discarded after use.
    private static let resolverLimit = 8

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

    /// Returns the scorer for these statistics.
    func scorer(_ statistics: IndexStatistics) -> BM25 {
        state.withLock { state in
            if let kept = state.scorer, kept.statistics == statistics { return kept }
            let scorer = BM25(statistics)
            state.scorer = scorer
            return scorer
        }
    }
}
