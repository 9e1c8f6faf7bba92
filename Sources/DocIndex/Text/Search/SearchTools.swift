internal import Synchronization

/// What searches of one index need besides postings, kept from one to the next: to make it takes longer than to look up a
/// word.
final class SearchTools: Sendable {
    private struct State {
        var resolvers: [LentResolver] = []
        var scorer: BM25?
    }

    /// Holds analyzers at work, which belong to one thread at a time.
    private struct LentResolver: @unchecked Sendable {
        // Unchecked: a resolver is either here, or with the one search that took it.
        let resolver: QueryResolver
    }

    private let state = Mutex(State())
    /// As many as answer at the same time; more are made and thrown away.
    private static let resolverLimit = 8

    /// A resolver for one search, which gives it back to ``keep(_:)`` when it is done.
    func resolver(for index: TextIndex) -> QueryResolver {
        let kept = state.withLock { $0.resolvers.popLast() }
        return kept?.resolver ?? QueryResolver(index)
    }

    /// Keeps a resolver for another search.
    func keep(_ resolver: QueryResolver) {
        let lent = LentResolver(resolver: resolver)
        state.withLock { if $0.resolvers.count < Self.resolverLimit { $0.resolvers.append(lent) } }
    }

    /// The weights of terms over so many documents and words.
    func scorer(_ statistics: IndexStatistics) -> BM25 {
        state.withLock { state in
            if let kept = state.scorer, kept.statistics == statistics { return kept }
            let scorer = BM25(statistics)
            state.scorer = scorer
            return scorer
        }
    }
}
