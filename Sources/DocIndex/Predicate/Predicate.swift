/// A condition on a document.
///
/// Comparisons hold only between values of one kind: `year < 1950` is true of no text and of no document without a
/// year. Integers and doubles are one kind and are compared by value. A path with `[]` asks whether any element
/// satisfies the condition. Texts are compared by their UTF-8 bytes.
///
/// Conditions are written in one of three ways, which all give this value: in Swift (``FieldPath`` or key paths), as text
/// (``init(parsing:)``), and as a JSON selector (``init(selector:)``).
public indirect enum Predicate: Sendable {
    /// True of every document.
    case all
    /// The value at a path stands in a relation to a constant of its kind.
    case compare(FieldPath, Comparison, DocumentValue)
    /// The value at a path stands in a relation to a constant in the order of all values: null, false, true, numbers,
    /// texts, dates, bytes, arrays (element by element), objects (member by member).
    case collates(FieldPath, Comparison, DocumentValue)
    /// The value at a path is one of several.
    case isIn(FieldPath, [DocumentValue])
    /// The text at a path begins with another.
    case hasPrefix(FieldPath, String)
    /// The text at a path contains another.
    case contains(FieldPath, String)
    /// A part of the text at a path has the form of a pattern.
    case hasMatch(FieldPath, TextPattern)
    /// The hierarchical keyword at a path is another one or lies below it: `Places|Italy|Venice` below `Places|Italy`,
    /// where the separator is `|`.
    case isBelow(FieldPath, String, separator: String)
    /// The value at a path is of one of some kinds.
    case hasKind(FieldPath, Set<DocumentValue.Kind>)
    /// The value at a path is an array of so many elements.
    case hasCount(FieldPath, Int)
    /// The value at a path is an integer, and leaves a remainder when divided. The remainder has the sign of the value.
    case isCongruent(FieldPath, divisor: Int64, remainder: Int64)
    /// The value at a path is a date, or a text in one of the forms of ``DateFormat``, that lies in a span of time.
    case isDated(FieldPath, DateSpan)
    /// The value at a path is such a date, and a part of it lies in one of some ranges: months 6 to 8.
    case hasDatePart(FieldPath, DatePart, [ClosedRange<Int64>])
    /// There is a value at a path, `null` included.
    case exists(FieldPath)
    /// An element of the array at a path satisfies a condition, whose paths begin at the element; ``FieldPath/element``
    /// is the element itself. A value that is no array counts as an array of one.
    case anyElement(FieldPath, Predicate)
    /// There is a location in a box.
    case isWithin(GeoField, GeoBox)
    /// There is a location no more than so many meters from a point.
    case isNear(GeoField, GeoPoint, meters: Double)
    /// A search of the text index finds the document.
    case search(TextCondition)
    /// All of these hold.
    case and([Predicate])
    /// At least one of these holds.
    case or([Predicate])
    /// This does not hold.
    case not(Predicate)

    /// The relation of a value to a constant.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// The same value.
        case equal = "="
        /// A smaller value of the same kind.
        case less = "<"
        /// A smaller value of the same kind, or the same.
        case lessOrEqual = "<="
        /// A larger value of the same kind.
        case greater = ">"
        /// A larger value of the same kind, or the same.
        case greaterOrEqual = ">="

        /// Whether the relation holds where the values compare as `order`: negative, zero or positive.
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

    /// The condition that a value lies between two others, both included. With `[]` in the path one element does: neither of 1
    /// and 9 lies between 4 and 6.
    public static func between(_ path: FieldPath, _ lower: DocumentValue, _ upper: DocumentValue) -> Predicate {
        func bounds(_ path: FieldPath) -> Predicate {
            .and([.compare(path, .greaterOrEqual, lower), .compare(path, .lessOrEqual, upper)])
        }
        guard let last = path.steps.lastIndex(of: .eachElement) else { return bounds(path) }
        // The step may be left out, but not that of an array within an array.
        let isNested = last > 0 && path.steps[last - 1] == .eachElement
        let array = FieldPath(checked: Array(isNested ? path.steps[...last] : path.steps[..<last]))
        let behind = FieldPath(checked: Array(path.steps[(last + 1)...]))
        return .anyElement(array, bounds(behind))
    }

    /// The condition that a value is of a kind.
    public static func hasKind(_ path: FieldPath, _ kind: DocumentValue.Kind) -> Predicate {
        .hasKind(path, kind == .int || kind == .double ? [.int, .double] : [kind])
    }

    /// A condition that no document satisfies.
    public static var none: Predicate { .or([]) }
}

// MARK: - Equality

extension Predicate: Hashable {
    /// Whether both have the same notation: texts are told apart by their bytes, as they are in documents.
    public static func == (left: Predicate, right: Predicate) -> Bool {
        // The notation is long in the making, and most conditions differ in what it begins with.
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

    /// How many conditions are joined; `nil` where the notation alone tells what is equal. A notation takes long to make
    /// where there are many.
    private var form: Int? {
        switch self {
        case .and(let parts): parts.count < 2 ? nil : parts.count
        case .or(let parts): parts.count < 2 ? nil : -parts.count
        default: leafPath == nil ? nil : 0
        }
    }

    /// Feeds the notation into `hasher`.
    public func hash(into hasher: inout Hasher) { description.hashBytes(into: &hasher) }
}

// MARK: - Parts

extension Predicate {
    /// The conditions that must all hold.
    var conjuncts: [Predicate] {
        switch self {
        case .and(let parts): parts.flatMap(\.conjuncts)
        case .all: []
        default: [self]
        }
    }

    /// The path that this asks of, and what it asks of each value there; `nil` if it is no condition on one path.
    var leaf: (path: FieldPath, condition: ValueCondition)? {
        switch self {
        case .compare(let path, let comparison, let value): (path, .compare(comparison, value))
        case .collates(let path, let comparison, let value): (path, .collates(comparison, value))
        case .isIn(let path, let values): (path, .isIn(ValueSet(values)))
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
        case .anyElement(let path, let predicate): (path.eachElement, .satisfies(predicate))
        case .all, .isWithin, .isNear, .search, .and, .or, .not: nil
        }
    }

    /// The path of ``leaf``, which takes no time to find.
    var leafPath: FieldPath? {
        switch self {
        case .compare(let path, _, _), .collates(let path, _, _), .isIn(let path, _), .hasPrefix(let path, _),
            .contains(let path, _), .hasMatch(let path, _), .isBelow(let path, _, _), .hasKind(let path, _),
            .hasCount(let path, _), .isCongruent(let path, _, _), .isDated(let path, _),
            .hasDatePart(let path, _, _), .exists(let path):
            path
        case .anyElement(let path, _): path.eachElement
        case .all, .isWithin, .isNear, .search, .and, .or, .not: nil
        }
    }

    /// Whether this is ``all``, as far as its form tells.
    var isAll: Bool { if case .all = self { true } else { false } }

    /// Whether this is ``none``, as far as its form tells.
    var isNone: Bool { if case .or(let parts) = self { parts.isEmpty } else { false } }

    /// Every path that this asks of.
    var paths: Set<FieldPath> {
        switch self {
        case .all: []
        case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.paths) }
        case .not(let part): part.paths
        case .isWithin(let field, _), .isNear(let field, _, _): Set(field.paths)
        default: leafPath.map { [$0] } ?? []
        }
    }
}
