extension Plan {
    /// The reason why an index is not part of a plan.
    public struct Rejection: Sendable, Hashable {
        /// The reasons for rejecting an index.
        public enum Reason: Sendable, Hashable {
            /// No condition restricts the first field of the index, and the query does not ask for its order.
            case noConditionOnFirstField(FieldPath)
            /// The order of the index is not that of the condition because of a collation, dates, levels or a part of a
            /// date.
            case otherOrder(FieldPath)
            /// The index leaves out documents that may be results. It could be used if the query implied this condition.
            case conditionNotImplied(Filter)
            /// A plan that uses the index was considered but would take longer: this many microseconds.
            case costsMore(microseconds: Int)
            /// The condition is not about the location in this index.
            case noLocationAsked
            /// Text indexes answer only searches.
            case needsTextSearch
            /// Vector indexes answer only searches by a vector.
            case needsVector
            /// The index is still being built, or building it failed.
            case notReady
            /// No document can satisfy the condition.
            case nothingToFind
        }

        /// The name of the index.
        public let index: String
        /// The reason.
        public let reason: Reason
    }
}

extension Plan.Rejection: CustomStringConvertible {
    /// The reason as text.
    public var description: String {
        switch reason {
        case .noConditionOnFirstField(let path): "\(index): no condition on \(path), its first field"
        case .otherOrder(let path): "\(index): its order of \(path) differs from that of the condition"
        case .conditionNotImplied(let filter):
            "\(index): it omits documents, and the condition does not imply \(filter)"
        case .costsMore(let microseconds): "\(index): would take longer, about \(microseconds) µs"
        case .noLocationAsked: "\(index): the condition does not use its location"
        case .needsTextSearch: "\(index): only answers text searches"
        case .needsVector: "\(index): only answers searches by a vector"
        case .notReady: "\(index): not built"
        case .nothingToFind: "\(index): no document can satisfy the condition"
        }
    }

    /// A machine-readable name of the reason.
    public var code: String {
        switch reason {
        case .noConditionOnFirstField: "noConditionOnFirstField"
        case .otherOrder: "otherOrder"
        case .conditionNotImplied: "conditionNotImplied"
        case .costsMore: "costsMore"
        case .noLocationAsked: "noLocationAsked"
        case .needsTextSearch: "needsTextSearch"
        case .needsVector: "needsVector"
        case .notReady: "notReady"
        case .nothingToFind: "nothingToFind"
        }
    }
}

extension Planner {
    /// Returns why an available index is not in the chosen plan.
    func rejection(of definition: IndexDefinition, _ query: Query, options: [Option]) -> Plan.Rejection {
        func rejected(_ reason: Plan.Rejection.Reason) -> Plan.Rejection {
            Plan.Rejection(index: definition.name, reason: reason)
        }
        let conjuncts = query.filter.normalized.conjuncts
        if case .nothing = options[0].plan.access { return rejected(.nothingToFind) }
        if let other = options.first(where: { $0.plan.indexNames.contains { $0.hasSameBytes(as: definition.name) } }) {
            return rejected(.costsMore(microseconds: other.plan.estimate.microseconds))
        }
        if definition.kind == .text { return rejected(.needsTextSearch) }
        if definition.kind == .vector { return rejected(.needsVector) }
        if let missing = missingCondition(of: definition, conjuncts) { return rejected(.conditionNotImplied(missing)) }
        if definition.kind == .geo { return rejected(.noLocationAsked) }
        let first = definition.components[0].path
        let hasCondition = PlannedCondition.all(of: conjuncts).contains { $0.filter.paths.contains(first) }
        return rejected(hasCondition ? .otherOrder(first) : .noConditionOnFirstField(first))
    }

    /// Suggests an index that would find the results by reading fewer documents; `nil` if the plan reads few more
    /// documents than there are results.
    func advice(_ query: Query, chosen: Plan) -> String? {
        guard chosen.estimate.documentCount > 4 * chosen.estimate.rowCount + 100 else { return nil }
        var equal: [Query.SortKey] = []
        var ranges: [Query.SortKey] = []
        for conjunct in query.filter.normalized.conjuncts {
            guard let path = conjunct.indexablePath else { continue }
            var key = Query.SortKey(path)
            if case .folded(_, let collation, _) = conjunct { key.collation = collation }
            switch conjunct {
            case .compare(_, .equal, _), .isIn, .folded(_, _, .compare(.equal, _)), .folded(_, _, .isIn), .not:
                if !equal.contains(key) { equal.append(key) }
            default: if !ranges.contains(key) { ranges.append(key) }
            }
        }
        // An index gets at most one array field, because entries of two arrays multiply.
        var seenArray = false
        func isNew(_ key: Query.SortKey) -> Bool {
            guard case .field(let path) = key.key, path.hasArrayStep else { return true }
            defer { seenArray = true }
            return !seenArray
        }
        var parts = equal.filter(isNew).map(\.description)
        var sorted: [String] = []
        if let keys = Self.openKeys(of: query.sort, query.filter.normalized.conjuncts) {
            sorted = keys.map {
                "\(Query.SortKey($0.path, order: $0.isDescending ? .descending : .ascending, collation: $0.collation))"
            }
        }
        if query.limit != nil || ranges.isEmpty {
            parts += sorted
        } else if let range = ranges.first(where: isNew) {
            parts.append(range.description)
        }
        guard !parts.isEmpty else { return nil }
        return "an index over (\(parts.joined(separator: ", "))) would find the results by reading fewer documents"
    }
}

extension Filter {
    /// The path of a condition that an index could answer; `nil` for other conditions.
    fileprivate var indexablePath: FieldPath? {
        switch self {
        case .not: missingPath
        case .compare, .collates, .isIn, .hasPrefix, .folded(_, _, .compare), .folded(_, _, .isIn),
            .folded(_, _, .hasPrefix), .isBelow, .isDated, .hasDatePart:
            leafPath
        default: nil
        }
    }
}
