/// A string that may be meant as a date.
struct DateLikeText {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Whether the string looks like a date but is none as documents write it: 1.5.2025, 5/1/2025, 2025-5-1 and
    /// 2025-13-45.
    var isNoDate: Bool { isForeign || isLoose }

    /// The string as year-month-day; `nil` if that is not certain, or no day.
    var corrected: String? {
        guard let (year, month, day) = parts, (1...12).contains(month), (1...31).contains(day) else { return nil }
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(padded(month))-\(padded(day))"
    }

    /// Whether the string has the form 1.5.2025 or 5/1/2025.
    var isForeign: Bool {
        [".", "/"].contains { (separator: Character) in
            let parts = text.split(separator: separator, omittingEmptySubsequences: false)
            guard parts.count == 3, parts.allSatisfy({ Self.number($0) != nil }) else { return false }
            return parts[0].count <= 2 && parts[1].count <= 2 && [2, 4].contains(parts[2].count)
        }
    }

    /// Whether the string begins with a year and has a month or a day that is not written with two digits, or that no
    /// calendar has.
    private var isLoose: Bool {
        guard let (_, month, day) = parts else { return false }
        let isPadded = text.utf8.count == 10
        return !isPadded || !(1...12).contains(month) || !(1...31).contains(day)
    }

    /// The numbers of the form year-month-day.
    private var parts: (year: Int, month: Int, day: Int)? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, parts[1].count <= 2, parts[2].count <= 2,
            let year = Self.number(parts[0]), let month = Self.number(parts[1]), let day = Self.number(parts[2])
        else { return nil }
        return (year, month, day)
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
