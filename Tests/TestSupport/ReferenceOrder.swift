public import DocIndex
internal import Foundation

/// The order of values as documented, written for readability rather than speed and without the code under test:
/// missing < null < false < true < numbers < strings < dates < bytes < attachments < arrays < objects.
public enum ReferenceOrder {
    /// Returns -1, 0 or 1; `nil` stands for a missing field.
    public static func compare(_ a: DocumentValue?, _ b: DocumentValue?) -> Int {
        if rank(a) != rank(b) { return rank(a) < rank(b) ? -1 : 1 }
        return switch (a, b) {
        case (.string(let a), .string(let b)): compare(Array(a.utf8), Array(b.utf8))
        case (.bytes(let a), .bytes(let b)): compare(a, b)
        case (.date(let a), .date(let b)): compare(a, b)
        case (.int, _), (.double, _): compareNumbers(a, b)
        case (.attachment(let a), .attachment(let b)): compare(members(a), members(b))
        case (.array(let a), .array(let b)): compare(a, b)
        case (.object(let a), .object(let b)): compare(flat(a), flat(b))
        default: 0
        }
    }

    /// Compares by the first values that differ; if there are none, the shorter list comes first.
    private static func compare(_ a: [DocumentValue], _ b: [DocumentValue]) -> Int {
        for (a, b) in zip(a, b) where compare(a, b) != 0 { return compare(a, b) }
        return (a.count - b.count).signum()
    }

    /// The names and values of an object, alternating, ordered by name.
    private static func flat(_ object: DocumentObject) -> [DocumentValue] {
        object.sorted { compare(Array($0.name.utf8), Array($1.name.utf8)) < 0 }.flatMap {
            [.string($0.name), $0.value]
        }
    }

    /// The members of an attachment in the order in which they are compared; a missing name comes first.
    private static func members(_ attachment: Attachment) -> [DocumentValue] {
        [.bytes(attachment.digest.bytes), .int(attachment.byteCount), .string(attachment.type)]
            + (attachment.name.map { [.string($0)] } ?? [])
    }

    private static func rank(_ value: DocumentValue?) -> Int {
        switch value {
        case nil: 0
        case .null: 1
        case .bool(false): 2
        case .bool(true): 3
        case .int, .double: 4
        case .string: 5
        case .date: 6
        case .bytes: 7
        case .attachment: 8
        case .array: 9
        case .object: 10
        }
    }

    /// Compares by milliseconds, then dates without a time zone first, then by offset.
    private static func compare(_ a: DocumentDate, _ b: DocumentDate) -> Int {
        if a.milliseconds != b.milliseconds { return a.milliseconds < b.milliseconds ? -1 : 1 }
        switch (a.offsetMinutes, b.offsetMinutes) {
        case (nil, nil): return 0
        case (nil, _): return -1
        case (_, nil): return 1
        case (let a?, let b?): return (a - b).signum()
        }
    }

    private static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
        for (a, b) in zip(a, b) where a != b { return a < b ? -1 : 1 }
        return (a.count - b.count).signum()
    }

    /// A number split into an integer part, rounded toward zero, and a fraction, with room for integers beyond 64 bits.
    private struct Number {
        var isNaN = false
        /// Beyond the range of 64-bit integers, the double decides.
        var large: Double = 0
        var whole: Int64 = 0
        var fraction: Double = 0
    }

    private static func number(_ value: DocumentValue?) -> Number {
        switch value {
        case .int(let value): Number(whole: value)
        case .double(let value):
            if value.isNaN {
                Number(isNaN: true)
            } else if value >= 9_223_372_036_854_775_808 || value < -9_223_372_036_854_775_808 {
                Number(large: value)
            } else {
                Number(whole: Int64(value), fraction: value - value.rounded(.towardZero))
            }
        default: preconditionFailure("no number")
        }
    }

    private static func compareNumbers(_ a: DocumentValue?, _ b: DocumentValue?) -> Int {
        let a = number(a)
        let b = number(b)
        if a.isNaN || b.isNaN { return a.isNaN && b.isNaN ? 0 : a.isNaN ? -1 : 1 }
        if a.large != b.large { return a.large < b.large ? -1 : 1 }
        if a.whole != b.whole { return a.whole < b.whole ? -1 : 1 }
        return a.fraction == b.fraction ? 0 : a.fraction < b.fraction ? -1 : 1
    }

    // MARK: - Collations

    /// Returns the form in which a collation other than `natural` compares a string. Covers the letters that tests use.
    static func folded(_ text: String, _ collation: TextCollation) -> [UInt8] {
        let options: String.CompareOptions =
            collation == .caseInsensitive
            ? .caseInsensitive : [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]
        if collation == .binary { return Array(text.utf8) }
        return Array(text.precomposedStringWithCanonicalMapping.folding(options: options, locale: nil).utf8)
    }

    /// Returns the order of two strings as ``TextCollation`` defines it: negative, zero or positive.
    public static func compare(_ a: String, _ b: String, _ collation: TextCollation) -> Int {
        func folded(_ text: String, _ options: String.CompareOptions) -> [UInt8] {
            Array(text.precomposedStringWithCanonicalMapping.folding(options: options, locale: nil).utf8)
        }
        switch collation {
        case .binary: return compare(Array(a.utf8), Array(b.utf8))
        case .caseInsensitive: return compare(folded(a, .caseInsensitive), folded(b, .caseInsensitive))
        case .caseAndAccentInsensitive:
            let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]
            return compare(folded(a, options), folded(b, options))
        case .natural:
            let result = compareNaturally(folded(a, .caseInsensitive), folded(b, .caseInsensitive))
            return result != 0 ? result : compare(Array(a.utf8), Array(b.utf8))
        }
    }

    private static func compareNaturally(_ a: [UInt8], _ b: [UInt8]) -> Int {
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (48...57).contains($0) } ?? false }
        var (a, b) = (a[...], b[...])
        while let first = a.first, let second = b.first {
            if isDigit(first), isDigit(second) {
                let runs = (Array(a.prefix { isDigit($0) }), Array(b.prefix { isDigit($0) }))
                let numbers = (Array(runs.0.drop { $0 == 48 }), Array(runs.1.drop { $0 == 48 }))
                if numbers.0.count != numbers.1.count { return numbers.0.count < numbers.1.count ? -1 : 1 }
                if numbers.0 != numbers.1 { return compare(numbers.0, numbers.1) }
                a = a.dropFirst(runs.0.count)
                b = b.dropFirst(runs.1.count)
            } else {
                let bytes = (isDigit(first) ? 48 : first, isDigit(second) ? 48 : second)
                if bytes.0 != bytes.1 { return bytes.0 < bytes.1 ? -1 : 1 }
                a = a.dropFirst()
                b = b.dropFirst()
            }
        }
        return a.isEmpty == b.isEmpty ? 0 : a.isEmpty ? -1 : 1
    }
}
