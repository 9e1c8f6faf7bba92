import DocIndex

/// A string that may be meant as a date.
struct DateLikeText {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Whether the string looks like a date but is none as documents write it: 1.5.2025, 5/1/2025, 2025-5-1, 2025-13-45,
    /// 2025-W27, 2025-05-01T25:00, `May 2025` and `today`.
    var isNoDate: Bool { isForeign || isLoose || isWord || namesMonth || isUnreadable }

    /// The character after the year of 2025:05:01 and 2025.05.01, with or without a time; `nil` for other strings.
    /// Documents may have dates in this notation.
    var notation: Character? {
        guard let start = text.prefixMatch(of: /\d{4}([:.])\d{2}\1\d{2}(?!\d)/) else { return nil }
        return start.output.1.first
    }

    private var isWord: Bool { ["today", "yesterday", "tomorrow", "now"].contains(text.lowercased()) }

    /// Whether the string is a month in English with a year, and perhaps a day.
    private var namesMonth: Bool {
        let months = [
            "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
            "november", "december",
        ]
        let words = text.lowercased().split { " .,".contains($0) }
        guard (2...3).contains(words.count), words.contains(where: { $0.count == 4 && Self.number($0) != nil }) else {
            return false
        }
        let names = words.filter { Self.number($0) == nil }
        return names.count == 1 && names[0].count >= 3 && months.contains { $0.hasPrefix(names[0]) }
    }

    /// Whether the string begins like a week or a time of a day, and is none that can be read.
    private var isUnreadable: Bool {
        if text.wholeMatch(of: /\d{4}-W\d{1,2}(-\d)?/) != nil { return true }
        return text.prefixMatch(of: /\d{4}-\d{2}-\d{2}T\d/) != nil && Filter.DateSpan(text) == nil
    }

    /// The string as year-month-day; `nil` if that is not certain, or no day.
    var corrected: String? {
        guard let (year, month, day) = parts, (1...12).contains(month), (1...31).contains(day) else { return nil }
        guard Filter.DateSpan(Self.written(year, month, day)) != nil else { return nil }
        return Self.written(year, month, day)
    }

    private static func written(_ year: Int, _ month: Int, _ day: Int) -> String {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(padded(month))-\(padded(day))"
    }

    /// Whether the string has the form 1.5.2025, 5/1/2025 or 2025/5/1.
    var isForeign: Bool {
        if text.contains("/"), parts != nil { return true }
        return [".", "/"].contains { (separator: Character) in
            let parts = text.split(separator: separator, omittingEmptySubsequences: false)
            guard parts.count == 3, parts.allSatisfy({ Self.number($0) != nil }) else { return false }
            return parts[0].count <= 2 && parts[1].count <= 2 && [2, 4].contains(parts[2].count)
        }
    }

    /// Whether the string begins with a year and has a month or a day that is not written with two digits, or that no
    /// calendar has.
    private var isLoose: Bool {
        guard notation == nil, let (_, month, day) = parts else { return false }
        let isPadded = text.utf8.count == 10
        return !isPadded || !(1...12).contains(month) || !(1...31).contains(day) || corrected == nil
    }

    /// The numbers of the form year-month-day, year/month/day, year:month:day or year.month.day. A time may follow the
    /// latter two.
    private var parts: (year: Int, month: Int, day: Int)? {
        let separator: Character = notation ?? (text.contains("/") ? "/" : "-")
        let parts = text.prefix(notation == nil ? text.count : 10).split(
            separator: separator, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, parts[1].count <= 2, parts[2].count <= 2,
            let year = Self.number(parts[0]), let month = Self.number(parts[1]), let day = Self.number(parts[2])
        else { return nil }
        return (year, month, day)
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
