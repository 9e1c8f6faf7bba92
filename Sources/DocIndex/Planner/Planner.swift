internal import LevelKit

/// Chooses the plan of a query. The choice depends only on the query, the indexes, the document count and the index
/// counts.
struct Planner {
    /// The purpose of a plan.
    enum Purpose: Equatable {
        /// Documents.
        case documents
        /// The values of documents at some paths.
        case fields([FieldPath])
        /// The number of documents.
        case count
    }

    /// The indexes that may be used.
    let valueIndexes: [ValueIndex]
    let geoIndexes: [GeoIndex]
    /// The number of documents in the collection.
    let documentCount: Int
    /// Estimates the number of entries of an index in key ranges.
    let countEntries: (_ ranges: [KeyRange], _ index: any DocumentIndex) throws -> Int
    /// The path of document IDs, and the number of the collection whose map from IDs to rows can be used.
    var idPath: FieldPath?
    var collection: UInt32 = 0
    /// Estimates the number of IDs in ranges of that map.
    var countIDs: (_ ranges: [KeyRange]) throws -> Int = { _ in 0 }
    /// The text index to use; `nil` if there is none or the query has no search.
    var textIndex: TextIndex?
    /// Returns an upper bound on the number of documents that a search finds.
    var countMatches: (TextQuery) throws -> Int = { _ in 0 }
    var costs = CostModel()
    var purpose = Purpose.documents

    /// A plan and its estimated cost.
    struct Option {
        let plan: Plan
        let cost: Double
    }

    /// Returns the cheapest plan. Ties are broken by identity.
    ///
    /// - Throws: ``DocIndexError`` with the code `invalidQuery` if no plan fits the hint.
    func plan(_ query: Query, hint: Query.Options.Hint? = nil) throws -> Plan {
        if hint == nil {
            let (conjuncts, isNone) = Self.conjuncts(of: query)
            let outline = QueryOutline(query, conjuncts: conjuncts, documentCount: Double(documentCount))
            if !isNone, let option = orderedScanOfAnswer(orderedScans(for: query, conjuncts: conjuncts), outline) {
                return option.plan
            }
        }
        let options = try options(for: query)
        if let hint {
            guard let option = options.first(where: { hint.admits($0.plan) }) else {
                throw DocIndexError(
                    .invalidQuery,
                    "no plan of this query matches the hint \(hint); the plans are "
                        + options.map(\.plan.identity).joined(separator: ", "))
            }
            // A hinted plan has no fallback.
            var plan = option.plan
            plan.fallback = nil
            return plan
        }
        return options[0].plan
    }

    /// Returns the plan with an identity, so that a page continues earlier ones; `nil` if it is no longer available.
    ///
    /// - Parameter best: the cheapest plan, which is the first one considered.
    func plan(_ query: Query, identity: String, best: Plan) throws -> Plan? {
        if best.identity.hasSameBytes(as: identity) { return best }
        return try options(for: query).first { $0.plan.identity.hasSameBytes(as: identity) }?.plan
    }

    /// Returns the conditions that must all hold, and whether no document can satisfy them.
    private static func conjuncts(of query: Query) -> ([Filter], isNone: Bool) {
        let filter = query.filter.normalized
        let conjuncts = filter.conjuncts
        return (conjuncts, filter.isNone || isContradiction(conjuncts))
    }

    /// Returns every plan considered, cheapest first. Never empty.
    func options(for query: Query) throws -> [Option] {
        let (conjuncts, isNone) = Self.conjuncts(of: query)
        if isNone {
            return [option(.nothing, .found, exact: Set(conjuncts.indices), of: conjuncts, Plan.Estimate(), cost: 0)]
        }
        let outline = QueryOutline(query, conjuncts: conjuncts, documentCount: Double(documentCount))
        let candidates = try accesses(for: conjuncts)
        let filters = candidates + intersections(of: candidates)
        let resultCount = filters.map(outline.resultCount).min() ?? outline.resultCount(of: everything)
        let filtered = filters.map { self.filter($0, outline) }
        var options = [scan(resultCount, outline, or: filtered.min { $0.cost < $1.cost })] + filtered
        let best = filters.min { $0.precedes($1, by: \.weight) }
        let scans = orderedScans(for: query, conjuncts: conjuncts)
        let answer = orderedScanOfAnswer(scans, outline)
        for candidate in scans where answer?.plan.access != .ordered(candidate.scan, filter: nil) {
            options.append(try orderedScan(candidate, filter: nil, resultCount, outline))
            if let best, !best.access.indexNames.contains(candidate.scan.index) {
                options.append(try orderedScan(candidate, filter: best, resultCount, outline))
            }
        }
        options += nearest(query, conjuncts: conjuncts, resultCount, outline)
        options += try ranked(query, conjuncts: conjuncts, among: filters, resultCount, outline)
        options.sort { $0.cost != $1.cost ? $0.cost < $1.cost : $0.plan.identity < $1.plan.identity }
        if let answer { options.insert(answer, at: 0) }
        return options
    }

    /// Returns whether the conditions on a single-valued path contradict each other.
    private static func isContradiction(_ conjuncts: [Filter]) -> Bool {
        var known: [FieldPath: [ComponentRanges.Interval]] = [:]
        var counts: [FieldPath: Int] = [:]
        for conjunct in conjuncts {
            if let path = conjunct.leafPath, !path.hasArrayStep { counts[path, default: 0] += 1 }
        }
        for conjunct in conjuncts {
            guard let path = conjunct.leafPath, !path.hasArrayStep else { continue }
            // An equality or an IN list can only contradict other conditions on its path.
            switch conjunct {
            case .compare(_, .equal, _), .isIn: if counts[path] == 1 { continue }
            default: break
            }
            guard
                let bounds = ComponentRanges(
                    conjunct, component: IndexDefinition.Component(path), isOnlyComponent: true)
            else { continue }
            let intervals: [ComponentRanges.Interval] =
                switch bounds.shape {
                case .intervals(let intervals): intervals
                case .points(let points):
                    points.sorted { $0.lexicographicallyPrecedes($1) }
                        .map { .init(lower: $0, upper: $0 + OrderedValue.behind) }
                }
            let left = known[path].map { ComponentRanges.intersection($0, intervals) } ?? intervals
            if left.isEmpty { return true }
            known[path] = left
        }
        return false
    }

    // MARK: - Costs

    /// An access to every document.
    private var everything: AccessCandidate {
        AccessCandidate(
            access: .scan, entryCount: Double(documentCount), rowCount: Double(documentCount), cost: 0, exact: [],
            answered: [])
    }

    /// Returns the plan of a full scan.
    ///
    /// - Parameters:
    ///   - resultCount: The estimated number of documents that satisfy the condition; rare results are found late.
    ///   - filter: The best plan that uses indexes. Results may cluster at the end of the collection, so a scan with a
    ///     limit may have to fall back to it.
    private func scan(_ resultCount: Double, _ outline: QueryOutline, or filter: Option?) -> Option {
        let count = Double(documentCount)
        let rowCount = min(resultCount, outline.resultCount(of: everything))
        let read = outline.isSorted ? count : min(count, outline.wanted * count / max(rowCount, 1))
        var cost = costs.seek + read * (costs.documentInScan + (outline.conjuncts.isEmpty ? 0 : costs.condition))
        if outline.isSorted {
            cost += costs.sort(rowCount, keeping: outline.wanted)
            cost += min(rowCount, outline.wanted) * costs.documentByRow
        }
        var plan = option(
            .scan, outline.ordering, exact: [], of: outline.conjuncts,
            Plan.Estimate(keys: read, documents: read, rows: min(rowCount, outline.wanted)), cost: cost
        ).plan
        if let filter, !outline.isSorted, read < count {
            plan.fallback = Plan.Fallback(access: filter.plan.access, cost: filter.cost)
        }
        return Option(plan: plan, cost: cost)
    }

    private func filter(_ filter: AccessCandidate, _ outline: QueryOutline) -> Option {
        let rowCount = outline.resultCount(of: filter)
        let isExact = filter.exact.count == outline.conjuncts.count
        var read =
            outline.isSorted
            ? filter.rowCount : min(filter.rowCount, outline.wanted * filter.rowCount / max(rowCount, 1))
        if isExact, purpose == .count || !outline.isSorted && isCovered(filter.access) { read = 0 }
        var cost = filter.cost + filter.rowCount * costs.setMember
        cost += read * (costs.document(of: filter.rowCount, among: Double(documentCount)) + costs.condition)
        if outline.isSorted {
            cost += costs.sort(rowCount, keeping: outline.wanted)
            cost += min(rowCount, outline.wanted) * costs.documentByRow
        }
        return option(
            filter.access, outline.ordering, exact: filter.exact, of: outline.conjuncts,
            Plan.Estimate(keys: filter.entryCount, documents: read, rows: min(rowCount, outline.wanted)), cost: cost)
    }

    private func orderedScan(
        _ candidate: OrderedScanCandidate, filter: AccessCandidate?, _ resultCount: Double, _ outline: QueryOutline
    ) throws -> Option {
        let entryCount = Double(
            candidate.isWhole ? documentCount : try countEntries(candidate.scan.ranges, candidate.index))
        let matches = max(1, min(resultCount, entryCount))
        let visited = min(entryCount, outline.wanted * entryCount / matches)
        let step = candidate.scan.isDescending ? costs.entryBackward : costs.entryForward
        var cost = Double(candidate.scan.runs.count) * costs.seek + visited * step
        cost += visited * Double(candidate.scan.filters.count) * costs.entryCondition
        var read = visited * candidate.filterSelectivity
        if let filter {
            cost += filter.cost + (filter.rowCount + visited) * costs.setMember
            read = min(filter.rowCount, outline.wanted * filter.rowCount / max(outline.resultCount(of: filter), 1))
        }
        let exact = candidate.exact.union(filter?.exact ?? [])
        if exact.count == outline.conjuncts.count, isCovered(candidate.index) { read = 0 }
        cost += read * (costs.documentByRow + costs.condition)
        return option(
            .ordered(candidate.scan, filter: filter?.access), .found,
            exact: exact, of: outline.conjuncts,
            Plan.Estimate(
                keys: visited + (filter?.entryCount ?? 0), documents: read, rows: min(resultCount, outline.wanted)),
            cost: cost)
    }

    /// Returns whether the entries of an index contain all requested fields, so that no documents are read.
    func isCovered(_ index: ValueIndex) -> Bool {
        guard case .fields(let paths) = purpose else { return false }
        return index.definition.covers(paths)
    }

    /// Returns whether the entries of an access contain all requested fields in the order of rows.
    private func isCovered(_ access: Plan.Access) -> Bool {
        guard case .ranges(let scan) = access, scan.hasRisingRows, scan.ranges.count == 1, scan.filters.isEmpty,
            let index = valueIndexes.first(where: { $0.definition.name == scan.index })
        else { return false }
        return isCovered(index)
    }

    /// Returns the plans that find the nearest locations first, if the query sorts only by distance.
    private func nearest(
        _ query: Query, conjuncts: [Filter], _ resultCount: Double, _ outline: QueryOutline
    ) -> [Option] {
        guard query.sort.count == 1, case .distance(let field, let center) = query.sort[0].key,
            !query.sort[0].isDescending
        else { return [] }
        return geoIndexes.filter { $0.definition.fields == field.paths && holdsAll($0.definition, conjuncts) }.map {
            index in
            let count = Double(documentCount)
            let visited = min(count, 2 * outline.wanted * count / max(resultCount, 1))
            let cost =
                16 * costs.seek + visited * costs.entryForward
                + visited / 2 * (costs.documentByRow + costs.condition + costs.sortKey)
            return option(
                .nearest(index: index.definition.name, center), .found, exact: [], of: conjuncts,
                Plan.Estimate(keys: visited, documents: visited / 2, rows: min(resultCount, outline.wanted)), cost: cost
            )
        }
    }

    /// - Parameter exact: The positions of the conjuncts that hold for every row of the access.
    func option(
        _ access: Plan.Access, _ ordering: Plan.Ordering, exact: Set<Int>, of conjuncts: [Filter],
        _ estimate: Plan.Estimate, cost: Double
    ) -> Option {
        var estimate = estimate
        estimate.microseconds = Int(min(cost / 1000, 1e15))
        let open = conjuncts.indices.filter { !exact.contains($0) }.map { conjuncts[$0] }
        return Option(
            plan: Plan(
                access: access, ordering: ordering, isExact: open.isEmpty, estimate: estimate,
                residual: open.isEmpty ? .all : open.count == 1 ? open[0] : .and(open)), cost: cost)
    }
}

extension Plan.Estimate {
    init(keys: Double = 0, documents: Double = 0, rows: Double = 0) {
        func whole(_ number: Double) -> Int { Int(min(max(number, 0).rounded(.up), 1e15)) }
        self.init(keyCount: whole(keys), documentCount: whole(documents), rowCount: whole(rows), microseconds: 0)
    }
}

/// The properties of a query that costs depend on.
struct QueryOutline {
    let conjuncts: [Filter]
    let isSorted: Bool
    /// The number of results up to the last one returned: the offset plus the limit, or infinity without a limit.
    let wanted: Double
    let ordering: Plan.Ordering
    private let documentCount: Double

    init(_ query: Query, conjuncts: [Filter], documentCount: Double) {
        self.conjuncts = conjuncts
        self.documentCount = documentCount
        isSorted = !query.sort.isEmpty
        wanted = query.limit.map { Double($0) + Double(query.offset) } ?? .infinity
        ordering = isSorted ? (query.limit == nil ? .sort : .top) : .found
    }

    /// Returns how many rows of an access satisfy the rest of the condition. At most two conditions without statistics
    /// count.
    func resultCount(of candidate: AccessCandidate) -> Double {
        let open = conjuncts.indices.count { !candidate.answered.contains($0) }
        let selectivity = [
            1, CostModel.unknownSelectivity, CostModel.unknownSelectivity * CostModel.unknownSelectivity,
        ]
        return candidate.rowCount * selectivity[min(open, 2)]
    }
}
