internal import LevelKit

/// An access and its estimated cost.
struct AccessCandidate {
    var access: Plan.Access
    /// The number of entries read.
    var entryCount: Double
    /// The number of rows found.
    var rowCount: Double
    /// The cost of finding the rows.
    var cost: Double
    /// The conjuncts that every row is certain to satisfy.
    var exact: Set<Int>
    /// The conjuncts that restrict the rows.
    var answered: Set<Int>

    /// The cost of finding the rows, plus a small amount for each row.
    var weight: Double { cost + rowCount }

    /// Returns whether this candidate has the smaller measure. Ties are broken by identity.
    func precedes(_ other: AccessCandidate, by measure: (AccessCandidate) -> Double) -> Bool {
        let (own, others) = (measure(self), measure(other))
        return own != others ? own < others : access.identity < other.access.identity
    }
}

/// A condition that an index may be able to answer.
struct PlannedCondition {
    let filter: Filter
    /// The path of the condition or of its negation; `nil` for a condition on several paths.
    let path: FieldPath?
    /// The position among the conjuncts; `nil` for a condition derived from a conjunct.
    let conjunct: Int?
    /// The conjunct whose conditions must hold for the same array element.
    let element: Int?
    /// The number of leading steps of the path that lead to that element.
    let elementDepth: Int

    /// Returns whether a condition for the same element, on a path that begins with `count` steps of this one, may be
    /// satisfied by other elements: those of an array within the element.
    func hasInnerArray(inFirst count: Int) -> Bool {
        path?.steps.prefix(count).dropFirst(elementDepth).contains(.eachElement) ?? false
    }

    /// Returns the conjuncts and the conditions derived from those on array elements.
    static func all(of conjuncts: [Filter]) -> [PlannedCondition] {
        var result = conjuncts.enumerated().map {
            PlannedCondition(filter: $1, path: $1.entryPath, conjunct: $0, element: nil, elementDepth: 0)
        }
        for (position, conjunct) in conjuncts.enumerated() {
            guard case .anyElement(let path, let part) = conjunct else { continue }
            for inner in part.content.normalized.conjuncts {
                // A value missing from one element may be present in another.
                guard let moved = inner.moved(below: path.eachElement) else { continue }
                result.append(
                    PlannedCondition(
                        filter: moved, path: moved.entryPath, conjunct: nil, element: position,
                        elementDepth: path.eachElement.steps.count))
            }
        }
        return result
    }
}

extension Planner {
    /// Returns the accesses through a single index, and those through one index for each side of an OR.
    ///
    /// - Parameter depth: The nesting depth of the conditions in alternatives.
    /// - Throws: Errors of reading, and `CancellationError`, because planning takes a while for a condition with
    ///   thousands of parts.
    func accesses(for conjuncts: [Filter], depth: Int = 0) throws -> [AccessCandidate] {
        try CancellationCheck.now()
        let conditions = PlannedCondition.all(of: conjuncts)
        var candidates: [AccessCandidate] = []
        for index in valueIndexes {
            // Different elements of an array may satisfy the conditions on it, so each condition gets its own
            // candidates.
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
        // Beyond these limits, plans hardly differ, but finding them takes longer and longer.
        guard depth < Self.unionDepthLimit else { return candidates }
        var unionCount = 0
        for (position, conjunct) in conjuncts.enumerated() where unionCount < Self.alternativeLimit {
            guard case .or(let parts) = conjunct, parts.content.count <= Self.alternativeLimit else { continue }
            unionCount += 1
            let rest = conjuncts.lazy.enumerated().filter { $0.offset != position }.map(\.element)
                .filter { if case .or = $0 { false } else { true } }.prefix(Self.restLimit)
            if let union = try union(of: parts.content, at: position, rest: Array(rest), depth: depth + 1) {
                candidates.append(union)
            }
        }
        return candidates
    }

    /// The maximum number of ORs and of location conditions considered, and of alternatives in one OR.
    private static let alternativeLimit = 16
    /// The maximum nesting depth of alternatives that are looked up separately.
    private static let unionDepthLimit = 8
    /// The maximum number of other conditions that are combined with an alternative.
    private static let restLimit = 64

    /// Returns the conditions, with only one condition on the path at a time if the path leads through an array.
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

    /// Returns the union of one access for each alternative; `nil` if an alternative has no access.
    private func union(
        of parts: [Filter], at position: Int, rest: [Filter], depth: Int
    ) throws -> AccessCandidate? {
        var union = AccessCandidate(
            access: .union([]), entryCount: 0, rowCount: 0, cost: 0, exact: [position], answered: [position])
        var accesses: [Plan.Access] = []
        for part in parts {
            // An alternative may be combined with the other conditions.
            let own = part.conjuncts
            let candidates = try self.accesses(for: own + rest, depth: depth)
                // An access that uses only the other conditions does not need the OR.
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

    /// Returns intersections that add further indexes while this pays off. The two smallest candidates are always
    /// combined, to have one intersection for comparison.
    func intersections(of candidates: [AccessCandidate]) -> [AccessCandidate] {
        let ordered = candidates.sorted {
            $0.rowCount != $1.rowCount ? $0.rowCount < $1.rowCount : $0.precedes($1, by: \.cost)
        }
        guard let first = ordered.first else { return [] }
        var result: [AccessCandidate] = []
        var current = first
        var parts = [first.access]
        for next in ordered.dropFirst().prefix(6) {
            // An index that answers no additional conjunct rules out no documents.
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
        let isProbed = CostModel.probes(next.access, for: Int(current.rowCount), estimate: Int(next.entryCount))
        joined.cost += isProbed ? current.rowCount * costs.seek : next.cost + next.rowCount * costs.setMember
        joined.entryCount += isProbed ? current.rowCount : next.entryCount
        joined.exact.formUnion(next.exact)
        joined.answered.formUnion(next.answered)
        return joined
    }

    // MARK: - One index

    /// A scan of an index that contains every result.
    private struct ScanCandidate {
        let scan: Plan.IndexScan
        let exact: Set<Int>
        let answered: Set<Int>
        var ranges: [KeyRange] { scan.ranges }
        var filterSelectivity: Double {
            scan.filters.contains { if case .component = $0 { true } else { false } }
                ? CostModel.unknownSelectivity : 1
        }
    }

    /// Returns the ranges of an index that contain every document that can satisfy the conjuncts. Returns `nil` if
    /// these are the whole index, or if the index does not contain all of those documents.
    private func scan(_ conditions: [PlannedCondition], conjuncts: [Filter], index: ValueIndex) -> ScanCandidate? {
        // Most indexes begin with another field.
        let first = index.components[0].path
        guard conditions.contains(where: { $0.path == first }), holdsAll(index.definition, conjuncts)
        else { return nil }
        var prefix = IndexPrefix(index)
        while prefix.takePoints(conditions) {}
        var ranges: [KeyRange]
        if let intervals = prefix.takeIntervals(conditions) {
            ranges = prefix.prefixes.flatMap { prefix in
                intervals.map { KeyRange.range(from: prefix + $0.lower, to: prefix + $0.upper) }
            }
        } else {
            guard prefix.position > 0 else { return nil }
            ranges = prefix.prefixes.map { KeyRange.entries(behind: $0) }
        }
        ranges.sort { Self.lower($0).lexicographicallyPrecedes(Self.lower($1)) }
        let hasRisingRows = !prefix.hasIntervals && prefix.position == index.components.count
        let filters = prefix.filters(conditions, behind: prefix.position + (prefix.hasIntervals ? 1 : 0))
        return ScanCandidate(
            scan: Plan.IndexScan(
                index: index.definition.name, ranges: ranges, used: prefix.notes, estimatedEntryCount: 0,
                filters: filters.map { .component($0.component, $0.filter) }, hasRisingRows: hasRisingRows),
            exact: prefix.exact.union(filters.compactMap { $0.isExact ? $0.conjunct : nil }),
            answered: prefix.answered.union(filters.compactMap(\.conjunct)))
    }

    private static func lower(_ range: KeyRange) -> [UInt8] {
        if case .included(let key) = range.lower { return key }
        return []
    }

    /// Returns the cells of a location index that can satisfy a condition.
    private func scan(
        _ conjunct: Filter, at position: Int, conjuncts: [Filter], index: GeoIndex
    ) -> ScanCandidate? {
        let ranges: [KeyRange]
        let filter: EntryFilter?
        // Of several locations of a document within a centimeter, the index has only one.
        let hasEveryLocation = !index.definition.fields.contains(where: \.hasArrayStep)
        switch conjunct {
        case .exists, .not:
            guard let path = conjunct.leafPath ?? conjunct.missingPath, index.definition.fields == [path],
                let own = index.ranges(whereExists: conjunct.leafPath != nil)
            else { return nil }
            ranges = own
            filter = nil
        case .isWithin(let field, let box) where field.paths == index.definition.fields:
            ranges = index.ranges(covering: box)
            filter = .within(hasEveryLocation ? box : GeoBox(around: box, radius: 1))
        case .isNear(let field, let center, let meters) where field.paths == index.definition.fields:
            ranges = index.ranges(covering: GeoBox(around: center, radius: meters))
            filter = .near(center, hasEveryLocation ? meters : meters + 1)
        default: return nil
        }
        guard holdsAll(index.definition, conjuncts) else { return nil }
        return ScanCandidate(
            scan: Plan.IndexScan(
                index: index.definition.name, ranges: ranges, used: [conjunct], estimatedEntryCount: 0,
                filters: filter.map { [$0] } ?? [], hasRisingRows: false),
            exact: filter == nil || hasEveryLocation ? [position] : [], answered: [position])
    }

    /// Returns whether the index contains every document that satisfies the conjuncts.
    func holdsAll(_ definition: IndexDefinition, _ conjuncts: [Filter]) -> Bool {
        missingCondition(of: definition, conjuncts) == nil
    }

    /// Returns the condition that the conjuncts would have to imply for the index to contain every result; `nil` if it
    /// does.
    func missingCondition(of definition: IndexDefinition, _ conjuncts: [Filter]) -> Filter? {
        if definition.isSparse {
            let isThere =
                definition.kind == .geo
                // A location needs a value at each path.
                ? conjuncts.contains { $0.geoField?.paths == definition.fields }
                    || definition.fields.contains { path in conjuncts.contains { $0.implies(.exists(path)) } }
                : conjuncts.contains { $0.implies(.exists(definition.components[0].path)) }
            if !isThere { return .exists(definition.components[0].path) }
        }
        guard let condition = definition.condition?.filter.normalized else { return nil }
        return Filter.conjunction(conjuncts, implies: condition) ? nil : condition
    }
}

extension Filter {
    /// The location field of the condition; `nil` for conditions that are not about locations.
    var geoField: GeoField? {
        switch self {
        case .isWithin(let field, _), .isNear(let field, _, _): field
        default: nil
        }
    }

    /// Returns a condition on an array element as a condition on the document; `nil` if it cannot be converted.
    fileprivate func moved(below path: FieldPath) -> Filter? {
        guard let leafPath, path.steps.count + leafPath.steps.count <= FieldPath.maximumStepCount else { return nil }
        let moved = FieldPath(checked: path.steps + leafPath.steps)
        switch self {
        case .compare(_, let comparison, let value): return .compare(moved, comparison, value)
        case .collates(_, let comparison, let value): return .collates(moved, comparison, value)
        case .isIn(_, let values): return .isIn(moved, values)
        case .folded(_, let collation, let condition): return .folded(moved, collation, condition)
        case .hasPrefix(_, let text): return .hasPrefix(moved, text)
        case .isBelow(_, let keyword, let separator): return .isBelow(moved, keyword, separator: separator)
        case .isDated(_, let span): return .isDated(moved, span)
        case .hasDatePart(_, let part, let ranges): return .hasDatePart(moved, part, ranges)
        default: return nil
        }
    }
}
