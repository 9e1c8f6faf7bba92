/// A parser for dates in the formats of ``DocumentDate/Format``. A change in what is accepted changes index keys, so it
/// must raise the version in `IndexDefinition.fingerprintText` of DocIndex.
///
/// A day without a time means midnight. Fractions of seconds are truncated to milliseconds. Strings with nonexistent
/// days, hour 24, second 60 or trailing characters are not dates; neither is the `0000:00:00 00:00:00` of a camera
/// whose clock was never set.
package struct DateText {
    private let bytes: [UInt8]
    private var offset = 0

    /// Returns the date in a string, using the first format that fits; `nil` if the string is not a date.
    package static func date(in text: String, formats: [DocumentDate.Format]) -> IndexedDate? {
        for format in formats {
            var reader = DateText(bytes: Array(text.utf8))
            if let date = reader.read(format) { return date }
        }
        return nil
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func read(_ format: DocumentDate.Format) -> IndexedDate? {
        let separator: Character = format == .iso8601 ? "-" : ":"
        guard let year = number(4), take(separator), let month = number(2), take(separator), let day = number(2),
            (1...12).contains(month), day >= 1, day <= CalendarDay.count(inMonth: month, of: year)
        else { return nil }
        var date = IndexedDate(milliseconds: CalendarDay.number(year: year, month: month, day: day) * 86_400_000)
        if isAtEnd { return date }
        guard take(" ") || (format == .iso8601 && (take("T") || take("t"))), let time = readTime() else { return nil }
        date.milliseconds += time
        if isAtEnd { return date }
        guard let zone = readZone(), isAtEnd else { return nil }
        date.milliseconds -= zone * 60_000
        date.offsetMinutes = Int(zone)
        return date
    }

    /// Returns the milliseconds since midnight.
    private mutating func readTime() -> Int64? {
        guard let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60 else { return nil }
        var time = (hour * 60 + minute) * 60_000
        guard take(":") else { return time }
        guard let second = number(2), second < 60 else { return nil }
        time += second * 1000
        guard take(".") || take(",") else { return time }
        var weight: Int64 = 100
        guard let first = number(1) else { return nil }
        time += first * weight
        while let digit = number(1) {
            weight /= 10
            time += digit * weight
        }
        return time
    }

    /// Returns the offset from UTC in minutes, positive to the east.
    private mutating func readZone() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let isBehind = take("-")
        guard isBehind || take("+"), let hours = number(2), hours < 24 else { return nil }
        var minutes: Int64 = 0
        if take(":") || !isAtEnd {
            guard let read = number(2), read < 60 else { return nil }
            minutes = read
        }
        let sum = hours * 60 + minutes
        return isBehind ? -sum : sum
    }

    // MARK: - Parts

    private var isAtEnd: Bool { offset == bytes.count }

    private mutating func take(_ character: Character) -> Bool {
        guard offset < bytes.count, bytes[offset] == character.asciiValue else { return false }
        offset += 1
        return true
    }

    /// Reads exactly `count` digits.
    private mutating func number(_ count: Int) -> Int64? {
        guard bytes.count - offset >= count else { return nil }
        var value: Int64 = 0
        for byte in bytes[offset..<offset + count] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        offset += count
        return value
    }
}
