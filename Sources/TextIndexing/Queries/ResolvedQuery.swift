/// A ``TextQuery`` resolved for one index: each word is replaced by the terms to look up and the fields to search.
package indirect enum ResolvedQuery: Sendable, Hashable {
    /// Matches no document.
    case nothing
    /// Words that the index leaves out; the rest of the query decides.
    case ignored
    /// Terms that count as one word. A document has the sum of their frequencies; the largest document frequency
    /// determines the weight.
    case word([Term])
    /// Words that follow one another or, with a slop, occur close together in any order.
    case phrase([Part], slop: Int?)
    case and([ResolvedQuery])
    case or([ResolvedQuery])
    case except(ResolvedQuery, ResolvedQuery)
    case prefer(ResolvedQuery, ResolvedQuery)
    case boost(ResolvedQuery, Double)
    case box(ResolvedBox)
    /// The documents of the second query. Those that the first one finds too come before the others.
    case exactFirst(ResolvedQuery, among: ResolvedQuery)

    /// A term, a prefix or a fuzzy word to look up.
    package struct Term: Sendable, Hashable {
        var key: Key
        /// The fields to search, as bits; `nil` for all.
        var fields: UInt32?
    }

    enum Key: Sendable, Hashable {
        case term([UInt8])
        /// All terms with this prefix.
        case prefix([UInt8])
        /// All terms within this edit distance.
        case fuzzy([UInt8], distance: Int)
    }

    /// A word of a phrase.
    package struct Part: Sendable, Hashable {
        let terms: [Term]
        /// The number of words before it in the phrase.
        let position: UInt32
    }
}

extension ResolvedQuery {
    /// The query without ignored words and parts that cannot match.
    var simplified: ResolvedQuery {
        let query = reduced
        return query == .ignored ? .nothing : query
    }

    /// The query without ignored words and parts that cannot match; ``ignored`` if all of its words are ignored.
    var reduced: ResolvedQuery {
        switch self {
        case .nothing, .ignored, .word, .phrase: return self
        case .box(let box): return box.words.isEmpty ? .nothing : self
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
        case .exactFirst(let exact, among: let all):
            let (exact, all) = (exact.reduced, all.reduced)
            return exact.canMatch && all.canMatch && exact != all ? .exactFirst(exact, among: all) : all
        }
    }

    /// Whether a reduced query can match a document.
    var canMatch: Bool { self != .nothing && self != .ignored }

    /// The number of terms to look up, including repetitions.
    var termCount: Int {
        switch self {
        case .nothing, .ignored: 0
        case .word(let terms): terms.count
        case .phrase(let words, _): words.reduce(0) { $0 + $1.terms.count }
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.termCount }
        case .except(let first, let second), .prefer(let first, let second), .exactFirst(let first, among: let second):
            first.termCount + second.termCount
        case .boost(let part, _): part.termCount
        case .box(let box): box.termCount
        }
    }
}
