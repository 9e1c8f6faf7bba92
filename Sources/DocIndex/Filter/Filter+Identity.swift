extension Filter {
    /// Returns whether both conditions were built from the same parts. Much faster than `==`, and narrower: conditions
    /// with the same notation may have been built in different ways.
    ///
    /// Other conditions are never identical: searches, patterns, kinds, counts, remainders, parts of dates, names of
    /// members, and conditions on strings without case.
    func isIdentical(to other: Filter) -> Bool {
        // Only the recursion, so that stack frames are small; see ``DocumentValue``.
        switch self {
        case .and(let parts): other.joins(parts.content, .and)
        case .or(let parts): other.joins(parts.content, .or)
        case .not(let part): other.negates(part.content)
        case .anyElement(let path, let part): other.isAnyElement(path, part.content)
        default: Self.isSameCondition(self, other)
        }
    }

    private enum Junction { case and, or }

    private func joins(_ parts: [Filter], _ junction: Junction) -> Bool {
        let own: [Filter]
        switch (self, junction) {
        case (.and(let content), .and), (.or(let content), .or): own = content.content
        default: return false
        }
        return own.count == parts.count && zip(own, parts).allSatisfy { $0.isIdentical(to: $1) }
    }

    private func negates(_ part: Filter) -> Bool {
        if case .not(let own) = self { own.content.isIdentical(to: part) } else { false }
    }

    private func isAnyElement(_ path: FieldPath, _ part: Filter) -> Bool {
        guard case .anyElement(let ownPath, let own) = self else { return false }
        return own.content.isIdentical(to: part) && ownPath == path
    }

    // Constants are compared before paths, because they differ more often.
    private static func isSameCondition(_ left: Filter, _ right: Filter) -> Bool {
        switch (left, right) {
        case (.all, .all): true
        case (.compare(let path, let comparison, let value), .compare(let path2, let comparison2, let value2)),
            (.collates(let path, let comparison, let value), .collates(let path2, let comparison2, let value2)):
            value == value2 && comparison == comparison2 && path == path2
        case (.isIn(let path, let values), .isIn(let path2, let values2)): values == values2 && path == path2
        case (.hasPrefix(let path, let text), .hasPrefix(let path2, let text2)),
            (.contains(let path, let text), .contains(let path2, let text2)):
            text.hasSameBytes(as: text2) && path == path2
        case (.isBelow(let path, let text, let separator), .isBelow(let path2, let text2, let separator2)):
            text.hasSameBytes(as: text2) && separator.hasSameBytes(as: separator2) && path == path2
        case (.exists(let path), .exists(let path2)): path == path2
        case (.isDated(let path, let span), .isDated(let path2, let span2)): span == span2 && path == path2
        case (.isWithin(let field, let box), .isWithin(let field2, let box2)): box == box2 && field == field2
        case (.isNear(let field, let center, let meters), .isNear(let field2, let center2, let meters2)):
            meters == meters2 && center == center2 && field == field2
        default: false
        }
    }

    /// Feeds what is equal for identical conditions into `hasher`.
    func hashIdentity(into hasher: inout Hasher) {
        switch self {
        case .and(let parts), .or(let parts):
            hasher.combine(parts.content.count)
            for part in parts.content { part.hashIdentity(into: &hasher) }
        case .not(let part):
            hasher.combine(-1)
            part.content.hashIdentity(into: &hasher)
        case .anyElement(let path, let part):
            hasher.combine(path)
            part.content.hashIdentity(into: &hasher)
        default: hashCondition(into: &hasher)
        }
    }

    private func hashCondition(into hasher: inout Hasher) {
        hasher.combine(leafPath)
        switch self {
        case .compare(_, let comparison, let value), .collates(_, let comparison, let value):
            hasher.combine(comparison)
            hasher.combine(value)
        case .isIn(_, let values): hasher.combine(values)
        case .hasPrefix(_, let text), .contains(_, let text), .isBelow(_, let text, _): text.hashBytes(into: &hasher)
        case .isDated(_, let span): hasher.combine(span)
        case .isWithin(let field, let box):
            hasher.combine(field)
            hasher.combine(box)
        case .isNear(let field, let center, _):
            hasher.combine(field)
            hasher.combine(center)
        default: break
        }
    }

    /// The approximate size of the constants, in bytes. Arrays and objects count as large.
    var constantByteCount: Int {
        switch self {
        case .and(let parts), .or(let parts): parts.content.reduce(0) { $0 + $1.constantByteCount }
        case .not(let part), .anyElement(_, let part), .anyKey(_, let part): part.content.constantByteCount
        case .compare(_, _, let value), .collates(_, _, let value): value.constantByteCount
        case .isIn(_, let values): values.reduce(0) { $0 + $1.constantByteCount }
        case .hasPrefix(_, let text), .contains(_, let text), .isBelow(_, let text, _): 32 + text.utf8.count
        default: 32
        }
    }
}

extension DocumentValue {
    fileprivate var constantByteCount: Int {
        switch self {
        case .string(let text): 32 + text.utf8.count
        case .bytes(let bytes): 32 + bytes.count
        case .array, .object, .attachment: 1 << 20
        case .null, .bool, .int, .double, .date: 32
        }
    }
}
