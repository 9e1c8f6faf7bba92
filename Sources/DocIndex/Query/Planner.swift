internal import LevelKit

/// Chooses the plan of a query. A function of the query, the indexes and two counts, and of nothing else.
struct Planner {
    /// The value indexes that may be used.
    let indexes: [ValueIndex]
    /// Documents in the collection.
    let documentCount: Int
    /// Counts the entries in key ranges, and stops at a limit.
    let countEntries: (_ ranges: [KeyRange], _ limit: Int) throws -> Int

    func plan(_ query: Query) throws -> Plan {
        let filter = try cheapestAccess(for: query.predicate)
        if let limit = query.limit, let walk = orderedAccess(for: query.sort) {
            // Walking meets a match every N/n entries; the sorting plan reads all n. They cost the same where
            // n = sqrt(limit · N).
            let wanted = Double(limit) + Double(query.offset)
            let matches = Double(filter?.entryCount ?? documentCount)
            if matches * matches > wanted * Double(documentCount) || filter == nil {
                return Plan(access: walk, estimatedEntryCount: nil, sorts: false)
            }
        }
        guard let filter else {
            return Plan(access: .scan, estimatedEntryCount: documentCount, sorts: !query.sort.isEmpty)
        }
        return Plan(access: filter.access, estimatedEntryCount: filter.entryCount, sorts: true)
    }

    // MARK: - Access by condition

    private struct Candidate {
        let access: Plan.Access
        let ranges: [KeyRange]
        var entryCount = 0
    }

    /// The access with the fewest entries; `nil` if no index can answer any part, or none is better than a scan.
    private func cheapestAccess(for predicate: Predicate) throws -> Candidate? {
        let conjuncts = predicate.conjuncts
        var candidates = indexes.compactMap { candidate(for: conjuncts, index: $0) }
        for conjunct in conjuncts {
            if case .or(let parts) = conjunct, let union = try unionAccess(for: parts) { candidates.append(union) }
        }
        guard let best = try fewestEntries(candidates) else { return nil }
        // A document reached through an index costs about twice that of one met in a scan.
        return best.entryCount * 2 <= documentCount + 64 ? best : nil
    }

    private func unionAccess(for parts: [Predicate]) throws -> Candidate? {
        var accesses: [Plan.Access] = []
        var ranges: [KeyRange] = []
        for part in parts {
            guard let access = try cheapestAccess(for: part) else { return nil }
            accesses.append(access.access)
            ranges += access.ranges
        }
        return Candidate(access: .union(accesses), ranges: ranges)
    }

    /// Counts all candidates together with a rising limit, so that the cost is that of the smallest.
    private func fewestEntries(_ candidates: [Candidate]) throws -> Candidate? {
        var limit = 64
        while !candidates.isEmpty {
            var best: Candidate?
            for var candidate in candidates {
                candidate.entryCount = try countEntries(candidate.ranges, limit)
                if candidate.entryCount < min(limit, best?.entryCount ?? .max) { best = candidate }
            }
            if let best { return best }
            if limit > documentCount { break }
            limit *= 8
        }
        return nil
    }

    /// The ranges of an index that hold every document for which the conjuncts can be true; `nil` if that is the whole
    /// index.
    private func candidate(for conjuncts: [Predicate], index: ValueIndex) -> Candidate? {
        var prefixes = [index.entryPrefix]
        var conditions: [String] = []
        for field in index.definition.fields {
            if let points = points(for: conjuncts, field: field), prefixes.count * points.count <= 1000 {
                prefixes = prefixes.flatMap { prefix in points.map { prefix + $0 } }
                conditions.append("\(field) = \(points.count == 1 ? "…" : "\(points.count) values")")
                continue
            }
            guard let bounds = bounds(for: conjuncts, field: field) else { break }
            conditions.append("\(field) in a range")
            let ranges = prefixes.map { bounds.range(behind: $0) }
            return Candidate(
                access: .ranges(index: index.definition.name, ranges: ranges, conditions: conditions), ranges: ranges)
        }
        guard !conditions.isEmpty else { return nil }
        let ranges = prefixes.sorted { $0.lexicographicallyPrecedes($1) }
            .map { KeyRange.from($0, to: $0 + OrderedValue.behind) }
        return Candidate(
            access: .ranges(index: index.definition.name, ranges: ranges, conditions: conditions), ranges: ranges)
    }

    /// The encoded values, each once, of which a field must have one.
    private func points(for conjuncts: [Predicate], field: FieldPath) -> [[UInt8]]? {
        for conjunct in conjuncts {
            switch conjunct {
            case .compare(field, .equal, let value): return [OrderedValue.encoded(value)]
            case .isIn(field, let values):
                var seen: Set<[UInt8]> = []
                return values.map(OrderedValue.encoded).filter { seen.insert($0).inserted }
            case .not(.exists(field)): return [OrderedValue.encoded(nil)]
            default: continue
            }
        }
        return nil
    }

    private func bounds(for conjuncts: [Predicate], field: FieldPath) -> ValueBounds? {
        var bounds: ValueBounds?
        for conjunct in conjuncts {
            guard let next = ValueBounds(conjunct, field: field) else { continue }
            guard let known = bounds else {
                bounds = next
                // Each condition on elements may be satisfied by another element, so only one can narrow the range.
                if field.hasArrayStep { return bounds }
                continue
            }
            bounds = known.intersected(with: next)
        }
        return bounds
    }

    // MARK: - Access by order

    /// An index over the one field that is sorted by; ties within it are put in the order of ids as they are met.
    private func orderedAccess(for sort: [Query.SortKey]) -> Plan.Access? {
        guard sort.count == 1, !sort[0].path.hasArrayStep else { return nil }
        let index = indexes.first { $0.definition.fields == [sort[0].path] }
        return index.map { .walk(index: $0.definition.name, isDescending: sort[0].isDescending) }
    }
}

/// The encoded values between which a field must lie, both ends as bytes behind the prefix of an index.
private struct ValueBounds {
    /// Contained.
    var lower: [UInt8]
    /// Not contained.
    var upper: [UInt8]

    /// The bounds that a condition on `field` sets; `nil` if it is of another kind or on another field.
    init?(_ predicate: Predicate, field: FieldPath) {
        switch predicate {
        case .compare(field, let comparison, let value):
            guard let kind = Self.kindWithOrder(of: value) else { return nil }
            let point = OrderedValue.encoded(value)
            let behind = point + OrderedValue.behind
            switch comparison {
            case .equal: (lower, upper) = (point, behind)
            case .less: (lower, upper) = ([kind], point)
            case .lessOrEqual: (lower, upper) = ([kind], behind)
            case .greater: (lower, upper) = (behind, [kind + 1])
            case .greaterOrEqual: (lower, upper) = (point, [kind + 1])
            }
        case .hasPrefix(field, let text):
            var point = OrderedValue.encoded(.string(text))
            point.removeLast()
            lower = point
            upper = KeyRange.successor(ofPrefix: point) ?? [OrderedValue.Kind.string.rawValue + 1]
        case .exists(field):
            lower = [OrderedValue.Kind.missing.rawValue + 1]
            upper = [0xff]
        default: return nil
        }
    }

    /// The first byte of the values that the constant is compared with; `nil` where ranges are not by bytes.
    private static func kindWithOrder(of value: DocumentValue) -> UInt8? {
        switch value {
        case .int, .double: OrderedValue.Kind.number.rawValue
        case .string: OrderedValue.Kind.string.rawValue
        case .bytes: OrderedValue.Kind.bytes.rawValue
        case .date: OrderedValue.Kind.date.rawValue
        default: nil
        }
    }

    func intersected(with other: ValueBounds) -> ValueBounds {
        var bounds = self
        if lower.lexicographicallyPrecedes(other.lower) { bounds.lower = other.lower }
        if other.upper.lexicographicallyPrecedes(upper) { bounds.upper = other.upper }
        return bounds
    }

    func range(behind prefix: [UInt8]) -> KeyRange {
        .from(prefix + lower, to: prefix + upper)
    }
}

extension Predicate {
    /// The conditions that must all hold.
    var conjuncts: [Predicate] {
        switch self {
        case .and(let parts): parts.flatMap(\.conjuncts)
        case .all: []
        default: [self]
        }
    }
}
