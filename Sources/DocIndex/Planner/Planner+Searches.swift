/// Accesses through the text index.
extension Planner {
    /// The searches among the conjuncts, combined into one.
    private struct JoinedSearch {
        var query: TextQuery
        var filters: [Filter] = []
        var positions: Set<Int> = []
    }

    /// Returns the combined search of the conjuncts; `nil` if none of them requires a match.
    private func joinedSearch(_ conjuncts: [Filter]) -> JoinedSearch? {
        var wanted: [TextQuery] = []
        var unwanted: [TextQuery] = []
        var joined = JoinedSearch(query: .nothing)
        for (position, conjunct) in conjuncts.enumerated() {
            switch conjunct {
            case .search(let condition): wanted.append(condition.query)
            case .not(let part):
                guard case .search(let condition) = part.content else { continue }
                unwanted.append(condition.query)
            default: continue
            }
            joined.filters.append(conjunct)
            joined.positions.insert(position)
        }
        guard !wanted.isEmpty else { return nil }
        joined.query = wanted.count == 1 ? wanted[0] : .and(wanted)
        if !unwanted.isEmpty { joined.query = .except(joined.query, unwanted.count == 1 ? unwanted[0] : .or(unwanted)) }
        return joined
    }

    /// Returns the rows found by the searches among the conjuncts; `nil` if there are none.
    func searchAccess(_ conjuncts: [Filter]) throws -> AccessCandidate? {
        guard let textIndex, let joined = joinedSearch(conjuncts) else { return nil }
        let count = Double(try countMatches(joined.query))
        let scan = Plan.TextScan(
            index: textIndex.name, used: joined.filters,
            estimatedMatchCount: Int(count), query: joined.query)
        return AccessCandidate(
            access: .search(scan), entryCount: count, rowCount: count,
            cost: costs.search + count * costs.posting * joined.query.readingFactor, exact: joined.positions,
            answered: joined.positions)
    }

    /// Returns the plans that find the best matches first, if the query sorts only by score.
    func ranked(
        _ query: Query, conjuncts: [Filter], among filters: [AccessCandidate], _ resultCount: Double,
        _ outline: QueryOutline
    ) throws -> [Option] {
        guard query.sort == [.bestFirst], let scoring = query.filter.scoringQuery,
            let found = try searchAccess(conjuncts), case .search(let scan) = found.access
        else { return [] }
        // Documents that match another alternative of an OR get a score for that search too.
        let scored = query.filter.normalized.scoredSearches
        let wanted = Set(conjuncts.compactMap { if case .search(let condition) = $0 { condition } else { nil } })
        let isScoredWhole = scored.allSatisfy(wanted.contains)
        let best = Plan.TextScan(
            index: scan.index, used: scan.used, estimatedMatchCount: scan.estimatedMatchCount,
            query: isScoredWhole ? scan.query : scoring)
        let exact = isScoredWhole ? found.exact : []
        let open = conjuncts.count - exact.count
        let cost = costs.search + found.rowCount * costs.scoredPosting * scan.query.readingFactor
        func option(_ filter: AccessCandidate?) -> Option {
            // The rest of the condition is evaluated only on matches that could be among the best.
            let share = found.rowCount / max(1, min(resultCount, found.rowCount))
            let asked = open == 0 ? 0 : min(found.rowCount, outline.wanted * (filter == nil ? 2 * share : 2))
            let given = min(resultCount, outline.wanted)
            var sum = cost + asked * (costs.documentByRow + costs.condition) + given * costs.documentByRow
            if let filter { sum += filter.cost + (filter.rowCount + found.rowCount) * costs.setMember }
            return self.option(
                .ranked(best, filter: filter?.access), .found, exact: exact.union(filter?.exact ?? []), of: conjuncts,
                Plan.Estimate(
                    keys: found.entryCount + (filter?.entryCount ?? 0), documents: asked, rows: given),
                cost: sum)
        }
        let filter = filters.filter { !$0.access.indexNames.contains(scan.index) }.min {
            $0.precedes($1, by: \.weight)
        }
        return [option(nil)] + (filter.map { [option($0)] } ?? [])
    }
}

extension TextQuery {
    /// The cost of reading the matches relative to a single word: phrases compare positions, prefixes merge lists.
    fileprivate var readingFactor: Double {
        switch self {
        case .nothing: 0
        case .word: 1
        case .phrase: 6
        case .near: 8
        case .prefix, .fuzzy: 6
        case .and(let parts), .or(let parts): parts.content.reduce(1) { max($0, $1.readingFactor) }
        case .except(let first, let second), .prefer(let first, let second):
            max(first.content.readingFactor, second.content.readingFactor)
        case .field(_, let part), .boost(let part, _): part.content.readingFactor
        case .searchBox(let box): box.parts.reduce(2) { max($0, $1.query.readingFactor) }
        }
    }
}
