extension DocumentCollection {
    /// The number of documents in each year, month or day, in chronological order.
    public struct Timeline: Sendable, Hashable {
        /// The length of the periods.
        public enum Unit: String, Sendable, Hashable, CaseIterable {
            /// Years.
            case year
            /// Months.
            case month
            /// Days.
            case day

            /// The part of a date that numbers the periods.
            var part: DocumentDate.Part {
                switch self {
                case .year: .year
                case .month: .yearMonth
                case .day: .yearMonthDay
                }
            }
        }

        /// A year, a month or a day, in the time zone of each date.
        public struct Period: Sendable, Hashable, Comparable, CustomStringConvertible {
            /// The length.
            public let unit: Timeline.Unit
            /// The number of ``DocumentDate/Part/year``, ``DocumentDate/Part/yearMonth`` or
            /// ``DocumentDate/Part/yearMonthDay``.
            let number: Int64

            /// The year.
            public var year: Int {
                switch unit {
                case .year: Int(number)
                case .month: Int(number / 100)
                case .day: Int(number / 10_000)
                }
            }

            /// The month, 1 to 12; `nil` for a year.
            public var month: Int? {
                switch unit {
                case .year: nil
                case .month: Int(number % 100)
                case .day: Int(number / 100 % 100)
                }
            }

            /// The day of the month, 1 to 31; `nil` for a year or a month.
            public var day: Int? { unit == .day ? Int(number % 100) : nil }

            /// The period as in ISO 8601, and as conditions accept it after `date`: `2019`, `2019-06` or `2019-06-08`.
            public var description: String {
                func digits(_ number: Int, _ count: Int) -> String {
                    let text = String(number)
                    return String(repeating: "0", count: max(0, count - text.count)) + text
                }
                return ([digits(year, 4)] + [month, day].compactMap { $0.map { digits($0, 2) } }).joined(separator: "-")
            }

            /// Whether the left period is earlier.
            public static func < (left: Period, right: Period) -> Bool { left.number < right.number }

            /// The next period of the same length.
            var next: Period {
                var (year, month, day) = (Int64(year), Int64(month ?? 1), Int64(day ?? 1))
                switch unit {
                case .year: return Period(unit: unit, number: year + 1)
                case .month: break
                case .day:
                    day += 1
                    if day <= CalendarDay.count(inMonth: month, of: year) {
                        return Period(unit: unit, number: number + 1)
                    }
                }
                day = 1
                month = month % 12 + 1
                if month == 1 { year += 1 }
                return Period(unit: unit, number: unit == .day ? year * 10_000 + month * 100 + day : year * 100 + month)
            }
        }

        /// A period and the number of documents in it.
        public struct Entry: Sendable, Hashable {
            /// The period.
            public let period: Timeline.Period
            /// The number of documents.
            public let count: Int
        }

        /// The periods, the earliest first.
        public let entries: [Timeline.Entry]
        /// The number of documents without a date.
        public let missingCount: Int
    }
}

extension DocumentCollection {
    /// Returns the number of documents in each year, month or day.
    ///
    /// Dates are date values, and strings in the formats of ``DocumentDate/Format``, such as those of exiftool. Every
    /// other value counts as no date. With `[]` in the path, a document counts once for each of its periods.
    ///
    /// - Parameters:
    ///   - path: the field of the date.
    ///   - unit: the length of the periods.
    ///   - filter: the condition that the counted documents satisfy.
    ///   - fillsGaps: whether periods without documents, between the first and the last one, are included.
    ///   - options: the hint, the limits and the progress of the query.
    /// - Throws: ``DocIndexError`` with `queryTooLarge` for more than a million periods; the errors of
    ///   ``summarize(_:where:options:)``.
    /// - Complexity: that of ``summarize(_:where:options:)``. Without a condition, an index on the field answers, also
    ///   one with the suitable part of the date.
    public func timeline(
        _ path: FieldPath, by unit: Timeline.Unit, where filter: Filter = .all, fillsGaps: Bool = false,
        options: Query.Options = Query.Options()
    ) throws -> Timeline {
        let list = try facets(
            by: [.datePart(path, unit.part)], where: filter, countsMissing: true, options: options)[0]
        let entries = list.facets.compactMap { facet -> Timeline.Entry? in
            guard let number = facet.value.intValue else { return nil }
            return Timeline.Entry(period: Timeline.Period(unit: unit, number: number), count: facet.count)
        }.sorted { $0.period < $1.period }
        guard fillsGaps else { return Timeline(entries: entries, missingCount: list.missingCount) }
        var filled: [Timeline.Entry] = []
        for entry in entries {
            while let last = filled.last, last.period.next < entry.period {
                guard filled.count < Aggregation(by: []).groupLimit else {
                    throw DocIndexError(
                        .queryTooLarge,
                        "the timeline of \(path) has too many periods without documents; narrow the condition, or leave "
                            + "out empty periods")
                }
                filled.append(Timeline.Entry(period: last.period.next, count: 0))
            }
            filled.append(entry)
        }
        return Timeline(entries: filled, missingCount: list.missingCount)
    }
}
