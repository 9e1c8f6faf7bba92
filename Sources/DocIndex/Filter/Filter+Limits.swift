/// Limits on the size of conditions. Ordinary queries stay far below them. Without limits, a program could nest
/// conditions so deeply that a thread runs out of stack, and a few megabytes of query text could keep the planner busy
/// for minutes.
extension Filter {
    /// The maximum nesting depth: the number of `and`, `or`, `not` and `anyElement` around a condition.
    ///
    /// A deeper condition can be created but is rejected wherever it is used; see ``Nested``. ``&&(_:_:)`` and
    /// ``||(_:_:)`` join many conditions without nesting.
    public static let maximumDepth = 128
    /// The maximum number of single conditions in a filter. An `isIn` with many values counts as one.
    public static let maximumConditionCount = 10_000
    /// The maximum total number of values in the lists of a condition.
    public static let maximumValueCount = 100_000

    /// Checks the limits, and arguments that the type system cannot check: a zero divisor, a radius that is negative or
    /// NaN, a negative count, an empty separator, a search among array elements.
    ///
    /// - Throws: ``DocIndexError`` with `queryTooLarge` and the exceeded limit, or with `invalidQuery`.
    /// - Complexity: O(*n*) in the number of parts, or O(1) if they are nested too deeply.
    func validate() throws {
        guard !isTooDeep else {
            throw DocIndexError(
                .queryTooLarge, "conditions are nested more than \(Self.maximumDepth) deep; simplify the query")
        }
        var check = FilterCheck()
        try check.add(self, isOfElement: nil)
    }

    /// Whether the condition is nested deeper than ``maximumDepth``.
    ///
    /// - Complexity: O(1).
    var isTooDeep: Bool { depth > Self.maximumDepth }

    static func tooManyConditions(_ count: Int) -> DocIndexError {
        DocIndexError(
            .queryTooLarge,
            "the query has \(count) conditions or more; at most \(maximumConditionCount) are allowed; "
                + "use a list with IN for many values of one field")
    }
}

extension Filter: Nesting {
    package var depth: Int {
        switch self {
        case .and(let parts), .or(let parts): parts.depth
        case .not(let part), .anyElement(_, let part), .anyKey(_, let part): part.depth
        default: 1
        }
    }

    package static var omitted: Filter { .search(Filter.Search(.nothing, text: "…")) }
}

/// Counts the parts of a condition while checking them.
private struct FilterCheck {
    private var conditionCount = 0
    private var valueCount = 0

    /// - Parameter isOfElement: The array whose elements the condition is about; `nil` outside of arrays.
    mutating func add(_ filter: Filter, isOfElement path: FieldPath?) throws {
        switch filter {
        case .and(let parts), .or(let parts):
            if parts.content.isEmpty { try countCondition() }
            for part in parts.content { try add(part, isOfElement: path) }
        case .not(let part): try add(part.content, isOfElement: path)
        case .anyElement(let inner, let part), .anyKey(let inner, let part):
            try countCondition()
            try add(part.content, isOfElement: inner)
        default: try check(filter, path)
        }
    }

    private mutating func countCondition() throws {
        conditionCount += 1
        guard conditionCount <= Filter.maximumConditionCount else {
            throw Filter.tooManyConditions(conditionCount)
        }
    }

    private mutating func check(_ filter: Filter, _ element: FieldPath?) throws {
        try countCondition()
        switch filter {
        case .search(let condition):
            if let element { throw Self.searchInside(element) }
            try condition.query.validate()
        case .isIn(_, let values): try countValues(values.count)
        case .folded(_, _, .isIn(let texts)): try countValues(texts.count)
        case .hasDatePart(_, _, let ranges): try countValues(ranges.count)
        default: try Self.checkNumbers(filter)
        }
    }

    private mutating func countValues(_ count: Int) throws {
        valueCount += count
        guard valueCount <= Filter.maximumValueCount else {
            throw DocIndexError(
                .queryTooLarge,
                "the lists of the query have \(valueCount) values or more; at most \(Filter.maximumValueCount) are "
                    + "allowed; split the query")
        }
    }

    private static func searchInside(_ path: FieldPath) -> DocIndexError {
        DocIndexError(
            .invalidQuery, "a search applies to documents, not to the elements of \(path); move it out of ANY")
    }

    private static func checkNumbers(_ filter: Filter) throws {
        switch filter {
        case .isCongruent(let path, 0, _):
            throw DocIndexError(.invalidQuery, "the divisor for \(path) is 0; use another divisor")
        case .isNear(let field, _, let meters) where !(meters >= 0):
            throw DocIndexError(.invalidQuery, "the distance from \(field) is \(meters) meters; it must be 0 or more")
        case .folded(let path, .natural, _):
            throw DocIndexError(
                .invalidQuery, "natural order applies to sorting only; compare \(path) by ci, ci-ai or binary")
        case .hasCount(let path, let count) where count < 0:
            throw DocIndexError(.invalidQuery, "the size of \(path) is \(count); it must be 0 or more")
        case .isBelow(let path, _, let separator) where separator.isEmpty:
            throw DocIndexError(.invalidQuery, "the separator of the levels of \(path) is empty; set one, such as |")
        default: break
        }
    }
}
