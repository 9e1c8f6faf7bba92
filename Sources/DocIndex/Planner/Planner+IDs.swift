internal import LevelKit

/// Access through the map from document IDs to rows.
extension Planner {
    /// Returns the rows of the IDs that the conditions allow; `nil` if no condition on IDs can be answered by the map.
    func idAccess(_ conjuncts: [Filter]) throws -> AccessCandidate? {
        guard let idPath else { return nil }
        let own = conjuncts.indices.filter { conjuncts[$0].leafPath == idPath }
        for position in own {
            guard let ids = conjuncts[position].wantedIDs else { continue }
            let ranges = ids.map { KeyRange.only(StoreKey.id(collection, $0)) }
            let count = Double(ids.count)
            return candidate(
                Plan.IDScan(ranges: ranges, used: [conjuncts[position]], ids: ids, estimatedCount: ids.count),
                [position],
                count: count, cost: count * costs.seek)
        }
        var left: ComponentRanges.Interval?
        var used: Set<Int> = []
        for position in own {
            guard let next = conjuncts[position].idInterval else { continue }
            used.insert(position)
            guard let known = left else {
                left = next
                continue
            }
            left = ComponentRanges.intersection([known], [next]).first ?? .init(lower: [], upper: [])
        }
        guard let left else { return nil }
        let prefix = StoreKey.ids.prefix(collection)
        let ranges = left.isEmpty ? [] : [KeyRange.range(from: prefix + left.lower, to: prefix + left.upper)]
        let count = try ranges.isEmpty ? 0 : countIDs(ranges)
        return candidate(
            Plan.IDScan(ranges: ranges, used: used.sorted().map { conjuncts[$0] }, ids: nil, estimatedCount: count),
            used,
            count: Double(count), cost: costs.seek + Double(count) * costs.entryForward)
    }

    private func candidate(_ scan: Plan.IDScan, _ exact: Set<Int>, count: Double, cost: Double) -> AccessCandidate {
        AccessCandidate(
            access: .ids(scan), entryCount: count, rowCount: count, cost: cost, exact: exact, answered: exact)
    }
}

extension Filter {
    /// The IDs that the condition allows, ascending; `nil` unless it is an equality or an IN list.
    fileprivate var wantedIDs: [DocumentID]? {
        let values: [DocumentValue]
        switch self {
        case .compare(_, .equal, let value): values = [value]
        case .isIn(_, let several): values = several
        default: return nil
        }
        // Document IDs are never doubles, but a whole double equals an integer.
        return Set(values.compactMap { DocumentID(OrderedValue.canonical($0)) }).sorted()
    }

    /// The range of encoded IDs that the condition allows; `nil` for other conditions.
    fileprivate var idInterval: ComponentRanges.Interval? {
        switch self {
        case .compare(_, let comparison, let value):
            let first: [UInt8]
            let end: [UInt8]
            switch value {
            case .string: (first, end) = (DocumentID.string("").encoded, DocumentID.int(.min).encoded)
            case .int: (first, end) = (DocumentID.int(.min).encoded, DocumentID.int(.max).encoded + [0])
            default: return nil
            }
            guard let id = DocumentID(value)?.encoded else { return nil }
            // The next possible ID.
            let behind = id + [0]
            return switch comparison {
            case .equal: .init(lower: id, upper: behind)
            case .less: .init(lower: first, upper: id)
            case .lessOrEqual: .init(lower: first, upper: behind)
            case .greater: .init(lower: behind, upper: end)
            case .greaterOrEqual: .init(lower: id, upper: end)
            }
        case .hasPrefix(_, let text):
            // Drop the byte that terminates the string.
            let lower = Array(DocumentID.string(text).encoded.dropLast())
            return KeyRange.successor(ofPrefix: lower).map { .init(lower: lower, upper: $0) }
        default: return nil
        }
    }
}
