/// An integer between ±(2²⁰⁴⁰ − 1), the range of the tuple encoding.
///
/// A value to store, order and print; it has no arithmetic.
public struct BigInteger: Sendable, Hashable {
    /// Whether the value lies below zero.
    public let isNegative: Bool
    /// The absolute value as big-endian bytes without leading zeros; empty for zero.
    public let magnitude: [UInt8]

    /// The most bytes a magnitude may have: its length is stored in one byte.
    public static let maximumByteCount = 255

    /// The integer of a sign and big-endian bytes, which may begin with zeros; `nil` if the value takes more than
    /// ``maximumByteCount`` bytes.
    public init?(magnitude: some Sequence<UInt8>, isNegative: Bool = false) {
        let digits = Array(magnitude.drop { $0 == 0 })
        guard digits.count <= BigInteger.maximumByteCount else { return nil }
        self.init(checkedMagnitude: digits, isNegative: isNegative)
    }

    /// The integer of bytes known to be in range and without leading zeros.
    private init(checkedMagnitude: [UInt8], isNegative: Bool) {
        self.magnitude = checkedMagnitude
        // Zero has one form only, so that the synthesised equality is that of values.
        self.isNegative = isNegative && !checkedMagnitude.isEmpty
    }
}

// MARK: - Fixed-width integers

extension BigInteger {
    /// The same value.
    public init(_ value: Int64) {
        self.init(value.magnitude, isNegative: value < 0)
    }

    /// The same value.
    public init(_ value: UInt64) {
        self.init(value, isNegative: false)
    }

    /// The integer of a sign and an absolute value.
    init(_ magnitude: UInt64, isNegative: Bool) {
        let byteCount = magnitude.minimalByteCount
        let digits = (0..<byteCount).map { UInt8(truncatingIfNeeded: magnitude >> (8 * UInt64(byteCount - 1 - $0))) }
        self.init(checkedMagnitude: digits, isNegative: isNegative)
    }
}

extension Int64 {
    /// The same value; `nil` if it does not fit.
    public init?(exactly value: BigInteger) {
        guard let magnitude = UInt64(bigEndian: value.magnitude) else { return nil }
        self.init(magnitude: magnitude, isNegative: value.isNegative)
    }

    /// The integer of a sign and an absolute value; `nil` if it does not fit.
    init?(magnitude: UInt64, isNegative: Bool) {
        // The negative side reaches one further than the positive one.
        let limit = isNegative ? Int64.min.magnitude : Int64.max.magnitude
        guard magnitude <= limit else { return nil }
        let bits = Int64(truncatingIfNeeded: magnitude)
        self = isNegative ? 0 &- bits : bits
    }
}

extension UInt64 {
    /// The same value; `nil` if it does not fit.
    public init?(exactly value: BigInteger) {
        guard !value.isNegative else { return nil }
        self.init(bigEndian: value.magnitude)
    }

    /// The number of up to eight big-endian bytes; `nil` if there are more.
    fileprivate init?(bigEndian bytes: [UInt8]) {
        guard bytes.count <= 8 else { return nil }
        self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// How many bytes the value takes without leading zeros; zero for zero.
    var minimalByteCount: Int { (64 - leadingZeroBitCount + 7) / 8 }
}

// MARK: - Order

extension BigInteger: Comparable {
    /// Numeric order.
    ///
    /// - Complexity: O(n) in the bytes of the magnitudes.
    public static func < (lhs: BigInteger, rhs: BigInteger) -> Bool {
        if lhs.isNegative != rhs.isNegative { return lhs.isNegative }
        let (smaller, larger) = lhs.isNegative ? (rhs.magnitude, lhs.magnitude) : (lhs.magnitude, rhs.magnitude)
        if smaller.count != larger.count { return smaller.count < larger.count }
        return TupleOrder(bytes: smaller.span, larger.span) == .before
    }
}

// MARK: - Literals

extension BigInteger: ExpressibleByIntegerLiteral {
    /// The value of a literal of any length.
    ///
    /// - Precondition: The value takes at most ``maximumByteCount`` bytes.
    public init(integerLiteral literal: StaticBigInt) {
        // A literal is two's complement in words; negation is complement plus one.
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
        guard let value = BigInteger(magnitude: digits.reversed(), isNegative: isNegative) else {
            preconditionFailure("The literal lies beyond ±(2^2040 - 1), the range of BigInteger.")
        }
        self = value
    }
}
