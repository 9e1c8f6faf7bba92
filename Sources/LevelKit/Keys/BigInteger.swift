extension Tuple {
    /// An integer between ±(2²⁰⁴⁰ − 1), the range of the tuple encoding.
    ///
    /// Supports storing, comparing and printing, but no arithmetic. Keys of up to 128 bits are easier with `Int128` and
    /// `UInt128`; see ``KeyComponentValue``.
    public struct BigInteger: Sendable, Hashable {
        /// Whether the value is below zero.
        public let isNegative: Bool
        /// The absolute value as big-endian bytes without leading zeros; empty for zero.
        public let magnitude: [UInt8]

        /// The maximum size of a magnitude. Its length is stored in a single byte.
        static let maximumByteCount = 255

        /// Creates an integer from a sign and big-endian bytes, which may start with zeros. Returns `nil` if the value
        /// takes more than 255 bytes.
        public init?(magnitude: some Sequence<UInt8>, isNegative: Bool = false) {
            let digits = Array(magnitude.drop { $0 == 0 })
            guard digits.count <= Tuple.BigInteger.maximumByteCount else { return nil }
            self.init(checkedMagnitude: digits, isNegative: isNegative)
        }

        /// Creates an integer from bytes known to be in range and without leading zeros.
        private init(checkedMagnitude: [UInt8], isNegative: Bool) {
            self.magnitude = checkedMagnitude
            // Zero has a single representation, so that the synthesized equality compares values.
            self.isNegative = isNegative && !checkedMagnitude.isEmpty
        }
    }
}

// MARK: - Fixed-width integers

extension Tuple.BigInteger {
    /// Converts a signed integer.
    package init(_ value: Int64) {
        self.init(value.magnitude, isNegative: value < 0)
    }

    /// Converts an unsigned integer.
    package init(_ value: UInt64) {
        self.init(value, isNegative: false)
    }

    /// Creates an integer from a sign and an absolute value.
    init(_ magnitude: UInt64, isNegative: Bool) {
        let byteCount = magnitude.minimalByteCount
        let digits = (0..<byteCount).map { UInt8(truncatingIfNeeded: magnitude >> (8 * UInt64(byteCount - 1 - $0))) }
        self.init(checkedMagnitude: digits, isNegative: isNegative)
    }
}

extension Int64 {
    /// Converts an integer. Returns `nil` if it does not fit.
    package init?(exactly value: Tuple.BigInteger) {
        guard let magnitude = UInt64(bigEndian: value.magnitude) else { return nil }
        self.init(magnitude: magnitude, isNegative: value.isNegative)
    }

    /// Creates an integer from a sign and an absolute value. Returns `nil` if it does not fit.
    init?(magnitude: UInt64, isNegative: Bool) {
        // The smallest negative value has no positive counterpart.
        let limit = isNegative ? Int64.min.magnitude : Int64.max.magnitude
        guard magnitude <= limit else { return nil }
        let bits = Int64(truncatingIfNeeded: magnitude)
        self = isNegative ? 0 &- bits : bits
    }
}

extension UInt64 {
    /// Converts an integer. Returns `nil` if it does not fit.
    package init?(exactly value: Tuple.BigInteger) {
        guard !value.isNegative else { return nil }
        self.init(bigEndian: value.magnitude)
    }

    /// Creates an integer from up to eight big-endian bytes. Returns `nil` if more are given.
    fileprivate init?(bigEndian bytes: [UInt8]) {
        guard bytes.count <= 8 else { return nil }
        self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The size of the value in bytes without leading zeros; 0 for zero.
    var minimalByteCount: Int { (64 - leadingZeroBitCount + 7) / 8 }
}

// MARK: - Order

extension Tuple.BigInteger: Comparable {
    /// Compares numerically.
    ///
    /// - Complexity: O(n) in the bytes of the magnitudes.
    public static func < (lhs: Tuple.BigInteger, rhs: Tuple.BigInteger) -> Bool {
        if lhs.isNegative != rhs.isNegative { return lhs.isNegative }
        let (smaller, larger) = lhs.isNegative ? (rhs.magnitude, lhs.magnitude) : (lhs.magnitude, rhs.magnitude)
        if smaller.count != larger.count { return smaller.count < larger.count }
        return TupleOrder(bytes: smaller.span, larger.span) == .before
    }
}
