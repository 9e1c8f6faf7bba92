extension Filter {
    /// A half-open span of time.
    ///
    /// Times are milliseconds since 1970: in UTC if the time zone of a date is known, otherwise in wall-clock time, as in
    /// ``DocumentDate``.
    public struct DateSpan: Sendable, Hashable {
        /// The first millisecond in the span; `nil` for no beginning.
        public var lower: Int64?
        /// The first millisecond after the span; `nil` for no end.
        public var upper: Int64?

        /// Creates a span with the given bounds.
        public init(from lower: Int64? = nil, to upper: Int64? = nil) {
            self.lower = lower
            self.upper = upper
        }

        /// Returns whether a time is in the span.
        public func contains(_ milliseconds: Int64) -> Bool {
            if let lower, milliseconds < lower { return false }
            if let upper, milliseconds >= upper { return false }
            return true
        }

        /// Creates the span denoted by a string: `2019` is a year, `2019-06` a month, `2019-06-08` a day,
        /// `2019-06-08T18:02` a minute, `2019-06-08T18:02:11` a second; a time may be followed by a time zone. Returns
        /// `nil` for other strings.
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

        /// Creates the span denoted by the constant of a comparison: the millisecond of a date, or the day, minute or
        /// second of a string that contains at least a day. Returns `nil` for other values, which are compared unchanged.
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

        /// Returns the length of the span that a string denotes, in milliseconds.
        private static func precision(of text: String) -> Int64 {
            if text.utf8.count <= 10 { return DocumentDate.millisecondsPerDay }
            // After the day, one of these characters begins a time zone.
            let time = text.utf8.dropFirst(11).prefix { $0 != 0x2b && $0 != 0x2d && $0 != 0x5a && $0 != 0x7a }
            if time.contains(UInt8(ascii: ".")) { return 1 }
            return time.count { $0 == UInt8(ascii: ":") } >= 2 ? 1000 : 60_000
        }
    }
}
