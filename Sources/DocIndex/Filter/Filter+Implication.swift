extension Filter {
    /// Returns whether every document that satisfies this condition also satisfies `other`. Compares only their form: a
    /// range within a range, a value within a range, or a condition on a value with the existence of one.
    ///
    /// With `[]`, both conditions ask for any element, so implications between conditions on a value hold for elements
    /// too.
    func implies(_ other: Filter) -> Bool {
        if self == other { return true }
        switch (self, other) {
        case (_, .and(let parts)): return parts.content.allSatisfy { implies($0) }
        case (_, .or(let parts)): return parts.content.contains { implies($0) }
        case (.and(let parts), _): return parts.content.contains { $0.implies(other) }
        case (.or(let parts), _): return parts.content.allSatisfy { $0.implies(other) }
        case (_, .exists(let path)): return valuePath == path
        case (.compare(let path, .equal, let value), _): return other.holds(at: path, ofAll: [value])
        case (.isIn(let path, let values), _): return other.holds(at: path, ofAll: values)
        case (.compare(let path, let comparison, let value), .compare(let samePath, let wanted, let bound)):
            guard path == samePath, let order = ValueOrder.compare(value, bound) else { return false }
            return switch (comparison, wanted) {
            case (.greater, .greater), (.greater, .greaterOrEqual), (.greaterOrEqual, .greaterOrEqual): order >= 0
            case (.greaterOrEqual, .greater): order > 0
            case (.less, .less), (.less, .lessOrEqual), (.lessOrEqual, .lessOrEqual): order <= 0
            case (.lessOrEqual, .less): order < 0
            default: false
            }
        case (.hasPrefix(let path, let text), .hasPrefix(let samePath, let wanted)):
            return path == samePath && text.utf8.starts(with: wanted.utf8)
        case (.isBelow(let path, let keyword, let separator), .isBelow(let samePath, let wanted, let sameSeparator)):
            return path == samePath && separator.hasSameBytes(as: sameSeparator)
                && (keyword.hasSameBytes(as: wanted) || keyword.utf8.starts(with: (wanted + separator).utf8))
        case (.isDated(let path, let span), .isDated(let samePath, let wanted)):
            return path == samePath && wanted.contains(span)
        default: return false
        }
    }

    /// The path at which the condition requires a value; `nil` if it requires none.
    private var valuePath: FieldPath? { leafPath }

    /// Returns whether this condition is on `path` and is satisfied by every value that equals one of `values`.
    private func holds(at path: FieldPath, ofAll values: [DocumentValue]) -> Bool {
        guard leafPath == path, let leaf else { return false }
        switch leaf.condition {
        case .compare, .collates, .isIn, .folded, .hasPrefix, .contains, .isBelow, .isDated, .hasDatePart:
            return values.allSatisfy { leaf.condition.holds($0) }
        // Constants may be as long as the query. If matching takes too long, the documents decide.
        case .hasMatch(let pattern):
            return values.allSatisfy { value in
                value.stringValue.map { (try? pattern.hasBoundedMatch(in: $0)) ?? false } ?? false
            }
        // Equal numbers may be of either kind.
        case .hasKind(let kinds):
            return kinds.contains(.int) == kinds.contains(.double) && values.allSatisfy { kinds.contains($0.kind) }
        default: return false
        }
    }

    /// Returns whether each part of `other` is implied by one of several conditions that all hold.
    static func conjunction(_ conjuncts: [Filter], implies other: Filter) -> Bool {
        other.conjuncts.allSatisfy { wanted in conjuncts.contains { $0.implies(wanted) } }
    }
}

extension Filter.DateSpan {
    /// Returns whether another span lies within this one, judged by the bounds alone.
    fileprivate func contains(_ other: Filter.DateSpan) -> Bool {
        if let lower, other.lower.map({ $0 < lower }) ?? true { return false }
        if let upper, other.upper.map({ $0 > upper }) ?? true { return false }
        return true
    }
}
