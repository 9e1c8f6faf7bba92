/// A span of time, from a moment up to another that no longer belongs to it.
///
/// Moments are milliseconds since 1970, of UTC where the zone of a date is known and of the wall clock where it is not, as
/// in ``DocumentDate``.
public struct DateSpan: Sendable, Hashable {
    /// The first moment; `nil` for no beginning.
    public var lower: Int64?
    /// The first moment behind the span; `nil` for no end.
    public var upper: Int64?

    /// A span with its ends.
    public init(from lower: Int64? = nil, to upper: Int64? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Whether a moment belongs to the span.
    public func contains(_ milliseconds: Int64) -> Bool {
        if let lower, milliseconds < lower { return false }
        if let upper, milliseconds >= upper { return false }
        return true
    }

    /// The span that a text names: `2019` is the year, `2019-06` the month, `2019-06-08` the day, `2019-06-08T18:02` the
    /// minute, `2019-06-08T18:02:11` the second; a zone may follow a time. `nil` for other texts.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isYearOrMonth = text.utf8.count == 4 || text.utf8.count == 7
        if isYearOrMonth {
            guard parts.count == (text.utf8.count == 4 ? 1 : 2),
                parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), let year = Int64(parts[0])
            else { return nil }
            let month = parts.count == 2 ? Int64(parts[1]) ?? 0 : 1
            guard (1...12).contains(month) else { return nil }
            let isLast = parts.count == 1 || month == 12
            self.init(
                from: Self.day(year, month), to: isLast ? Self.day(year + 1, 1) : Self.day(year, month + 1))
            return
        }
        guard let date = DateText.date(in: text, formats: [.iso8601]) else { return nil }
        self.init(from: date.milliseconds, to: date.milliseconds + Self.precision(of: text))
    }

    /// The span that a constant of a comparison names: the moment of a date, or the day, minute or second of a text that has
    /// at least a day; `nil` for others, which are compared as they are.
    init?(comparing value: DocumentValue) {
        switch value {
        case .date(let date):
            let (next, overflow) = date.milliseconds.addingReportingOverflow(1)
            self.init(from: date.milliseconds, to: overflow ? nil : next)
        case .string(let text) where text.utf8.count >= 10: self.init(text)
        default: return nil
        }
    }

    private static func day(_ year: Int64, _ month: Int64) -> Int64 {
        CalendarDay.number(year: year, month: month, day: 1) * DocumentDate.millisecondsPerDay
    }

    /// How many milliseconds a text leaves open.
    private static func precision(of text: String) -> Int64 {
        if text.utf8.count <= 10 { return DocumentDate.millisecondsPerDay }
        // Behind the day, a zone begins with one of these signs.
        let time = text.utf8.dropFirst(11).prefix { $0 != 0x2b && $0 != 0x2d && $0 != 0x5a && $0 != 0x7a }
        if time.contains(UInt8(ascii: ".")) { return 1 }
        return time.count { $0 == UInt8(ascii: ":") } >= 2 ? 1000 : 60_000
    }
}
