internal import LevelKit

/// The key bounds, within one component of an index, of the values that can satisfy a condition.
///
/// Bounds are bytes as the component writes them. Every document that satisfies the condition has an entry within them;
/// other documents may have one too, unless the bounds are exact.
struct ComponentRanges {
    /// A half-open interval of encoded values.
    struct Interval: Hashable {
        var lower: [UInt8]
        /// The upper bound, exclusive.
        var upper: [UInt8]

        var isEmpty: Bool { !lower.lexicographicallyPrecedes(upper) }
    }

    enum Shape {
        /// Single values, without duplicates.
        case points([[UInt8]])
        /// Disjoint and ascending.
        case intervals([Interval])
    }

    var shape: Shape
    /// Whether every entry within the bounds satisfies the condition.
    var isExact: Bool

    /// Creates the bounds of a condition. Returns `nil` if the condition is on another path, or if the component does
    /// not keep the matching values together.
    init?(_ filter: Filter, component: IndexDefinition.Component, isOnlyComponent: Bool) {
        let builder = ComponentRangesBuilder(component: component, isOnlyComponent: isOnlyComponent)
        guard let bounds = builder.bounds(of: filter) else { return nil }
        self = bounds
    }

    init(_ shape: Shape, isExact: Bool) {
        self.shape = shape
        self.isExact = isExact
    }

    /// Returns the intersection of two lists of intervals, each of them disjoint and ascending.
    ///
    /// - Complexity: O(*n*) in the total number of intervals.
    static func intersection(_ a: [Interval], _ b: [Interval]) -> [Interval] {
        var result: [Interval] = []
        var (first, second) = (0, 0)
        while first < a.count, second < b.count {
            let (left, right) = (a[first], b[second])
            let lower = left.lower.lexicographicallyPrecedes(right.lower) ? right.lower : left.lower
            let isLeftFirst = left.upper.lexicographicallyPrecedes(right.upper)
            let both = Interval(lower: lower, upper: isLeftFirst ? left.upper : right.upper)
            if !both.isEmpty { result.append(both) }
            if isLeftFirst { first += 1 } else { second += 1 }
        }
        return result
    }
}

/// Builds the bounds of one component.
///
/// A condition becomes an interval between two boundaries, such as "directly before 1930" and "after all numbers". A
/// component encodes a value as in ``OrderedValue``, and complements every byte in descending order: `0a c0 9e 28 00`
/// is 1930, `f5 3f 61 d7 ff` its complement. In an index key, the next component or the row follows, whose first byte
/// is at least `02` and at most `fd`. Therefore `0a c0 9e 28 00 fe` is after all entries with the value 1930, and
/// `f5 3f 61 d7 ff 01` is before them.
///
/// Each row shows where the entries of one condition are: single values, or ranges without their upper bounds. "Exact"
/// means that every entry there satisfies the condition. `0a 00` is NaN, which is not less than 1930.
///
/// | condition | component | entries | exact |
/// |---|---|---|---|
/// | `year = 1930` | `year` | `0a c0 9e 28 00` | yes |
/// | `year = 1930` | `year desc` | `f5 3f 61 d7 ff` | yes |
/// | `year > 1930` | `year` | from `0a c0 9e 28 00 fe` to `0b` | yes |
/// | `year > 1930` | `year desc` | from `f5` to `f5 3f 61 d7 ff 01` | yes |
/// | `year <= 1930` | `year` | from `0a 00 fe` to `0a c0 9e 28 00 fe` | yes |
/// | `year missing` | `year` | `02` | yes |
/// | `year exists` | `year` | from `03` to `ff` | yes |
/// | `title ^= 'Fo'` | `title` | from `0c 46 6f` to `0c 46 70` | yes |
/// | `title ^= 'Fo'` | `title desc` | from `f3 b9 90` to `f3 b9 91` | yes |
/// | `title *= 'o'` | `title` | from `0c` to `0d` | no |
/// | `title = 'Fog'` | `title ci` | `0c 66 6f 67 00` | no |
/// | `ci(title) = 'Fog'` | `title ci` | `0c 66 6f 67 00` | yes |
/// | `year in (1930, 1931)` | `year` | `0a c0 9e 28 00`, `0a c0 9e 2c 00` | yes |
struct ComponentRangesBuilder {
    let component: IndexDefinition.Component
    let isOnlyComponent: Bool

    /// A boundary between two values, in terms of the bytes of an ascending component.
    private enum Edge {
        /// Before every value whose encoding begins with this byte or a larger one.
        case kind(UInt8)
        /// Directly before and directly after a value.
        case before([UInt8])
        case after([UInt8])
        /// Before and after all values whose encoding begins with these bytes.
        case beforePrefix([UInt8])
        case afterPrefix([UInt8])

        /// The smallest key after the boundary in an ascending component.
        var ascending: [UInt8] {
            switch self {
            case .kind(let kind): [kind]
            case .before(let value), .beforePrefix(let value): value
            case .after(let value): value + OrderedValue.behind
            case .afterPrefix(let prefix): KeyRange.successor(ofPrefix: prefix) ?? [0xff]
            }
        }

        /// The smallest key after the boundary in a descending component. Values are reversed there: larger ones come
        /// first, and a longer string, which continues with `00`, comes before its prefix.
        var descending: [UInt8] {
            switch self {
            case .kind(let kind): [~kind &+ 1]
            case .before(let value): value.map { ~$0 } + OrderedValue.behind
            case .after(let value): value.map { ~$0 } + [0x01]
            case .beforePrefix(let prefix): KeyRange.successor(ofPrefix: prefix.map { ~$0 }) ?? [0xff]
            case .afterPrefix(let prefix): prefix.map { ~$0 }
            }
        }
    }

    private func interval(_ lower: Edge, _ upper: Edge) -> ComponentRanges.Interval {
        switch component.order {
        case .ascending: .init(lower: lower.ascending, upper: upper.ascending)
        case .descending: .init(lower: upper.descending, upper: lower.descending)
        }
    }

    private func kinds(_ kinds: OrderedValue.Kind...) -> [ComponentRanges.Interval] {
        kinds.map { interval(.kind($0.rawValue), .kind($0.rawValue + 1)) }
    }

    private func sorted(_ intervals: [ComponentRanges.Interval], isExact: Bool) -> ComponentRanges {
        var result: [ComponentRanges.Interval] = []
        let order = intervals.filter { !$0.isEmpty }.sorted { $0.lower.lexicographicallyPrecedes($1.lower) }
        for next in order {
            guard let last = result.last, !last.upper.lexicographicallyPrecedes(next.lower) else {
                result.append(next)
                continue
            }
            if last.upper.lexicographicallyPrecedes(next.upper) { result[result.count - 1].upper = next.upper }
        }
        return ComponentRanges(.intervals(result), isExact: isExact)
    }

    private func points(_ values: [DocumentValue?], isExact: Bool) -> ComponentRanges {
        var seen: Set<[UInt8]> = []
        return ComponentRanges(
            .points(values.map(component.encoded).filter { seen.insert($0).inserted }), isExact: isExact)
    }

    /// Whether an entry represents a value completely.
    private func isWhole(_ value: DocumentValue) -> Bool {
        component.hasOrderOfValues || (value.stringValue == nil && value.dateValue == nil && component.part == nil)
    }

    /// Whether the entries show that the path has no value, even in an index with several components.
    private var tellsAbsence: Bool { isOnlyComponent || !component.path.hasArrayStep }

    // MARK: - Conditions

    func bounds(of filter: Filter) -> ComponentRanges? {
        if filter.missingPath == component.path { return points([nil], isExact: tellsAbsence) }
        guard filter.leafPath == component.path else { return nil }
        switch filter {
        case .compare(_, .equal, let value): return points([value], isExact: isWhole(value))
        case .isIn(_, let values): return points(values, isExact: values.allSatisfy(isWhole))
        case .compare(_, let comparison, let value): return range(comparison, value)
        case .collates(_, let comparison, let value): return collation(comparison, value)
        case .folded(_, let collation, let condition): return folded(condition, collation)
        case .hasPrefix(_, let text): return prefix(text)
        case .isBelow(_, let keyword, let separator): return subtree(keyword, separator)
        case .isDated(_, let span): return dates(span)
        case .hasDatePart(_, let part, let ranges): return parts(part, ranges)
        case .exists:
            return sorted(
                [interval(.kind(OrderedValue.Kind.missing.rawValue + 1), .kind(0xff))], isExact: tellsAbsence)
        case .hasKind(_, let kinds): return component.hasOrderOfValues ? ofKinds(kinds) : nil
        case .contains, .hasMatch:
            return component.hasOrderOfValues ? sorted(kinds(.string), isExact: false) : nil
        case .hasCount: return component.hasOrderOfValues ? sorted(kinds(.array), isExact: false) : nil
        case .isCongruent: return component.part == nil ? sorted(kinds(.number), isExact: false) : nil
        default: return nil
        }
    }

    private func range(_ comparison: Filter.Comparison, _ value: DocumentValue) -> ComponentRanges? {
        guard let kind = kindWithOrder(of: value) else { return nil }
        let point = OrderedValue.encoded(value)
        // NaN sorts before all other numbers but is not comparable with them.
        let isNumber = kind == OrderedValue.Kind.number.rawValue
        let isNaN = value.numberValue?.isNaN ?? false
        let first: Edge = isNumber && !isNaN ? .after(OrderedValue.encoded(.double(.nan))) : .kind(kind)
        let (lower, upper): (Edge, Edge) =
            switch comparison {
            case .equal: (.before(point), .after(point))
            case .less: (first, .before(point))
            case .lessOrEqual: (first, .after(point))
            case .greater: (.after(point), .kind(kind + 1))
            case .greaterOrEqual: (.before(point), .kind(kind + 1))
            }
        return sorted([interval(lower, upper)], isExact: !isNaN && isWhole(value))
    }

    /// The first byte of values of the same kind as the constant; `nil` if the component does not order them by bytes.
    private func kindWithOrder(of value: DocumentValue) -> UInt8? {
        switch value {
        case .int, .double: component.part == nil ? OrderedValue.Kind.number.rawValue : nil
        case .string: component.hasOrderOfValues ? OrderedValue.Kind.string.rawValue : nil
        case .date: component.part == nil ? OrderedValue.Kind.date.rawValue : nil
        case .bytes: component.part == nil ? OrderedValue.Kind.bytes.rawValue : nil
        case .attachment: component.part == nil ? OrderedValue.Kind.attachment.rawValue : nil
        default: nil
        }
    }

    private func collation(_ comparison: Filter.Comparison, _ value: DocumentValue) -> ComponentRanges? {
        guard component.hasOrderOfValues else { return nil }
        let point = OrderedValue.encoded(value)
        let isWhole = isWhole(value)
        if comparison == .equal { return points([value], isExact: isWhole) }
        // A missing value is not comparable.
        let first = Edge.kind(OrderedValue.Kind.null.rawValue)
        let (lower, upper): (Edge, Edge) =
            switch comparison {
            case .less: (first, isWhole ? .before(point) : .after(point))
            case .lessOrEqual, .equal: (first, .after(point))
            case .greater: (isWhole ? .after(point) : .before(point), .kind(0xff))
            case .greaterOrEqual: (.before(point), .kind(0xff))
            }
        return sorted([interval(lower, upper)], isExact: isWhole)
    }

    private func prefix(_ text: String) -> ComponentRanges? {
        let bytes: [UInt8]
        if let spans = component.naturalSpans(ofTextsBeginningWith: text) {
            return sorted(
                spans.map { interval(.beforePrefix($0.first), .afterPrefix($0.last)) }, isExact: false)
        }
        if component.hasOrderOfValues {
            bytes = Array(OrderedValue.encoded(.string(text)).dropLast())
        } else if let levels = component.levelPrefix(ofTextsBeginningWith: text) {
            bytes = levels
        } else {
            return nil
        }
        return sorted(
            [interval(.beforePrefix(bytes), .afterPrefix(bytes))], isExact: component.hasOrderOfValues)
    }

    /// A component with the collation of the condition contains the folded strings in order. One with the order of
    /// values has every string to fold.
    private func folded(_ condition: Filter.StringCondition, _ collation: TextCollation) -> ComponentRanges? {
        guard component.hasOrderOfTexts, component.collation == collation, collation != .natural else {
            return component.hasOrderOfValues ? sorted(kinds(.string), isExact: false) : nil
        }
        let kind = OrderedValue.Kind.string.rawValue
        func encoded(_ text: String) -> [UInt8] { OrderedValue.encoded(.string(collation.folded(text))) }
        switch condition {
        case .compare(.equal, let text): return points([.string(text)], isExact: true)
        case .isIn(let texts): return points(texts.map { .string($0) }, isExact: true)
        case .compare(let comparison, let text):
            let point = encoded(text)
            let (lower, upper): (Edge, Edge) =
                switch comparison {
                case .equal: (.before(point), .after(point))
                case .less: (.kind(kind), .before(point))
                case .lessOrEqual: (.kind(kind), .after(point))
                case .greater: (.after(point), .kind(kind + 1))
                case .greaterOrEqual: (.before(point), .kind(kind + 1))
                }
            return sorted([interval(lower, upper)], isExact: true)
        case .hasPrefix(let text):
            let bytes = Array(encoded(text).dropLast())
            return sorted([interval(.beforePrefix(bytes), .afterPrefix(bytes))], isExact: true)
        case .contains: return sorted(kinds(.string), isExact: false)
        }
    }

    private func subtree(_ keyword: String, _ separator: String) -> ComponentRanges? {
        if component.hasOrderOfValues {
            let point = OrderedValue.encoded(.string(keyword))
            let below = Array(OrderedValue.encoded(.string(keyword + separator)).dropLast())
            return sorted(
                [
                    interval(.before(point), .after(point)), interval(.beforePrefix(below), .afterPrefix(below)),
                ], isExact: true)
        }
        // If occurrences of the separator can overlap, a subtree is not the same as a string prefix.
        guard let own = component.separator, own.hasSameBytes(as: separator), own.unicodeScalars.count == 1,
            let range = component.subtree(of: keyword, behind: []), case .included(let lower) = range.lower,
            case .excluded(let upper) = range.upper
        else { return nil }
        return sorted([.init(lower: lower, upper: upper)], isExact: component.collation == .binary)
    }

    private func ofKinds(_ wanted: Set<DocumentValue.Kind>) -> ComponentRanges {
        var intervals: [ComponentRanges.Interval] = []
        for kind in wanted {
            let found: [ComponentRanges.Interval] =
                switch kind {
                case .null: kinds(.null)
                case .bool: kinds(.bool, .boolTrue)
                case .int, .double: kinds(.number)
                case .string: kinds(.string)
                case .date: kinds(.date)
                case .bytes: kinds(.bytes)
                case .array: kinds(.array)
                case .object: kinds(.object)
                case .attachment: kinds(.attachment)
                }
            intervals += found
        }
        return sorted(intervals, isExact: wanted.contains(.int) == wanted.contains(.double))
    }

    // MARK: - Dates

    private var readsAllDates: Bool { Set(component.dateFormats).count == DocumentDate.Format.allCases.count }

    private func dates(_ span: Filter.DateSpan) -> ComponentRanges? {
        guard component.part == nil, component.separator == nil, component.collation == .binary else { return nil }
        let kind = OrderedValue.Kind.date.rawValue
        let lower = span.lower.map { Edge.before(Self.dateBytes($0)) } ?? .kind(kind)
        let upper = span.upper.map { Edge.before(Self.dateBytes($0)) } ?? .kind(kind + 1)
        var intervals = [interval(lower, upper)]
        // Dates in a format that the component does not read are stored as strings.
        for format in DocumentDate.Format.allCases where !component.dateFormats.contains(format) {
            intervals.append(texts(span, format))
        }
        return sorted(intervals, isExact: readsAllDates)
    }

    /// The encoding of the first date with this timestamp: the one without a time zone.
    private static func dateBytes(_ milliseconds: Int64) -> [UInt8] {
        OrderedValue.encoded(.date(DocumentDate(milliseconds: milliseconds)))
    }

    /// Returns where date strings of a format lie for a span. The interval is extended by a day or more at each end,
    /// because a date string uses the day in its time zone.
    private func texts(_ span: Filter.DateSpan, _ format: DocumentDate.Format) -> ComponentRanges.Interval {
        let day = DocumentDate.millisecondsPerDay
        func text(_ milliseconds: Int64?, _ shift: Int64, otherwise: String) -> String {
            guard let milliseconds else { return otherwise }
            let (number, rest) = milliseconds.quotientAndRemainder(dividingBy: day)
            let (year, month, date) = CalendarDay.parts(ofDay: number - (rest < 0 ? 1 : 0) + shift)
            guard (0...9999).contains(year) else { return year < 0 ? "" : ":" }
            let mark = format == .iso8601 ? "-" : ":"
            func padded(_ number: Int64, _ count: Int) -> String {
                let digits = String(number)
                return String(repeating: "0", count: count - digits.count) + digits
            }
            return padded(year, 4) + mark + padded(month, 2) + mark + padded(date, 2)
        }
        // The colon is the first character after the digits.
        let lower = text(span.lower, -1, otherwise: "0")
        let upper = text(span.upper, 2, otherwise: ":")
        return interval(
            .beforePrefix(OrderedValue.encoded(.string(lower)).dropLast()),
            .beforePrefix(OrderedValue.encoded(.string(upper)).dropLast()))
    }

    private func parts(_ part: DocumentDate.Part, _ ranges: [ClosedRange<Int64>]) -> ComponentRanges? {
        guard component.separator == nil, component.collation == .binary else { return nil }
        guard component.part == part else {
            guard component.part == nil, [.year, .yearMonth, .yearMonthDay].contains(part) else { return nil }
            return dates(Self.span(part, ranges)).map { ComponentRanges($0.shape, isExact: false) }
        }
        let isExact = readsAllDates
        // Strings in a format that the component does not read are stored separately.
        let others = isExact ? [] : kinds(.other)
        let arePoints = ranges.allSatisfy { $0.lowerBound == $0.upperBound }
        if arePoints, isExact {
            var seen: Set<[UInt8]> = []
            let points = ranges.map { own(.int($0.lowerBound)) }.filter { seen.insert($0).inserted }
            return ComponentRanges(.points(points), isExact: true)
        }
        let kind = OrderedValue.Kind.number.rawValue
        let intervals = ranges.map { range in
            interval(
                range.lowerBound == .min ? .kind(kind) : .before(OrderedValue.encoded(.int(range.lowerBound))),
                range.upperBound == .max ? .kind(kind + 1) : .after(OrderedValue.encoded(.int(range.upperBound))))
        }
        return sorted(intervals + others, isExact: isExact)
    }

    private func own(_ value: DocumentValue) -> [UInt8] {
        let bytes = OrderedValue.encoded(value)
        return component.order == .descending ? bytes.map { ~$0 } : bytes
    }

    /// Returns a span that contains every date whose year or month is in one of the ranges.
    private static func span(_ part: DocumentDate.Part, _ ranges: [ClosedRange<Int64>]) -> Filter.DateSpan {
        // The months around the days: the result is a superset anyway.
        let divisor: Int64 = part == .yearMonthDay ? 100 : 1
        let lower = (ranges.map(\.lowerBound).min() ?? 0) / divisor
        let upper = (ranges.map(\.upperBound).max() ?? 0) / divisor
        func day(_ number: Int64, isUpper: Bool) -> Int64? {
            // Years beyond these are not limited.
            guard (-9_000_000...9_000_000).contains(number) else { return nil }
            let year = part == .year ? number : number / 100
            let month = part == .year ? (isUpper ? 12 : 1) : max(1, min(12, number % 100))
            guard number >= 0 || part == .year else { return nil }
            let first = CalendarDay.number(
                year: isUpper && month == 12 ? year + 1 : year, month: isUpper ? month % 12 + 1 : month, day: 1)
            // A time zone may shift a date across the boundary.
            return (first + (isUpper ? 1 : -1)) * DocumentDate.millisecondsPerDay
        }
        return Filter.DateSpan(from: day(lower, isUpper: false), to: day(upper, isUpper: true))
    }
}
