/// A condition on one value, independent of whether the value is in a document, an encoded body or an index.
indirect enum ValueCondition: Sendable {
    case any
    case compare(Filter.Comparison, DocumentValue)
    case collates(Filter.Comparison, DocumentValue)
    case isIn(ValueSet)
    case folded(FoldedCondition)
    case hasPrefix(String)
    case contains(String)
    case hasMatch(Filter.TextPattern)
    /// A keyword, and the prefix of all keywords below it.
    case isBelow(String, behind: String)
    case hasKind(Set<DocumentValue.Kind>)
    case hasCount(Int)
    case isCongruent(divisor: Int64, remainder: Int64)
    case isDated(Filter.DateSpan)
    case hasDatePart(DocumentDate.Part, [ClosedRange<Int64>])
    case satisfies(Filter)
    /// A member name of an object or an attachment satisfies a condition.
    case hasKey(Filter)

    /// Returns whether the condition holds for a value.
    func holds(_ value: DocumentValue) -> Bool {
        holds(value) { (pattern, text) throws(Never) in pattern.hasMatch(in: text) }
    }

    /// Evaluates the condition like ``holds(_:)``, but cancellation and a step limit stop long pattern searches.
    ///
    /// - Throws: The errors of ``Filter/TextPattern/hasBoundedMatch(in:)``.
    func holdsBounded(_ value: DocumentValue) throws -> Bool {
        // Most conditions have no pattern, so they take the nonthrowing path.
        switch self {
        case .hasMatch(let pattern): try value.stringValue.map { try pattern.hasBoundedMatch(in: $0) } ?? false
        case .satisfies, .hasKey: try holds(value) { (pattern, text) throws in try pattern.hasBoundedMatch(in: text) }
        default: holds(value)
        }
    }

    /// - Parameter matches: A closure that returns whether a string matches a pattern.
    func holds<Failure: Error>(
        _ value: DocumentValue, _ matches: (Filter.TextPattern, String) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        switch self {
        case .hasMatch(let pattern): if let text = value.stringValue { try matches(pattern, text) } else { false }
        case .satisfies(let filter): try filter.matches(value, matches)
        case .hasKey(let filter): try Self.hasKey(value, filter, matches)
        default: holdsPlainly(value)
        }
    }

    private static func hasKey<Failure: Error>(
        _ value: DocumentValue, _ filter: Filter, _ matches: (Filter.TextPattern, String) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        guard let object = value.memberObject else { return false }
        for member in object where try filter.matches(.string(member.name), matches) { return true }
        return false
    }

    /// Evaluates a condition without patterns.
    private func holdsPlainly(_ value: DocumentValue) -> Bool {
        switch self {
        case .any: true
        case .compare(let comparison, let constant):
            ValueOrder.compare(value, constant).map(comparison.holds) ?? false
        case .collates(let comparison, let constant): comparison.holds(ValueOrder.collate(value, constant))
        case .isIn(let values): values.contains(value)
        case .folded(let condition): condition.holds(value)
        case .hasPrefix(let prefix): value.stringValue?.utf8.starts(with: prefix.utf8) ?? false
        case .contains(let part): value.stringValue.map { $0.utf8Span.span.contains(part.utf8Span.span) } ?? false
        case .isBelow(let keyword, let beginning):
            value.stringValue.map { $0.hasSameBytes(as: keyword) || $0.utf8.starts(with: beginning.utf8) } ?? false
        case .hasKind(let kinds): kinds.contains(value.kind)
        case .hasCount(let count): value.arrayValue?.count == count
        case .isCongruent(let divisor, let remainder):
            value.intValue.map { divisor != 0 && (divisor == -1 ? 0 : $0 % divisor) == remainder } ?? false
        case .isDated(let span): IndexedDate(reading: value).map { span.contains($0.milliseconds) } ?? false
        case .hasDatePart(let part, let ranges):
            IndexedDate(reading: value).map { date in
                let number = date.value(of: part)
                return ranges.contains { $0.contains(number) }
            } ?? false
        case .hasMatch, .satisfies, .hasKey: false
        }
    }
}

extension IndexedDate {
    /// Creates the date of a date value, or of a string in any known date format; `nil` for other values.
    init?(reading value: DocumentValue) {
        switch value {
        case .date(let date): self.init(date)
        case .string(let text):
            guard let date = DateText.date(in: text, formats: DocumentDate.Format.allCases) else { return nil }
            self = date
        default: return nil
        }
    }
}
