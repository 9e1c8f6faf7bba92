#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// MARK: - Integers

extension KeyComponentValue where Self: FixedWidthInteger {
    /// `int` or `uint` and the number of bits. `Int` is `int64` and `UInt` is `uint64` on every platform.
    public static var keyTypeName: String {
        let bitWidth = self == Int.self || self == UInt.self ? 64 : Self.bitWidth
        return (isSigned ? "int" : "uint") + String(bitWidth)
    }

    /// Appends an integer.
    public func appendKeyElement(to key: inout [UInt8]) {
        // The branch is resolved at specialization. A value that several branches could write has the same encoding in
        // each.
        if Self.bitWidth > 64 {
            TupleEncoder.append(Tuple.BigInteger(wide: self), to: &key)
        } else if Self.isSigned {
            TupleEncoder.append(Int64(self), to: &key)
        } else {
            TupleEncoder.append(UInt64(self), to: &key)
        }
    }

    /// Reads an integer. Returns `nil` if the type cannot represent it.
    public static func decodeKeyElement(from decoder: inout TupleDecoder) throws(TupleError) -> Self? {
        if Self.bitWidth > 64 { return Self(wide: try decoder.decodeBigInteger()) }
        return isSigned ? Self(exactly: try decoder.decodeInt64()) : Self(exactly: try decoder.decodeUInt64())
    }
}

extension Int: KeyComponentValue {}
extension Int64: KeyComponentValue {}
extension Int32: KeyComponentValue {}
extension Int16: KeyComponentValue {}
extension Int8: KeyComponentValue {}
extension UInt: KeyComponentValue {}
extension UInt64: KeyComponentValue {}
extension UInt32: KeyComponentValue {}
extension UInt16: KeyComponentValue {}
extension UInt8: KeyComponentValue {}
extension Int128: KeyComponentValue {}
extension UInt128: KeyComponentValue {}

extension Tuple.BigInteger {
    /// Converts an integer of more than 64 bits.
    ///
    /// - Precondition: the type has at most 2040 bits.
    fileprivate init(wide value: some FixedWidthInteger) {
        let magnitude = value.magnitude
        let bytes = stride(from: magnitude.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: magnitude >> $0)
        }
        guard let integer = Tuple.BigInteger(magnitude: bytes, isNegative: value < 0) else {
            preconditionFailure("An integer of \(magnitude.bitWidth) bits cannot be part of a key; the limit is 2040.")
        }
        self = integer
    }
}

extension FixedWidthInteger {
    /// Converts an integer to a type of more than 64 bits. Returns `nil` if it does not fit.
    fileprivate init?(wide integer: Tuple.BigInteger) {
        var value: Self = 0
        for byte in integer.magnitude {
            // Accumulates with the sign, because the smallest negative value has no positive counterpart.
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 256)
            let (sum, isOver) =
                integer.isNegative
                ? shifted.subtractingReportingOverflow(Self(byte)) : shifted.addingReportingOverflow(Self(byte))
            if isTooLarge || isOver { return nil }
            value = sum
        }
        self = value
    }
}

// MARK: - Text and bytes

extension String: KeyComponentValue {
    /// `string`.
    public static var keyTypeName: String { "string" }

    /// Appends the string without Unicode normalization.
    public func appendKeyElement(to key: inout [UInt8]) { TupleEncoder.append(self, to: &key) }

    /// Reads a string.
    public static func decodeKeyElement(from decoder: inout TupleDecoder) throws(TupleError) -> String? {
        try decoder.decodeString()
    }
}

extension Array: KeyElementCodable, KeyComponentValue where Element == UInt8 {
    /// `bytes`.
    public static var keyTypeName: String { "bytes" }

    /// Appends a byte string.
    public func appendKeyElement(to key: inout [UInt8]) { TupleEncoder.append(self, to: &key) }

    /// Reads a byte string.
    public static func decodeKeyElement(from decoder: inout TupleDecoder) throws(TupleError) -> [UInt8]? {
        try decoder.decodeBytes()
    }
}

extension Data: KeyComponentValue {
    /// `bytes`.
    public static var keyTypeName: String { "bytes" }

    /// Appends a byte string.
    public func appendKeyElement(to key: inout [UInt8]) { TupleEncoder.append(span, to: &key) }

    /// Reads a byte string.
    public static func decodeKeyElement(from decoder: inout TupleDecoder) throws(TupleError) -> Data? {
        Data(try decoder.decodeBytes())
    }
}

// MARK: - Other types

extension Bool: KeyComponentValue {
    /// `bool`.
    public static var keyTypeName: String { "bool" }

    /// Appends a Boolean.
    public func appendKeyElement(to key: inout [UInt8]) { TupleEncoder.append(self, to: &key) }

    /// Reads a Boolean.
    public static func decodeKeyElement(from decoder: inout TupleDecoder) throws(TupleError) -> Bool? {
        try decoder.decodeBool()
    }
}

extension Double: KeyComponentValue {
    /// `float64`.
    public static var keyTypeName: String { "float64" }

    /// Appends the bits of a 64-bit float.
    public func appendKeyElement(to key: inout [UInt8]) { TupleEncoder.append(self, to: &key) }

    /// Reads a 64-bit float.
    public static func decodeKeyElement(from decoder: inout TupleDecoder) throws(TupleError) -> Double? {
        try decoder.decodeDouble()
    }
}

extension Float: KeyComponentValue {
    /// `float32`.
    public static var keyTypeName: String { "float32" }

    /// Appends the bits of a 32-bit float.
    public func appendKeyElement(to key: inout [UInt8]) { TupleEncoder.append(self, to: &key) }

    /// Reads a 32-bit float.
    public static func decodeKeyElement(from decoder: inout TupleDecoder) throws(TupleError) -> Float? {
        try decoder.decodeFloat()
    }
}

extension Date: KeyComponentValue {
    /// `date`.
    public static var keyTypeName: String { "date" }

    /// Appends the seconds since 2001-01-01 UTC, the internal value of a `Date`, as a 64-bit float.
    public func appendKeyElement(to key: inout [UInt8]) {
        TupleEncoder.append(timeIntervalSinceReferenceDate, to: &key)
    }

    /// Reads a 64-bit float as seconds since 2001-01-01 UTC.
    public static func decodeKeyElement(from decoder: inout TupleDecoder) throws(TupleError) -> Date? {
        Date(timeIntervalSinceReferenceDate: try decoder.decodeDouble())
    }
}

extension UUID: KeyComponentValue {
    /// `uuid`.
    public static var keyTypeName: String { "uuid" }

    /// Appends a UUID.
    public func appendKeyElement(to key: inout [UInt8]) { TupleEncoder.append(self, to: &key) }

    /// Reads a UUID.
    public static func decodeKeyElement(from decoder: inout TupleDecoder) throws(TupleError) -> UUID? {
        try decoder.decodeUUID()
    }
}
