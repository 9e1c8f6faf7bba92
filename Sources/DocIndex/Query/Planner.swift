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
        if let limit = query.limit, let walk = orderedAccess(for: query) {
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
    /// index, or the index does not hold all of these documents.
    private func candidate(for conjuncts: [Predicate], index: ValueIndex) -> Candidate? {
        guard holdsAll(index, where: conjuncts) else { return nil }
        var prefixes = [index.entryPrefix]
        var conditions: [String] = []
        var arrays: [FieldPath] = []
        for component in index.definition.components {
            // The conditions may be satisfied by different elements, an entry is made from one.
            if arrays.contains(where: { IndexTuples.shareArray($0, component.path) }) { break }
            arrays.append(component.path)
            if let points = points(for: conjuncts, component: component), prefixes.count * points.count <= 1000 {
                prefixes = prefixes.flatMap { prefix in points.map { prefix + $0 } }
                conditions.append("\(component.path) = \(points.count == 1 ? "…" : "\(points.count) values")")
                continue
            }
            guard let bounds = bounds(for: conjuncts, component: component) else { break }
            conditions.append("\(component.path) in a range")
            let ranges = prefixes.map { bounds.range(behind: $0, order: component.order) }
            return Candidate(
                access: .ranges(index: index.definition.name, ranges: ranges, conditions: conditions), ranges: ranges)
        }
        guard !conditions.isEmpty else { return nil }
        let ranges = prefixes.sorted { $0.lexicographicallyPrecedes($1) }.map { KeyRange.entries(behind: $0) }
        return Candidate(
            access: .ranges(index: index.definition.name, ranges: ranges, conditions: conditions), ranges: ranges)
    }

    /// Whether a document for which the conjuncts are true is sure to be in the index.
    private func holdsAll(_ index: ValueIndex, where conjuncts: [Predicate]) -> Bool {
        let definition = index.definition
        if definition.isSparse, !conjuncts.contains(where: { $0.implies(.exists(definition.components[0].path)) }) {
            return false
        }
        return definition.condition.map { Predicate.conjunction(conjuncts, implies: $0.predicate) } ?? true
    }

    /// The encoded values, each once, of which a component must have one.
    ///
    /// Equal values have equal bytes whatever the component makes of them, so this is right for every component; others
    /// may have the same bytes, which the check of the document finds out.
    private func points(for conjuncts: [Predicate], component: IndexComponent) -> [[UInt8]]? {
        let field = component.path
        for conjunct in conjuncts {
            switch conjunct {
            case .compare(field, .equal, let value): return [component.encoded(value)]
            case .isIn(field, let values):
                var seen: Set<[UInt8]> = []
                return values.map(component.encoded).filter { seen.insert($0).inserted }
            case .not(.exists(field)): return [component.encoded(nil)]
            default: continue
            }
        }
        return nil
    }

    private func bounds(for conjuncts: [Predicate], component: IndexComponent) -> ValueBounds? {
        var bounds: ValueBounds?
        for conjunct in conjuncts {
            guard let next = ValueBounds(conjunct, component: component) else { continue }
            guard let known = bounds else {
                bounds = next
                // Each condition on elements may be satisfied by another element, so only one can narrow the range.
                if component.path.hasArrayStep { return bounds }
                continue
            }
            bounds = known.intersected(with: next)
        }
        return bounds
    }

    // MARK: - Access by order

    /// An index over the fields that are sorted by, in their directions or the reverse of all of them; ties are put in
    /// the order of ids as they are met.
    private func orderedAccess(for query: Query) -> Plan.Access? {
        let sort = query.sort
        guard !sort.isEmpty, sort.allSatisfy({ !$0.path.hasArrayStep }) else { return nil }
        let conjuncts = query.predicate.conjuncts
        for index in indexes where index.definition.fields == sort.map(\.path) && holdsAll(index, where: conjuncts) {
            let components = index.definition.components
            guard components.allSatisfy(\.hasOrderOfValues) else { continue }
            let turns = zip(components, sort).map { ($0.order == .descending) != $1.isDescending }
            if Set(turns).count == 1 { return .walk(index: index.definition.name, isDescending: turns[0]) }
        }
        return nil
    }
}

/// The values between which a component must lie.
private struct ValueBounds {
    /// A place between two values, by the bytes of a component that is ascending.
    private enum Edge {
        /// Before every value whose encoding begins with this byte or a larger one.
        case kind(UInt8)
        /// Before a value, and behind it.
        case before([UInt8])
        case behind([UInt8])
        /// Before every value whose encoding begins with these bytes, and behind all of them.
        case beforePrefix([UInt8])
        case behindPrefix([UInt8])

        /// The smallest key behind the place, in a component that is ascending.
        var ascending: [UInt8] {
            switch self {
            case .kind(let kind): [kind]
            case .before(let value), .beforePrefix(let value): value
            case .behind(let value): value + OrderedValue.behind
            case .behindPrefix(let prefix): KeyRange.successor(ofPrefix: prefix) ?? [0xff]
            }
        }

        /// The smallest key behind the place in a component that is descending, where it lies the other way round:
        /// larger values first, and a longer text, which goes on with `00`, before a shorter one.
        var descending: [UInt8] {
            switch self {
            case .kind(let kind): [~kind &+ 1]
            case .before(let value): value.map { ~$0 } + OrderedValue.behind
            case .behind(let value): value.map { ~$0 } + [0x01]
            case .beforePrefix(let prefix): KeyRange.successor(ofPrefix: prefix.map { ~$0 }) ?? [0xff]
            case .behindPrefix(let prefix): prefix.map { ~$0 }
            }
        }
    }

    private var lower: Edge
    private var upper: Edge

    /// The bounds that a condition sets; `nil` if it is of another kind or on another field, or the component puts
    /// such values in an order that is not that of the condition.
    init?(_ predicate: Predicate, component: IndexComponent) {
        let field = component.path
        switch predicate {
        case .compare(field, let comparison, let value):
            guard let kind = Self.kindWithOrder(of: value, component: component) else { return nil }
            let point = OrderedValue.encoded(value)
            switch comparison {
            case .equal: (lower, upper) = (.before(point), .behind(point))
            case .less: (lower, upper) = (.kind(kind), .before(point))
            case .lessOrEqual: (lower, upper) = (.kind(kind), .behind(point))
            case .greater: (lower, upper) = (.behind(point), .kind(kind + 1))
            case .greaterOrEqual: (lower, upper) = (.before(point), .kind(kind + 1))
            }
        case .hasPrefix(field, let text):
            let prefix: [UInt8]
            if component.hasOrderOfValues {
                prefix = Array(OrderedValue.encoded(.string(text)).dropLast())
            } else if let levels = component.levelPrefix(ofTextsBeginningWith: text) {
                prefix = levels
            } else {
                return nil
            }
            (lower, upper) = (.beforePrefix(prefix), .behindPrefix(prefix))
        case .exists(field): (lower, upper) = (.kind(OrderedValue.Kind.missing.rawValue + 1), .kind(0xff))
        default: return nil
        }
    }

    /// The first byte of the values that the constant is compared with; `nil` where ranges are not by bytes.
    private static func kindWithOrder(of value: DocumentValue, component: IndexComponent) -> UInt8? {
        switch value {
        case .int, .double: component.part == nil ? OrderedValue.Kind.number.rawValue : nil
        case .string: component.hasOrderOfValues ? OrderedValue.Kind.string.rawValue : nil
        case .date: component.hasOrderOfValues ? OrderedValue.Kind.date.rawValue : nil
        case .bytes: component.part == nil ? OrderedValue.Kind.bytes.rawValue : nil
        default: nil
        }
    }

    func intersected(with other: ValueBounds) -> ValueBounds {
        var bounds = self
        if lower.ascending.lexicographicallyPrecedes(other.lower.ascending) { bounds.lower = other.lower }
        if other.upper.ascending.lexicographicallyPrecedes(upper.ascending) { bounds.upper = other.upper }
        return bounds
    }

    func range(behind prefix: [UInt8], order: IndexComponent.Order) -> KeyRange {
        switch order {
        case .ascending: .from(prefix + lower.ascending, to: prefix + upper.ascending)
        case .descending: .from(prefix + upper.descending, to: prefix + lower.descending)
        }
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
