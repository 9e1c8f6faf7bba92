extension DocumentDate: CustomStringConvertible {
    /// The date in ISO 8601 as local time, such as `2012-06-08T18:02:11.000+02:00`. The suffix is `Z` for UTC and
    /// missing for a date without a zone.
    ///
    /// Milliseconds are always written. A year before 0000 or after 9999 has a sign and at least six digits.
    public var iso8601: String {
        var text: [UInt8] = []
        appendISO8601(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The date in ISO 8601; see ``iso8601``.
    public var description: String { iso8601 }

    /// Creates a date from a string in ISO 8601; `nil` if it is malformed, or does not fit 64 bits of milliseconds.
    ///
    /// The form is `YYYY-MM-DDThh:mm:ss`, optionally followed by a decimal point and digits, then optionally by `Z`,
    /// `+hh:mm` or `-hh:mm`. Fractional digits after the third must be zeros, because nothing is rounded. Second 60 and
    /// hour 24 are rejected.
    ///
    /// - Complexity: O(*n*).
    public init?(iso8601 text: String) {
        self.init(iso8601: text.utf8Span.span)
    }

    /// Creates a date from a string in ISO 8601; see ``init(iso8601:)-(String)``.
    public init?(iso8601 text: Span<UInt8>) {
        var reader = ISO8601Reader(text)
        guard let day = reader.readDay(), let time = reader.readTime(), let zone = reader.readZone(),
            reader.offset == text.count
        else { return nil }
        // Local time is ahead of UTC by the offset.
        let shift = Int64(zone.minutes ?? 0) * 60_000
        // Even a year of nine digits in milliseconds is far below the range of 128 bits.
        let instant = Int128(day) * Int128(Self.millisecondsPerDay) + Int128(time) - Int128(shift)
        guard let milliseconds = Int64(exactly: instant) else { return nil }
        if let minutes = zone.minutes {
            self.init(milliseconds: milliseconds, offsetMinutes: minutes)
        } else {
            self.init(milliseconds: milliseconds)
        }
    }

    package static let millisecondsPerDay: Int64 = 86_400_000

    /// Appends the date in ISO 8601; see ``iso8601``.
    func appendISO8601(to text: inout [UInt8]) {
        let (quotient, rest) = milliseconds.quotientAndRemainder(dividingBy: Self.millisecondsPerDay)
        var day = rest < 0 ? quotient - 1 : quotient
        var time = rest < 0 ? rest + Self.millisecondsPerDay : rest
        time += Int64(offsetMinutes ?? 0) * 60_000
        if time < 0 {
            time += Self.millisecondsPerDay
            day -= 1
        } else if time >= Self.millisecondsPerDay {
            time -= Self.millisecondsPerDay
            day += 1
        }
        let date = CivilDate(dayNumber: day)
        if 0...9999 ~= date.year {
            text.appendDigits(date.year, count: 4)
        } else {
            text.append(UInt8(ascii: date.year < 0 ? "-" : "+"))
            text.appendDigits(abs(date.year), count: 6)
        }
        text.append(UInt8(ascii: "-"))
        text.appendDigits(date.month, count: 2)
        text.append(UInt8(ascii: "-"))
        text.appendDigits(date.day, count: 2)
        text.append(UInt8(ascii: "T"))
        text.appendDigits(time / 3_600_000, count: 2)
        text.append(UInt8(ascii: ":"))
        text.appendDigits(time / 60_000 % 60, count: 2)
        text.append(UInt8(ascii: ":"))
        text.appendDigits(time / 1000 % 60, count: 2)
        text.append(UInt8(ascii: "."))
        text.appendDigits(time % 1000, count: 3)
        guard let minutes = offsetMinutes else { return }
        if minutes == 0 { return text.append(UInt8(ascii: "Z")) }
        text.append(UInt8(ascii: minutes < 0 ? "-" : "+"))
        text.appendDigits(Int64(abs(minutes) / 60), count: 2)
        text.append(UInt8(ascii: ":"))
        text.appendDigits(Int64(abs(minutes) % 60), count: 2)
    }
}

extension [UInt8] {
    /// Appends a non-negative number in decimal, padded with zeros to `count` digits.
    fileprivate mutating func appendDigits(_ value: Int64, count: Int) {
        var power: Int64 = 1
        var powerCount = 1
        while powerCount < count || value / power >= 10 {
            power *= 10
            powerCount += 1
        }
        while power > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / power % 10))
            power /= 10
        }
    }
}

/// A day of the proleptic Gregorian calendar. The year before 1 is 0.
struct CivilDate: Equatable {
    let year: Int64
    let month: Int64
    let day: Int64

    init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the day that is `dayNumber` days after 1970-01-01.
    ///
    /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`: years begin in March, and are
    /// counted in eras of 400 years or 146,097 days.
    ///
    /// - Precondition: the day is in the range of dates in 64-bit milliseconds.
    init(dayNumber: Int64) {
        let shifted = dayNumber + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1970-01-01; `days_from_civil` from the same source.
    var dayNumber: Int64 {
        let year = month <= 2 ? self.year - 1 : self.year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The number of days of the month.
    var daysInMonth: Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// Reads the parts of a date in ISO 8601.
private struct ISO8601Reader: ~Escapable {
    let text: Span<UInt8>
    var offset = 0

    @_lifetime(copy text)
    init(_ text: Span<UInt8>) {
        self.text = text
    }

    /// Reads year, month and day as the number of days since 1970-01-01.
    mutating func readDay() -> Int64? {
        guard let year = readYear(), skip("-"), let month = readNumber(2), 1...12 ~= month, skip("-"),
            let day = readNumber(2)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard 1...date.daysInMonth ~= day else { return nil }
        return date.dayNumber
    }

    private mutating func readYear() -> Int64? {
        let isNegative = skip("-")
        guard isNegative || skip("+") else { return readNumber(4) }
        var digitCount = 0
        while offset + digitCount < text.count, digit(at: offset + digitCount) != nil { digitCount += 1 }
        // Nine digits cover the range of 64-bit milliseconds. A sign is allowed only where it is needed.
        guard 6...9 ~= digitCount, let year = readNumber(digitCount), isNegative ? year > 0 : year > 9999 else {
            return nil
        }
        return isNegative ? -year : year
    }

    /// Reads `T` and the time of day, in milliseconds.
    mutating func readTime() -> Int64? {
        guard skip("T"), let hour = readNumber(2), hour < 24, skip(":"), let minute = readNumber(2), minute < 60,
            skip(":"), let second = readNumber(2), second < 60
        else { return nil }
        var milliseconds = ((hour * 60 + minute) * 60 + second) * 1000
        guard skip(".") else { return milliseconds }
        var weight: Int64 = 100
        let start = offset
        while offset < text.count, let digit = digit(at: offset) {
            if weight == 0 && digit != 0 { return nil }
            milliseconds += digit * weight
            weight /= 10
            offset += 1
        }
        return offset > start ? milliseconds : nil
    }

    /// Reads the zone. Returns its offset in minutes, `nil` minutes without a zone, and `nil` if the zone is malformed.
    mutating func readZone() -> (minutes: Int?, Void)? {
        if offset == text.count { return (nil, ()) }
        if skip("Z") { return (0, ()) }
        let isNegative = skip("-")
        guard isNegative || skip("+"), let hours = readNumber(2), hours < 24, skip(":"), let minutes = readNumber(2),
            minutes < 60
        else { return nil }
        let total = Int(hours * 60 + minutes)
        // ISO 8601 does not allow -00:00.
        guard !isNegative || total > 0 else { return nil }
        return (isNegative ? -total : total, ())
    }

    private mutating func readNumber(_ digitCount: Int) -> Int64? {
        guard digitCount <= text.count - offset else { return nil }
        var value: Int64 = 0
        for place in offset..<offset + digitCount {
            guard let digit = digit(at: place) else { return nil }
            value = value * 10 + digit
        }
        offset += digitCount
        return value
    }

    private func digit(at place: Int) -> Int64? {
        let byte = text[place]
        return UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte ? Int64(byte - UInt8(ascii: "0")) : nil
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard offset < text.count, text[offset] == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }
}
