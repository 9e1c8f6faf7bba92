/// A moment, as an index keeps it.
struct IndexedDate: Sendable, Hashable {
    /// Since the beginning of 1970: of UTC where the zone is known, of the wall clock where it is not.
    var milliseconds: Int64
    /// Minutes that the wall clock is ahead of UTC; `nil` if the zone is not known.
    var offsetMinutes: Int?

    init(milliseconds: Int64, offsetMinutes: Int? = nil) {
        self.milliseconds = milliseconds
        self.offsetMinutes = offsetMinutes
    }

    init(_ date: DocumentDate) {
        self.init(milliseconds: date.milliseconds, offsetMinutes: date.offsetMinutes)
    }

    /// A part of the date as the wall clock showed it.
    func value(of part: DatePart) -> Int64 {
        // Days apart from the rest, which the offset is added to: at the end of the range, their sum has no room in 64 bits.
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
        case .monthDay: month * 100 + day
        // The first day of 1970 was a Thursday.
        case .weekday: (days % 7 + 10) % 7 + 1
        case .hour: minutes / 60
        case .minute: minutes % 60
        }
    }
}

/// Days of the proleptic Gregorian calendar, counted from the first of January 1970.
///
/// Counts in years that begin with March, so that the leap day is the last of them, and in eras of 400 years, each of
/// 146,097 days.
enum CalendarDay {
    /// The number of a day that exists.
    static func number(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Year, month and day of a number.
    static func parts(ofDay number: Int64) -> (year: Int64, month: Int64, day: Int64) {
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

    /// The days of a month.
    static func count(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}
