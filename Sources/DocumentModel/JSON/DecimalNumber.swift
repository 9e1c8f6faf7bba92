/// The number in a JSON lexeme, ± significand · 10^exponent, accumulated digit by digit.
struct DecimalNumber {
    var isNegative = false
    /// Whether the lexeme has neither fraction nor exponent.
    var isInteger = true
    /// The power of ten that multiplies the significand.
    var exponent = 0
    /// The digits without leading zeros; exact if `digitCount` is at most 19.
    private var significand: UInt64 = 0
    private var digitCount = 0

    /// Appends a digit before the point.
    @inline(__always)
    mutating func append(digit: UInt8) {
        if digitCount == 0 && digit == 0 { return }
        significand = significand &* 10 &+ UInt64(digit)
        digitCount &+= 1
    }

    /// Appends a digit after the point.
    @inline(__always)
    mutating func append(fractionDigit digit: UInt8) {
        append(digit: digit)
        exponent &-= 1
    }

    /// The value, if one machine operation computes it exactly; `nil` in the rare other cases.
    var fastValue: DocumentValue? {
        // 10^19 - 1 is the largest number of the form 99…9 that fits in 64 bits.
        guard digitCount <= 19 else { return nil }
        if isInteger {
            if significand == 0 { return isNegative ? .double(-0.0) : .int(0) }
            if significand <= UInt64(Int64.max) {
                let value = Int64(significand)
                return .int(isNegative ? -value : value)
            }
            return isNegative && significand == 1 << 63 ? .int(.min) : nil
        }
        if significand == 0 { return .double(isNegative ? -0.0 : 0.0) }
        // Both operands are exact, so IEEE 754 rounds the true quotient or product exactly once, as required.
        // W. D. Clinger, "How to Read Floating Point Numbers Accurately", PLDI 1990.
        guard significand <= 1 << 53, -22...22 ~= exponent else { return nil }
        let power = Self.powersOfTen[abs(exponent)]
        let magnitude = exponent < 0 ? Double(significand) / power : Double(significand) * power
        return .double(isNegative ? -magnitude : magnitude)
    }

    /// The powers of ten that a double represents exactly.
    private static let powersOfTen: InlineArray<23, Double> = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}

extension Double {
    /// Creates the double that equals the integer `digits`; `nil` if no double does.
    ///
    /// - Precondition: `digits` are ASCII digits, and the first is not zero.
    /// - Complexity: O(1), because more than 309 digits are rejected without being read.
    init?(exactlyDecimal digits: Span<UInt8>) {
        // The largest double has 309 digits.
        guard digits.count <= 309 else { return nil }
        // Little-endian limbs of a binary integer; 309 digits need 1,027 bits.
        var limbs: [UInt64] = []
        for index in digits.indices {
            var carry = UInt64(digits[index] - UInt8(ascii: "0"))
            for limb in limbs.indices {
                let (high, low) = limbs[limb].multipliedFullWidth(by: 10)
                let (sum, overflow) = low.addingReportingOverflow(carry)
                limbs[limb] = sum
                carry = high + (overflow ? 1 : 0)
            }
            if carry > 0 { limbs.append(carry) }
        }
        guard let top = limbs.last, let lowest = limbs.firstIndex(where: { $0 != 0 }) else { return nil }
        let bitCount = limbs.count * 64 - top.leadingZeroBitCount
        let trailingZeroCount = lowest * 64 + limbs[lowest].trailingZeroBitCount
        guard bitCount <= 1024, bitCount - trailingZeroCount <= 53 else { return nil }
        // At most 53 significant bits, so each sum is exact.
        self = limbs.reversed().reduce(0) { $0 * 0x1p64 + Double($1) }
    }
}
