/// A date as stored in an index.
package struct IndexedDate: Sendable, Hashable {
    /// The milliseconds since the start of 1970: in UTC if the time zone is known, otherwise in wall-clock time.
    package internal(set) var milliseconds: Int64
    /// The offset of local time from UTC in minutes; `nil` if the time zone is unknown.
    var offsetMinutes: Int?

    package init(milliseconds: Int64, offsetMinutes: Int? = nil) {
        self.milliseconds = milliseconds
        self.offsetMinutes = offsetMinutes
    }

    package init(_ date: DocumentDate) {
        self.init(milliseconds: date.milliseconds, offsetMinutes: date.offsetMinutes)
    }

    /// Returns a part of the date in local time.
    package func value(of part: DocumentDate.Part) -> Int64 {
        // Add the offset separately from the days, because the sum would overflow 64 bits at the end of the range.
        var days = milliseconds / 86_400_000
        var rest = milliseconds % 86_400_000 + Int64(offsetMinutes ?? 0) * 60_000
        while rest < 0 {
            days -= 1
            rest += 86_400_000
        }
        while rest >= 86_400_000 {
            days += 1
            rest -= 86_400_000
        }
        let minutes = rest / 60_000
        let (year, month, day) = CalendarDay.parts(ofDay: days)
        return switch part {
        case .year: year
        case .month: month
        case .day: day
        case .yearMonth: year * 100 + month
        case .yearMonthDay: year * 10_000 + month * 100 + day
        case .monthDay: month * 100 + day
        // January 1, 1970, was a Thursday.
        case .weekday: (days % 7 + 10) % 7 + 1
        case .hour: minutes / 60
        case .minute: minutes % 60
        }
    }
}

/// Days of the proleptic Gregorian calendar, counted from January 1, 1970.
///
/// Years are counted from March, so that the leap day comes last, in eras of 400 years with 146,097 days each.
package enum CalendarDay {
    /// Returns the number of a valid date.
    package static func number(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the year, month and day of a day number.
    package static func parts(ofDay number: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// Returns the number of days in a month.
    package static func count(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}
