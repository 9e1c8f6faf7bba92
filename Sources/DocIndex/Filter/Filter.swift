/// A condition on documents.
///
/// Comparisons hold only between values of the same kind: `year < 1950` is false for strings and for documents without
/// a year. Integers and doubles are one kind and are compared by value. A condition on a path with `[]` holds if any
/// element satisfies it. Strings are compared by their UTF-8 bytes.
///
/// Conditions can be written in three ways: in Swift (with ``FieldPath`` or key paths), as text (``init(parsing:)``),
/// and as a JSON selector (`init(selector:)`).
public indirect enum Filter: Sendable {
    /// The condition that every document satisfies.
    case all
    /// Compares the value at a path with a constant of the same kind.
    case compare(FieldPath, Comparison, DocumentValue)
    /// Compares the value at a path with a constant in the order of all values: null, false, true, numbers, strings,
    /// dates, bytes, arrays (element by element), objects (member by member).
    case collates(FieldPath, Comparison, DocumentValue)
    /// The value at a path is one of several.
    case isIn(FieldPath, [DocumentValue])
    /// The string at a path satisfies a condition if case, or case and accents, do not count: both sides are compared
    /// in the form that the collation gives them. An index whose component has this collation answers the condition.
    /// Values that are not strings do not satisfy it.
    case folded(FieldPath, TextCollation, StringCondition)
    /// The string at a path begins with this string.
    case hasPrefix(FieldPath, String)
    /// The string at a path contains this string.
    case contains(FieldPath, String)
    /// A part of the string at a path matches a pattern.
    case hasMatch(FieldPath, Filter.TextPattern)
    /// The hierarchical keyword at a path is this keyword or below it: with the separator `|`, `Places|Italy|Venice` is
    /// below `Places|Italy`.
    case isBelow(FieldPath, String, separator: String)
    /// The value at a path is of one of several kinds.
    case hasKind(FieldPath, Set<DocumentValue.Kind>)
    /// The value at a path is an array with this number of elements.
    case hasCount(FieldPath, Int)
    /// The value at a path is an integer with this remainder. The remainder has the sign of the value.
    case isCongruent(FieldPath, divisor: Int64, remainder: Int64)
    /// The value at a path is a date in a span, or a string with such a date in one of the formats of
    /// ``DocumentDate/Format``.
    case isDated(FieldPath, Filter.DateSpan)
    /// The value at a path is a date, or a string with one, and a part of the date is in one of several ranges, such as
    /// months 6 to 8.
    case hasDatePart(FieldPath, DocumentDate.Part, [ClosedRange<Int64>])
    /// There is a value at a path, including `null`.
    case exists(FieldPath)
    /// An element of the array at a path satisfies a condition. The paths of the condition start at the element;
    /// ``FieldPath/element`` is the element itself. A value that is not an array counts as an array of one element.
    case anyElement(FieldPath, Nested<Filter>)
    /// A member name of the object at a path satisfies a condition, in which ``FieldPath/element`` is the name.
    case anyKey(FieldPath, Nested<Filter>)
    /// There is a location in a box.
    case isWithin(GeoField, GeoBox)
    /// There is a location at most this many meters from a point.
    case isNear(GeoField, GeoPoint, meters: Double)
    /// The document matches a search of the text index.
    case search(Filter.Search)
    /// All of the conditions hold.
    case and(Nested<[Filter]>)
    /// At least one of the conditions holds.
    case or(Nested<[Filter]>)
    /// The condition does not hold.
    case not(Nested<Filter>)

    /// The relation of a value to a constant.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// Equal values.
        case equal = "="
        /// A smaller value of the same kind.
        case less = "<"
        /// A smaller value of the same kind, or an equal value.
        case lessOrEqual = "<="
        /// A larger value of the same kind.
        case greater = ">"
        /// A larger value of the same kind, or an equal value.
        case greaterOrEqual = ">="

        /// Returns whether the relation holds for a comparison result: negative, zero or positive.
        func holds(_ order: Int) -> Bool {
            switch self {
            case .equal: order == 0
            case .less: order < 0
            case .lessOrEqual: order <= 0
            case .greater: order > 0
            case .greaterOrEqual: order >= 0
            }
        }
    }

    /// Returns the condition that all of several conditions hold.
    public static func and(_ parts: [Filter]) -> Filter { .and(Nested(parts)) }

    /// Returns the condition that at least one of several conditions holds.
    public static func or(_ parts: [Filter]) -> Filter { .or(Nested(parts)) }

    /// Returns the condition that a condition does not hold.
    public static func not(_ part: Filter) -> Filter { .not(Nested(part)) }

    /// Returns the condition that an element of the array at a path satisfies a condition. The paths of the condition
    /// start at the element; ``FieldPath/element`` is the element itself.
    public static func anyElement(_ path: FieldPath, _ part: Filter) -> Filter { .anyElement(path, Nested(part)) }

    /// Returns the condition that a member name of the object at a path satisfies a condition, in which
    /// ``FieldPath/element`` is the name.
    public static func anyKey(_ path: FieldPath, _ part: Filter) -> Filter { .anyKey(path, Nested(part)) }

    /// Returns the condition that a value lies between two others, inclusive. With `[]` in the path, a single element
    /// must satisfy both bounds: the array [1, 9] has no element between 4 and 6.
    public static func between(_ path: FieldPath, _ lower: DocumentValue, _ upper: DocumentValue) -> Filter {
        between(path) { .and([.compare($0, .greaterOrEqual, lower), .compare($0, .lessOrEqual, upper)]) }
    }

    /// Returns a condition with two bounds, which the same element must satisfy.
    static func between(_ path: FieldPath, _ bounds: (FieldPath) -> Filter) -> Filter {
        guard let last = path.steps.lastIndex(of: .eachElement) else { return bounds(path) }
        // The last `[]` may be dropped unless it denotes the elements of a nested array.
        let isNested = last > 0 && path.steps[last - 1] == .eachElement
        let array = FieldPath(checked: Array(isNested ? path.steps[...last] : path.steps[..<last]))
        let behind = FieldPath(checked: Array(path.steps[(last + 1)...]))
        return .anyElement(array, bounds(behind))
    }

    /// Returns the condition that a value is of a kind. Integers and doubles count as one kind.
    public static func hasKind(_ path: FieldPath, _ kind: DocumentValue.Kind) -> Filter {
        .hasKind(path, kind == .int || kind == .double ? [.int, .double] : [kind])
    }

    /// The condition that no document satisfies.
    public static var none: Filter { .or([]) }
}

// MARK: - Equality

extension Filter: Hashable {
    /// Returns whether both conditions have the same notation. Strings are compared by their bytes, as in documents.
    ///
    /// Synthesized equality would differ from the meaning of conditions: Swift's strings are equal if they are
    /// canonically equivalent, a NaN is not equal to itself, and one condition can be represented in several ways.
    public static func == (left: Filter, right: Filter) -> Bool {
        // Notations are expensive to build, and most conditions already differ in their first parts.
        if let path = left.leafPath, let other = right.leafPath, path != other { return false }
        switch (left, right) {
        case (.compare(_, let comparison, let value), .compare(_, let other, let otherValue)):
            if comparison != other { return false }
            if case .string(let text) = value, case .string(let otherText) = otherValue {
                return text.hasSameBytes(as: otherText)
            }
            if case .int(let number) = value, case .int(let otherNumber) = otherValue { return number == otherNumber }
        case (.exists, .exists): return true
        case (.exists, .compare), (.compare, .exists): return false
        default: break
        }
        if let form = left.form, let other = right.form, form != other { return false }
        return left.description.hasSameBytes(as: right.description)
    }

    /// The number of joined conditions, to avoid building long notations; `nil` if only the notation can decide
    /// equality.
    private var form: Int? {
        switch self {
        case .and(let parts): parts.content.count < 2 ? nil : parts.content.count
        case .or(let parts): parts.content.count < 2 ? nil : -parts.content.count
        default: leafPath == nil ? nil : 0
        }
    }

    /// Feeds the notation into `hasher`.
    public func hash(into hasher: inout Hasher) { description.hashBytes(into: &hasher) }
}

// MARK: - Parts

extension Filter {
    /// The conditions that must all hold.
    var conjuncts: [Filter] {
        switch self {
        case .and(let parts): parts.content.flatMap(\.conjuncts)
        case .all: []
        default: [self]
        }
    }

    /// The path and the condition on each value there; `nil` unless this is a condition on one path.
    var leaf: (path: FieldPath, condition: ValueCondition)? {
        switch self {
        case .compare(let path, let comparison, let value): (path, .compare(comparison, value))
        case .collates(let path, let comparison, let value): (path, .collates(comparison, value))
        case .isIn(let path, let values): (path, .isIn(ValueSet(values)))
        case .folded(let path, let collation, let condition): (path, .folded(FoldedCondition(collation, condition)))
        case .hasPrefix(let path, let prefix): (path, .hasPrefix(prefix))
        case .contains(let path, let part): (path, .contains(part))
        case .hasMatch(let path, let pattern): (path, .hasMatch(pattern))
        case .isBelow(let path, let keyword, let separator): (path, .isBelow(keyword, behind: keyword + separator))
        case .hasKind(let path, let kinds): (path, .hasKind(kinds))
        case .hasCount(let path, let count): (path, .hasCount(count))
        case .isCongruent(let path, let divisor, let remainder):
            (path, .isCongruent(divisor: divisor, remainder: remainder))
        case .isDated(let path, let span): (path, .isDated(span))
        case .hasDatePart(let path, let part, let ranges): (path, .hasDatePart(part, ranges))
        case .exists(let path): (path, .any)
        case .anyElement(let path, let filter): (path.eachElement, .satisfies(filter.content))
        case .anyKey(let path, let filter): (path, .hasKey(filter.content))
        case .all, .isWithin, .isNear, .search, .and, .or, .not: nil
        }
    }

    /// The path of ``leaf``, without the cost of building the leaf.
    var leafPath: FieldPath? {
        switch self {
        case .compare(let path, _, _), .collates(let path, _, _), .isIn(let path, _), .hasPrefix(let path, _),
            .contains(let path, _), .hasMatch(let path, _), .isBelow(let path, _, _), .hasKind(let path, _),
            .hasCount(let path, _), .isCongruent(let path, _, _), .isDated(let path, _),
            .hasDatePart(let path, _, _), .exists(let path), .folded(let path, _, _), .anyKey(let path, _):
            path
        case .anyElement(let path, _): path.eachElement
        case .all, .isWithin, .isNear, .search, .and, .or, .not: nil
        }
    }

    /// Whether this is literally ``all``.
    var isAll: Bool { if case .all = self { true } else { false } }

    /// Whether this is literally ``none``.
    var isNone: Bool { if case .or(let parts) = self { parts.content.isEmpty } else { false } }

    /// The path that must have no value for the condition to hold; `nil` unless it is the negation of `exists`.
    var missingPath: FieldPath? {
        if case .not(let part) = self, case .exists(let path) = part.content { path } else { nil }
    }

    /// Every path used in the condition.
    var paths: Set<FieldPath> {
        switch self {
        case .all: []
        case .and(let parts), .or(let parts): parts.content.reduce(into: []) { $0.formUnion($1.paths) }
        case .not(let part): part.content.paths
        case .isWithin(let field, _), .isNear(let field, _, _): Set(field.inputPaths)
        default: leafPath.map { [$0] } ?? []
        }
    }
}
