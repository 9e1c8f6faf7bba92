/// A ``TextQuery`` for one index: each word became the terms to look up, and the fields in which they count.
indirect enum ResolvedQuery: Sendable, Hashable {
    /// No document.
    case nothing
    /// Words that the index leaves out; what stands beside them decides.
    case ignored
    /// Terms that count as one: how often a document has any of them, and as seldom as the most frequent is.
    case word([Term])
    /// Words at their places, one after the other, or, with a slop, near one another in any order.
    case phrase([Place], slop: Int?)
    case and([ResolvedQuery])
    case or([ResolvedQuery])
    case except(ResolvedQuery, ResolvedQuery)
    case prefer(ResolvedQuery, ResolvedQuery)
    case boost(ResolvedQuery, Double)

    /// What is looked up.
    struct Term: Sendable, Hashable {
        var key: Key
        /// The fields in which it counts; `nil` for wherever it is.
        var fields: UInt32?
    }

    enum Key: Sendable, Hashable {
        case term([UInt8])
        /// Every term that begins like this.
        case prefix([UInt8])
        /// Every term that differs by so many letters.
        case fuzzy([UInt8], distance: Int)
    }

    /// A word of a phrase.
    struct Place: Sendable, Hashable {
        let terms: [Term]
        /// How many words stand before it.
        let position: UInt32
    }
}

extension ResolvedQuery {
    /// Without what is left out and what cannot match.
    var simplified: ResolvedQuery {
        let query = reduced
        return query == .ignored ? .nothing : query
    }

    private var reduced: ResolvedQuery {
        switch self {
        case .nothing, .ignored, .word, .phrase: return self
        case .and(let parts):
            if parts.isEmpty { return .nothing }
            let reduced = parts.map(\.reduced).filter { $0 != .ignored }
            if reduced.contains(.nothing) { return .nothing }
            return reduced.count < 2 ? reduced.first ?? .ignored : .and(reduced)
        case .or(let parts):
            if parts.isEmpty { return .nothing }
            let found = parts.map(\.reduced)
            let reduced = found.filter { $0 != .ignored && $0 != .nothing }
            if reduced.isEmpty { return found.allSatisfy { $0 == .ignored } ? .ignored : .nothing }
            return reduced.count < 2 ? reduced[0] : .or(reduced)
        case .except(let wanted, let unwanted):
            let (wanted, unwanted) = (wanted.reduced, unwanted.reduced)
            if wanted == .nothing || wanted == .ignored { return .nothing }
            return unwanted == .nothing || unwanted == .ignored ? wanted : .except(wanted, unwanted)
        case .prefer(let wanted, let optional):
            let (wanted, optional) = (wanted.reduced, optional.reduced)
            if wanted == .ignored { return optional }
            if wanted == .nothing || optional == .nothing || optional == .ignored { return wanted }
            return .prefer(wanted, optional)
        case .boost(let part, let factor):
            let reduced = part.reduced
            return reduced == .nothing || reduced == .ignored ? reduced : .boost(reduced, factor)
        }
    }

    /// How many terms are looked up, counted as often as they occur.
    var termCount: Int {
        switch self {
        case .nothing, .ignored: 0
        case .word(let terms): terms.count
        case .phrase(let places, _): places.reduce(0) { $0 + $1.terms.count }
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.termCount }
        case .except(let first, let second), .prefer(let first, let second): first.termCount + second.termCount
        case .boost(let part, _): part.termCount
        }
    }
}
