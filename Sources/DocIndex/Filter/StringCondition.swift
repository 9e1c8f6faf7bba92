extension Filter {
    /// A condition on a string that is compared by a collation; see ``Filter/folded(_:_:_:)``.
    public enum StringCondition: Sendable {
        /// The string has this relation to a constant.
        case compare(Comparison, String)
        /// The string equals one of several.
        case isIn([String])
        /// The string begins with this string.
        case hasPrefix(String)
        /// The string contains this string.
        case contains(String)
    }

    /// Returns the condition that a string lies between two others, inclusive, compared by a collation. With `[]` in the
    /// path, a single element must satisfy both bounds.
    public static func between(
        _ path: FieldPath, _ lower: String, _ upper: String, collation: TextCollation
    ) -> Filter {
        between(path) { path in
            .and([
                .folded(path, collation, .compare(.greaterOrEqual, lower)),
                .folded(path, collation, .compare(.lessOrEqual, upper)),
            ])
        }
    }
}

extension Filter.StringCondition {
    /// Returns the condition with changed constants.
    func map(_ change: (String) -> String) -> Filter.StringCondition {
        switch self {
        case .compare(let comparison, let text): .compare(comparison, change(text))
        case .isIn(let texts): .isIn(texts.map(change))
        case .hasPrefix(let text): .hasPrefix(change(text))
        case .contains(let text): .contains(change(text))
        }
    }

    /// The condition in the notation of ``Filter/init(parsing:)``, without its path.
    var notation: String {
        switch self {
        case .compare(let comparison, let text): "\(comparison.rawValue) \(text.quotedNotation)"
        case .isIn(let texts): "IN (\(texts.map(\.quotedNotation).joined(separator: ", ")))"
        case .hasPrefix(let text): "^= \(text.quotedNotation)"
        case .contains(let text): "*= \(text.quotedNotation)"
        }
    }
}

/// A condition on strings prepared for many strings: its constants are folded.
struct FoldedCondition: Sendable {
    private let collation: TextCollation
    private let condition: Filter.StringCondition
    /// The folded values of an IN list.
    private let values: Set<[UInt8]>

    init(_ collation: TextCollation, _ condition: Filter.StringCondition) {
        self.collation = collation
        self.condition = condition.map(collation.folded)
        if case .isIn(let texts) = self.condition { values = Set(texts.map { Array($0.utf8) }) } else { values = [] }
    }

    /// Returns whether a value is a string that satisfies the condition.
    func holds(_ value: DocumentValue) -> Bool {
        guard case .string(let text) = value else { return false }
        let folded = collation.folded(text)
        return switch condition {
        case .compare(let comparison, let constant):
            comparison.holds(ValueOrder.compare(folded.utf8Span.span, constant.utf8Span.span))
        case .isIn: values.contains(Array(folded.utf8))
        case .hasPrefix(let prefix): folded.utf8.starts(with: prefix.utf8)
        case .contains(let part): folded.utf8Span.span.contains(part.utf8Span.span)
        }
    }
}
