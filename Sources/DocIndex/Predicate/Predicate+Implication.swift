extension Predicate {
    /// Whether every document for which this holds is sure to satisfy `other`. Looks at the form of both only: a range
    /// within a range, a value within a range, a condition on a value and the existence of one.
    ///
    /// With `[]` both ask whether any element satisfies them, so what holds for one value holds for elements.
    func implies(_ other: Predicate) -> Bool {
        if self == other { return true }
        switch (self, other) {
        case (_, .and(let parts)): return parts.allSatisfy { implies($0) }
        case (_, .or(let parts)): return parts.contains { implies($0) }
        case (.and(let parts), _): return parts.contains { $0.implies(other) }
        case (.or(let parts), _): return parts.allSatisfy { $0.implies(other) }
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

    /// The path at which this asks for a value, so that it holds for no document without one; `nil` if it does not.
    private var valuePath: FieldPath? { leafPath }

    /// Whether this condition, if it is one on `path`, is satisfied by every value that equals one of `values`.
    private func holds(at path: FieldPath, ofAll values: [DocumentValue]) -> Bool {
        guard leafPath == path, let leaf else { return false }
        switch leaf.condition {
        case .compare, .collates, .isIn, .hasPrefix, .contains, .isBelow, .isDated, .hasDatePart:
            return values.allSatisfy { leaf.condition.holds($0) }
        // A constant is as long as the query: what takes too long is left to the documents.
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

    /// Whether one of several conditions that all hold implies each part of `other`.
    static func conjunction(_ conjuncts: [Predicate], implies other: Predicate) -> Bool {
        other.conjuncts.allSatisfy { wanted in conjuncts.contains { $0.implies(wanted) } }
    }
}

extension DateSpan {
    /// Whether every moment of another span belongs to this one. Looks at the ends alone.
    fileprivate func contains(_ other: DateSpan) -> Bool {
        if let lower, other.lower.map({ $0 < lower }) ?? true { return false }
        if let upper, other.upper.map({ $0 > upper }) ?? true { return false }
        return true
    }
}
