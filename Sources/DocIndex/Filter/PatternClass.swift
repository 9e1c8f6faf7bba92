/// A character class of a pattern.
struct PatternClass: Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    var isNegated = false
    var ignoresCase = false

    static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
    static let words: [ClosedRange<UInt32>] = [0x30...0x39, 0x41...0x5a, 0x5f...0x5f, 0x61...0x7a]
    static let spaces: [ClosedRange<UInt32>] = [0x09...0x0d, 0x20...0x20]

    /// Returns the characters that are in none of the ranges.
    static func complement(of ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { result.append(next...range.lowerBound - 1) }
            next = max(next, range.upperBound + 1)
        }
        if next <= 0x10ffff { result.append(next...0x10ffff) }
        return result
    }

    /// The same class with sorted, disjoint ranges, as required by ``contains(_:)``.
    var sorted: PatternClass {
        var result = self
        result.ranges = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            guard let last = result.ranges.last, range.lowerBound <= last.upperBound else {
                result.ranges.append(range)
                continue
            }
            result.ranges[result.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
        }
        return result
    }

    /// The ASCII characters in the class, one bit each.
    var ascii: (low: UInt64, high: UInt64) {
        var bits: (low: UInt64, high: UInt64) = (0, 0)
        func add(_ value: UInt32) {
            if value < 64 { bits.low |= 1 << UInt64(value) } else { bits.high |= 1 << UInt64(value - 64) }
        }
        for range in ranges {
            if range.lowerBound > 127 { break }
            for value in range.lowerBound...min(range.upperBound, 127) {
                add(value)
                if ignoresCase, (0x61...0x7a).contains(value | 0x20) { add(value ^ 0x20) }
            }
        }
        return isNegated ? (~bits.low, ~bits.high) : bits
    }

    /// Returns whether the class contains a character. The ranges must be sorted.
    ///
    /// - Complexity: O(log *n*) in the number of ranges.
    func contains(_ character: Unicode.Scalar) -> Bool {
        if has(character.value) { return !isNegated }
        if ignoresCase, character.isASCII {
            let isLetter = (0x61...0x7a).contains(character.value | 0x20)
            return isLetter && has(character.value ^ 0x20) ? !isNegated : isNegated
        }
        if ignoresCase {
            for other in [character.properties.lowercaseMapping, character.properties.uppercaseMapping] {
                let scalars = other.unicodeScalars
                if let first = scalars.first, scalars.count == 1, has(first.value) { return !isNegated }
            }
        }
        return isNegated
    }

    private func has(_ value: UInt32) -> Bool {
        var lower = 0
        var upper = ranges.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if ranges[middle].upperBound < value { lower = middle + 1 } else { upper = middle }
        }
        return lower < ranges.count && ranges[lower].lowerBound <= value
    }

    static func isWord(_ character: Unicode.Scalar?) -> Bool {
        guard let character else { return false }
        return words.contains { $0.contains(character.value) }
    }
}
