public import LevelKit

/// Integers of any length in tests: from text and from literals. The library itself never parses one.
extension Tuple.BigInteger {
    /// Parses an integer. Returns `nil` if the string is not an integer, or if its value is beyond ±(2²⁰⁴⁰ − 1).
    ///
    /// The string is an optional sign, followed by decimal digits, or by `0x` and hexadecimal digits in either case.
    /// Leading zeros are allowed; spaces and separators are not.
    ///
    /// - Complexity: O(n) in the digits, even for overlong strings.
    init?(_ text: String) {
        var digits = Substring(text).utf8
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        var radix: UInt32 = 10
        if digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) {
            digits.removeFirst(2)
            radix = 16
        }
        guard !digits.isEmpty else { return nil }
        // Little-endian while it grows.
        var magnitude: [UInt8] = []
        for character in digits {
            guard let digit = Self.digit(character, radix: radix) else { return nil }
            var carry = digit
            for index in magnitude.indices {
                carry += UInt32(magnitude[index]) * radix
                magnitude[index] = UInt8(truncatingIfNeeded: carry)
                carry >>= 8
            }
            if carry > 0 { magnitude.append(UInt8(truncatingIfNeeded: carry)) }
            // Stops at overlong strings, which would otherwise take quadratic time.
            guard magnitude.count <= 255 else { return nil }
        }
        self.init(magnitude: magnitude.reversed(), isNegative: isNegative)
    }

    /// Returns the value of an ASCII digit, or `nil` if it is not a digit in that radix.
    private static func digit(_ character: UInt8, radix: UInt32) -> UInt32? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f") where radix == 16: UInt32(character - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F") where radix == 16: UInt32(character - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

extension Tuple.BigInteger: ExpressibleByIntegerLiteral {
    /// Creates an integer from a literal of any length.
    ///
    /// - Precondition: the value takes at most 255 bytes.
    public init(integerLiteral literal: StaticBigInt) {
        // A literal is two's complement in words. Negation is complement plus one.
        let isNegative = literal.signum() < 0
        var digits: [UInt8] = []
        var carry = isNegative
        for index in 0..<(literal.bitWidth + UInt.bitWidth - 1) / UInt.bitWidth {
            var word = isNegative ? ~literal[index] : literal[index]
            (word, carry) = carry ? word.addingReportingOverflow(1) : (word, false)
            for shift in stride(from: 0, to: UInt.bitWidth, by: 8) {
                digits.append(UInt8(truncatingIfNeeded: word >> UInt(shift)))
            }
        }
        guard let value = Tuple.BigInteger(magnitude: digits.reversed(), isNegative: isNegative) else {
            preconditionFailure("The literal lies beyond ±(2^2040 - 1), the range of Tuple.BigInteger.")
        }
        self = value
    }
}
