internal import LevelKit

/// A way to rows, with what it would cost.
struct AccessCandidate {
    var access: Plan.Access
    /// Entries that are read.
    var entryCount: Double
    /// Rows that are found.
    var rowCount: Double
    /// Of finding the rows.
    var cost: Double
    /// The conjuncts that every row is sure to satisfy.
    var exact: Set<Int>
    /// The conjuncts that decide about the rows.
    var answered: Set<Int>

    /// The cost of finding the rows, and something for each that is found.
    var weight: Double { cost + rowCount }

    /// Whether this one has less of something, or as much and a name that comes first.
    func precedes(_ other: AccessCandidate, by measure: (AccessCandidate) -> Double) -> Bool {
        let (own, others) = (measure(self), measure(other))
        return own != others ? own < others : access.identity < other.access.identity
    }
}

/// A condition that an index may help with.
struct PlannedCondition {
    let predicate: Predicate
    /// The path that it, or its opposite, is about; `nil` for one on several paths.
    let path: FieldPath?
    /// Its place among the conjuncts; `nil` for one that follows from a conjunct.
    let conjunct: Int?
    /// The conjunct whose conditions one element must satisfy together.
    let element: Int?

    /// The conjuncts, and what follows from those that ask for an element.
    static func all(of conjuncts: [Predicate]) -> [PlannedCondition] {
        var result = conjuncts.enumerated().map {
            PlannedCondition(predicate: $1, path: $1.entryPath, conjunct: $0, element: nil)
        }
        for (position, conjunct) in conjuncts.enumerated() {
            guard case .anyElement(let path, let part) = conjunct else { continue }
            for inner in part.normalized.conjuncts {
                // What an element has not, another may have.
                guard let moved = inner.moved(below: path.eachElement) else { continue }
                result.append(
                    PlannedCondition(predicate: moved, path: moved.entryPath, conjunct: nil, element: position))
            }
        }
        return result
    }
}

extension Planner {
    /// The accesses by one index each, and by one for each side of an OR.
    ///
    /// - Parameter depth: how many alternatives lie around the conditions.
    /// - Throws: also `CancellationError`: of a condition with thousands of parts, planning takes a while.
    func accesses(for conjuncts: [Predicate], depth: Int = 0) throws -> [AccessCandidate] {
        try CancellationCheck.now()
        let conditions = PlannedCondition.all(of: conjuncts)
        var candidates: [AccessCandidate] = []
        for index in valueIndexes {
            // Conditions on the elements of one array may be satisfied by different ones: each has entries of its own.
            for conditions in Self.alternatives(of: conditions, at: index.components[0].path) {
                if let scan = self.scan(conditions, conjuncts: conjuncts, index: index) {
                    candidates.append(try estimated(scan, index))
                }
            }
        }
        for index in geoIndexes {
            var count = 0
            for (position, conjunct) in conjuncts.enumerated() where count < Self.alternativeLimit {
                if let scan = self.scan(conjunct, at: position, conjuncts: conjuncts, index: index) {
                    candidates.append(try estimated(scan, index))
                    count += 1
                }
            }
        }
        if let ids = try idAccess(conjuncts) { candidates.append(ids) }
        if let search = try searchAccess(conjuncts) { candidates.append(search) }
        // Deeper, and of more, plans would hardly differ, but finding them takes ever longer.
        guard depth < Self.unionDepthLimit else { return candidates }
        var unionCount = 0
        for (position, conjunct) in conjuncts.enumerated() where unionCount < Self.alternativeLimit {
            guard case .or(let parts) = conjunct, parts.count <= Self.alternativeLimit else { continue }
            unionCount += 1
            let rest = conjuncts.lazy.enumerated().filter { $0.offset != position }.map(\.element)
                .filter { if case .or = $0 { false } else { true } }.prefix(Self.restLimit)
            if let union = try union(of: parts, at: position, rest: Array(rest), depth: depth + 1) {
                candidates.append(union)
            }
        }
        return candidates
    }

    /// Alternatives that are looked up one by one at most, conditions on locations of which each is compared, and ORs.
    private static let alternativeLimit = 16
    /// Alternatives within alternatives that are looked up one by one.
    private static let unionDepthLimit = 8
    /// Conditions beside an alternative that may go together with it.
    private static let restLimit = 64

    /// The conditions with one of those on a path at a time, where it leads to elements; otherwise all of them.
    private static func alternatives(of conditions: [PlannedCondition], at path: FieldPath) -> [[PlannedCondition]] {
        guard path.hasArrayStep else { return [conditions] }
        let own = conditions.indices.filter { conditions[$0].path == path && conditions[$0].element == nil }
        guard own.count > 1 else { return [conditions] }
        return own.prefix(8).map { kept in
            conditions.indices.filter { $0 == kept || !own.contains($0) }.map { conditions[$0] }
        }
    }

    private func estimated(_ scan: ScanCandidate, _ index: any DocumentIndex) throws -> AccessCandidate {
        let count = Double(try countEntries(scan.ranges, index))
        var indexScan = scan.scan
        indexScan.estimatedEntryCount = Int(count)
        let filters = Double(scan.scan.filters.count)
        return AccessCandidate(
            access: .ranges(indexScan), entryCount: count, rowCount: count * scan.filterSelectivity,
            cost: Double(scan.ranges.count) * costs.seek
                + count * (costs.entryForward + filters * costs.entryCondition),
            exact: scan.exact, answered: scan.answered)
    }

    /// Rows of several indexes, one for each alternative; `nil` if an alternative has none.
    private func union(
        of parts: [Predicate], at position: Int, rest: [Predicate], depth: Int
    ) throws -> AccessCandidate? {
        var union = AccessCandidate(
            access: .union([]), entryCount: 0, rowCount: 0, cost: 0, exact: [position], answered: [position])
        var accesses: [Plan.Access] = []
        for part in parts {
            // An alternative may go together with the other conditions.
            let own = part.conjuncts
            let candidates = try self.accesses(for: own + rest, depth: depth)
                // What is found by the rest alone is found without the OR.
                .filter { !$0.answered.isDisjoint(with: own.indices) }
            guard let best = candidates.min(by: { $0.precedes($1, by: \.cost) }) else {
                return nil
            }
            accesses.append(best.access)
            union.entryCount += best.entryCount
            union.rowCount += best.rowCount
            union.cost += best.cost + best.rowCount * costs.setMember
            if !best.exact.isSuperset(of: own.indices) { union.exact = [] }
        }
        union.access = .union(accesses)
        return union
    }

    /// Accesses that leave out documents by a second and a third index, as far as that pays; also the two smallest
    /// together, so that there is one to compare with.
    func intersections(of candidates: [AccessCandidate]) -> [AccessCandidate] {
        let ordered = candidates.sorted {
            $0.rowCount != $1.rowCount ? $0.rowCount < $1.rowCount : $0.precedes($1, by: \.cost)
        }
        guard let first = ordered.first else { return [] }
        var result: [AccessCandidate] = []
        var current = first
        var parts = [first.access]
        for next in ordered.dropFirst().prefix(6) {
            // An index that answers nothing new leaves out nothing.
            if next.answered.isSubset(of: current.answered) { continue }
            let joined = intersection(current, parts, next)
            let saved = (current.rowCount - joined.rowCount) * (costs.documentByRisingRow + costs.condition)
            if result.isEmpty || joined.cost - current.cost < saved {
                result.append(joined)
                if joined.cost - current.cost >= saved { break }
                current = joined
                parts = Self.parts(of: joined.access)
            }
        }
        return result
    }

    private static func parts(of access: Plan.Access) -> [Plan.Access] {
        if case .intersection(let parts) = access { return parts }
        return [access]
    }

    private func intersection(
        _ current: AccessCandidate, _ parts: [Plan.Access], _ next: AccessCandidate
    ) -> AccessCandidate {
        var joined = current
        joined.access = .intersection(parts + [next.access])
        joined.rowCount = current.rowCount * next.rowCount / Double(max(documentCount, 1))
        let isProbed = QueryRunner.probes(next.access, for: Int(current.rowCount), estimate: Int(next.entryCount))
        joined.cost += isProbed ? current.rowCount * costs.seek : next.cost + next.rowCount * costs.setMember
        joined.entryCount += isProbed ? current.rowCount : next.entryCount
        joined.exact.formUnion(next.exact)
        joined.answered.formUnion(next.answered)
        return joined
    }

    // MARK: - One index

    /// A scan of an index that has every answer.
    private struct ScanCandidate {
        let scan: IndexScan
        let exact: Set<Int>
        let answered: Set<Int>
        var ranges: [KeyRange] { scan.ranges }
        var filterSelectivity: Double {
            scan.filters.contains { if case .component = $0 { true } else { false } }
                ? CostModel.unknownSelectivity : 1
        }
    }

    /// The ranges of an index that hold every document for which the conjuncts can be true; `nil` if that is the whole
    /// index, or the index does not hold all of these documents.
    private func scan(_ conditions: [PlannedCondition], conjuncts: [Predicate], index: ValueIndex) -> ScanCandidate? {
        // Most indexes begin with another field.
        let first = index.components[0].path
        guard conditions.contains(where: { $0.path == first }), holdsAll(index.definition, conjuncts)
        else { return nil }
        var prefix = IndexPrefix(index)
        while prefix.takePoints(conditions) {}
        var ranges: [KeyRange]
        if let intervals = prefix.takeIntervals(conditions) {
            ranges = prefix.prefixes.flatMap { prefix in
                intervals.map { KeyRange.from(prefix + $0.lower, to: prefix + $0.upper) }
            }
        } else {
            guard prefix.position > 0 else { return nil }
            ranges = prefix.prefixes.map { KeyRange.entries(behind: $0) }
        }
        ranges.sort { Self.lower($0).lexicographicallyPrecedes(Self.lower($1)) }
        let hasRisingRows = !prefix.hasIntervals && prefix.position == index.components.count
        let filters = prefix.filters(conditions, behind: prefix.position + (prefix.hasIntervals ? 1 : 0))
        return ScanCandidate(
            scan: IndexScan(
                index: index.definition.name, ranges: ranges, used: prefix.notes, estimatedEntryCount: 0,
                filters: filters.map { .component($0.component, $0.predicate) }, hasRisingRows: hasRisingRows),
            exact: prefix.exact.union(filters.compactMap { $0.isExact ? $0.conjunct : nil }),
            answered: prefix.answered.union(filters.compactMap(\.conjunct)))
    }

    private static func lower(_ range: KeyRange) -> [UInt8] {
        if case .included(let key) = range.lower { return key }
        return []
    }

    /// The cells of an index of locations that can satisfy a condition.
    private func scan(
        _ conjunct: Predicate, at position: Int, conjuncts: [Predicate], index: GeoIndex
    ) -> ScanCandidate? {
        let ranges: [KeyRange]
        let filter: EntryFilter?
        switch conjunct {
        case .exists(let path), .not(.exists(let path)):
            guard index.definition.fields == [path], let own = index.ranges(whereExists: conjunct.leafPath != nil)
            else { return nil }
            ranges = own
            filter = nil
        case .isWithin(let field, let box) where field.paths == index.definition.fields:
            ranges = index.ranges(covering: box)
            filter = .within(box)
        case .isNear(let field, let center, let meters) where field.paths == index.definition.fields:
            ranges = index.ranges(covering: GeoBox(around: center, radius: meters))
            filter = .near(center, meters)
        default: return nil
        }
        guard holdsAll(index.definition, conjuncts) else { return nil }
        return ScanCandidate(
            scan: IndexScan(
                index: index.definition.name, ranges: ranges, used: [conjunct], estimatedEntryCount: 0,
                filters: filter.map { [$0] } ?? [], hasRisingRows: false),
            exact: filter == nil ? [position] : [], answered: [position])
    }

    /// Whether a document for which the conjuncts are true is sure to be in an index.
    func holdsAll(_ definition: IndexDefinition, _ conjuncts: [Predicate]) -> Bool {
        missingCondition(of: definition, conjuncts) == nil
    }

    /// What would have to follow from the conjuncts for an index to hold every answer; `nil` if it holds them.
    func missingCondition(of definition: IndexDefinition, _ conjuncts: [Predicate]) -> Predicate? {
        if definition.isSparse {
            let isThere =
                definition.kind == .geo
                // A location needs a value at each path.
                ? conjuncts.contains { $0.geoField?.paths == definition.fields }
                    || definition.fields.contains { path in conjuncts.contains { $0.implies(.exists(path)) } }
                : conjuncts.contains { $0.implies(.exists(definition.components[0].path)) }
            if !isThere { return .exists(definition.components[0].path) }
        }
        guard let condition = definition.condition?.predicate.normalized else { return nil }
        return Predicate.conjunction(conjuncts, implies: condition) ? nil : condition
    }
}

extension Predicate {
    /// The location that this asks of; `nil` if it asks of none.
    fileprivate var geoField: GeoField? {
        switch self {
        case .isWithin(let field, _), .isNear(let field, _, _): field
        default: nil
        }
    }

    /// The same condition on a path within an element, seen from the document; `nil` for what cannot be moved.
    fileprivate func moved(below path: FieldPath) -> Predicate? {
        guard let leafPath, path.steps.count + leafPath.steps.count <= FieldPath.maximumStepCount else { return nil }
        let moved = FieldPath(checked: path.steps + leafPath.steps)
        switch self {
        case .compare(_, let comparison, let value): return .compare(moved, comparison, value)
        case .collates(_, let comparison, let value): return .collates(moved, comparison, value)
        case .isIn(_, let values): return .isIn(moved, values)
        case .hasPrefix(_, let text): return .hasPrefix(moved, text)
        case .isBelow(_, let keyword, let separator): return .isBelow(moved, keyword, separator: separator)
        case .isDated(_, let span): return .isDated(moved, span)
        case .hasDatePart(_, let part, let ranges): return .hasDatePart(moved, part, ranges)
        default: return nil
        }
    }
}
