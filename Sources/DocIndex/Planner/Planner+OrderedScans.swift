internal import LevelKit

/// An ordered scan of an index and its properties for cost estimates.
struct OrderedScanCandidate {
    let scan: Plan.OrderedIndexScan
    /// The index of the scan.
    let index: ValueIndex
    /// Whether every document has exactly one entry in the scan.
    let isWhole: Bool
    /// The conjuncts that every row is certain to satisfy.
    let exact: Set<Int>

    var filterSelectivity: Double { scan.filters.isEmpty ? 1 : CostModel.unknownSelectivity }

    /// Returns whether the scan visits exactly the results, so that no other plan finds the first results faster.
    func isAnswer(to conjuncts: [Filter]) -> Bool {
        exact.count == conjuncts.count && scan.filters.isEmpty && scan.runs.count == 1
    }
}

extension Planner {
    /// The maximum number of runs that are merged.
    static let runLimit = 100

    /// Returns the ordered scan of an index whose first entries are the results up to the limit; `nil` without such an
    /// index or without a limit.
    ///
    /// No other plan reads less, so this one is chosen without counting entries. For short results, counting would be
    /// most of the work.
    func orderedScanOfAnswer(_ scans: [OrderedScanCandidate], _ outline: QueryOutline) -> Option? {
        guard outline.wanted < .infinity else { return nil }
        let answers = scans.filter { $0.isAnswer(to: outline.conjuncts) }
        let first = answers.min {
            let covered = (isCovered($0.index), isCovered($1.index))
            if covered.0 != covered.1 { return covered.0 }
            return $0.scan.isDescending != $1.scan.isDescending ? !$0.scan.isDescending : $0.scan.index < $1.scan.index
        }
        return first.map { candidate in
            let count = min(outline.wanted, Double(documentCount))
            let step = candidate.scan.isDescending ? costs.entryBackward : costs.entryForward
            let read = isCovered(candidate.index) ? 0 : count
            return option(
                .ordered(candidate.scan, filter: nil), .found, exact: candidate.exact, of: outline.conjuncts,
                Plan.Estimate(keys: count, documents: read, rows: count),
                cost: costs.seek + count * step + read * costs.documentByRow)
        }
    }

    /// Returns the scans of indexes that have the order of the query: the sort keys follow the components that
    /// conditions fix, either in their own directions or all reversed.
    func orderedScans(for query: Query, conjuncts: [Filter]) -> [OrderedScanCandidate] {
        guard !query.sort.isEmpty, let keys = Self.openKeys(of: query.sort, conjuncts), !keys.isEmpty else { return [] }
        let conditions = PlannedCondition.all(of: conjuncts)
        var scans: [OrderedScanCandidate] = []
        for index in valueIndexes {
            // Most indexes do not contain the first sort key.
            guard index.components.contains(where: { $0.path == keys[0].path }), holdsAll(index.definition, conjuncts)
            else { continue }
            var prefix = IndexPrefix(index)
            while true {
                if let isDescending = Self.direction(of: index.components[prefix.position...], along: keys) {
                    scans.append(
                        orderedScan(index, prefix, conditions, keyCount: keys.count, isDescending: isDescending))
                    break
                }
                guard prefix.takePoints(conditions), prefix.prefixes.count <= Self.runLimit,
                    prefix.position < index.components.count
                else { break }
            }
        }
        return scans
    }

    /// A sort key that affects the order.
    struct OpenKey {
        let path: FieldPath
        let isDescending: Bool
        let collation: TextCollation
    }

    /// Returns the sort keys without those whose value the condition fixes; `nil` if one of the keys is not a field.
    static func openKeys(of sort: [Query.SortKey], _ conjuncts: [Filter]) -> [OpenKey]? {
        var fixed: Set<FieldPath> = []
        for conjunct in conjuncts {
            switch conjunct {
            case .compare(let path, .equal, _), .collates(let path, .equal, _):
                if !path.hasArrayStep { fixed.insert(path) }
            default:
                if let path = conjunct.missingPath, !path.hasArrayStep { fixed.insert(path) }
            }
        }
        var keys: [OpenKey] = []
        for key in sort {
            guard case .field(let path) = key.key else { return nil }
            // A repeated field has no effect, unless its first collation treats different strings as equal.
            guard !fixed.contains(path), !keys.contains(where: { $0.path == path && $0.collation == key.collation })
            else { continue }
            if key.collation.tellsTextsApart { fixed.insert(path) }
            keys.append(OpenKey(path: path, isDescending: key.isDescending, collation: key.collation))
        }
        return keys
    }

    /// Returns whether the components must be read backward to have the order of the sort keys; `nil` if they have it
    /// in neither direction.
    private static func direction(of components: ArraySlice<IndexDefinition.Component>, along keys: [OpenKey]) -> Bool?
    {
        guard components.count >= keys.count else { return nil }
        var isDescending: Bool?
        for (component, key) in zip(components, keys) {
            guard component.path == key.path, component.collation == key.collation, component.hasOrderOfTexts,
                !component.path.hasArrayStep
            else { return nil }
            let turn = (component.order == .descending) != key.isDescending
            if let isDescending, isDescending != turn { return nil }
            isDescending = turn
        }
        return isDescending
    }

    private func orderedScan(
        _ index: ValueIndex, _ start: IndexPrefix, _ conditions: [PlannedCondition], keyCount: Int, isDescending: Bool
    ) -> OrderedScanCandidate {
        var prefix = start
        var runs: [Plan.OrderedIndexScan.Run] = []
        let first = prefix.position
        if let intervals = prefix.takeIntervals(conditions), prefix.prefixes.count * intervals.count <= Self.runLimit {
            for prefix in prefix.prefixes {
                runs += intervals.map {
                    .init(range: .range(from: prefix + $0.lower, to: prefix + $0.upper), prefix: prefix)
                }
            }
        } else {
            prefix = start
            runs = prefix.prefixes.map { .init(range: .entries(behind: $0), prefix: $0) }
        }
        let filters = prefix.filters(conditions, behind: first + (prefix.hasIntervals ? 1 : 0))
        let isWhole =
            first == 0 && !prefix.hasIntervals && index.definition.condition == nil
            && !index.definition.isSparse && !index.definition.fields.contains(where: \.hasArrayStep)
        let scan = Plan.OrderedIndexScan(
            index: index.definition.name, isDescending: isDescending, used: prefix.notes, runs: runs,
            sortComponents: first..<first + keyCount, filters: filters.map { .component($0.component, $0.filter) })
        return OrderedScanCandidate(
            scan: scan, index: index, isWhole: isWhole,
            exact: prefix.exact.union(filters.compactMap { $0.isExact ? $0.conjunct : nil }))
    }
}

extension TextCollation {
    /// Whether only identical strings compare equal.
    var tellsTextsApart: Bool {
        switch self {
        case .binary, .natural: true
        case .caseInsensitive, .caseAndAccentInsensitive: false
        }
    }
}
