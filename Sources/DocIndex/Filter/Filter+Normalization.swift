extension Filter {
    /// The equivalent condition in the form that the planner expects: AND and OR are flat, nonempty and without
    /// duplicates, NOT applies only to single conditions, and conditions that are always or never true are `all` or
    /// ``none``.
    var normalized: Filter { normalized(isNegated: false) }

    private func normalized(isNegated: Bool) -> Filter {
        switch self {
        case .all: isNegated ? .none : .all
        case .not(let part): part.content.normalized(isNegated: !isNegated)
        // De Morgan's laws.
        case .and(let parts):
            Self.joined(parts.content.map { $0.normalized(isNegated: isNegated) }, areAlternatives: isNegated)
        case .or(let parts):
            Self.joined(parts.content.map { $0.normalized(isNegated: isNegated) }, areAlternatives: !isNegated)
        case .isIn(_, let values) where values.isEmpty: isNegated ? .all : .none
        case .isIn(let path, let values) where values.count == 1:
            isNegated ? .not(.compare(path, .equal, values[0])) : .compare(path, .equal, values[0])
        case .folded(_, _, .isIn(let texts)) where texts.isEmpty: isNegated ? .all : .none
        case .hasDatePart(_, _, let ranges) where ranges.isEmpty: isNegated ? .all : .none
        case .hasKind(_, let kinds) where kinds.isEmpty: isNegated ? .all : .none
        default: isNegated ? .not(self) : self
        }
    }

    private static func joined(_ parts: [Filter], areAlternatives: Bool) -> Filter {
        var flat: [Filter] = []
        // A few parts are compared directly, because hashing needs their notations. Equalities on one path are merged
        // below, which also removes duplicates.
        var seen: Set<Filter>? = parts.count > 8 ? [] : nil
        for part in parts {
            let inner: [Filter]
            switch part {
            case .and(let parts) where !areAlternatives: inner = parts.content
            case .or(let parts) where areAlternatives: inner = parts.content
            default: inner = [part]
            }
            // Flattening may add many parts.
            if inner.count > 8, seen == nil { seen = Set(flat) }
            for part in inner {
                // Absorbing and neutral parts.
                if areAlternatives ? part.isAll : part.isNone { return part }
                if areAlternatives ? part.isNone : part.isAll { continue }
                if flat.count > 32, seen == nil { seen = Set(flat) }
                if seen?.insert(part).inserted ?? !flat.contains(part) { flat.append(part) }
            }
        }
        if areAlternatives { flat = mergingEqualities(flat) }
        if flat.isEmpty { return areAlternatives ? .none : .all }
        return flat.count == 1 ? flat[0] : areAlternatives ? .or(flat) : .and(flat)
    }

    /// Returns the alternatives with equalities on the same path merged into one condition.
    ///
    /// - Complexity: O(*n*) in the number of parts and values.
    private static func mergingEqualities(_ parts: [Filter]) -> [Filter] {
        var result: [Filter] = []
        var groups: [FieldPath: (place: Int, parts: Int, values: [DocumentValue])] = [:]
        for part in parts {
            guard case (let path, let values)? = part.equality else {
                result.append(part)
                continue
            }
            if groups[path] == nil {
                groups[path] = (result.count, 1, values)
                result.append(part)
            } else {
                groups[path]?.parts += 1
                groups[path]?.values += values
            }
        }
        for (path, group) in groups where group.parts > 1 { result[group.place] = .isIn(path, group.values) }
        return result
    }

    /// The path and the accepted values of an equality or an IN list; `nil` for other conditions.
    private var equality: (path: FieldPath, values: [DocumentValue])? {
        switch self {
        case .compare(let path, .equal, let value): (path, [value])
        case .isIn(let path, let values): (path, values)
        default: nil
        }
    }
}
