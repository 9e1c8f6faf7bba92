#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Appends encoded elements to a key, one per call, without creating a ``Tuple``.
///
/// ```swift
/// var key: [UInt8] = []
/// TupleEncoder.append("users", to: &key)
/// TupleEncoder.append(42, to: &key)  // the key of ("users", 42)
/// ```
///
/// Every value has exactly one encoding, and encoding never fails. The Swift type of a number determines its code: an
/// integer and a double of the same value are different elements.
public enum TupleEncoder {
    /// Appends a null.
    ///
    /// - Parameters:
    ///   - nested: whether the null is an element of a nested tuple, where it is encoded differently.
    ///   - key: the key to append to.
    public static func appendNull(nested: Bool = false, to key: inout [UInt8]) {
        key.append(TupleCode.null)
        if nested { key.append(TupleCode.escape) }
    }

    /// Appends a Boolean.
    public static func append(_ value: Bool, to key: inout [UInt8]) {
        key.append(value ? TupleCode.boolTrue : TupleCode.boolFalse)
    }

    /// Appends the bits of a 32-bit float.
    public static func append(_ value: Float, to key: inout [UInt8]) {
        append(TupleCode.float, UInt64(value.orderedBits), byteCount: 4, to: &key)
    }

    /// Appends the bits of a 64-bit float.
    public static func append(_ value: Double, to key: inout [UInt8]) {
        append(TupleCode.double, value.orderedBits, byteCount: 8, to: &key)
    }

    /// Appends a UUID.
    public static func append(_ value: UUID, to key: inout [UInt8]) {
        let bytes = value.networkBytes
        key.append(addingCapacity: 17) { output in
            output.append(TupleCode.uuid)
            for index in bytes.indices { output.append(bytes[index]) }
        }
    }

    /// Appends a versionstamp.
    ///
    /// An incomplete versionstamp is written as it is. The offset that FoundationDB expects after such a key, and the
    /// commit version that it fills in, are up to its servers.
    public static func append(_ value: Tuple.Versionstamp, to key: inout [UInt8]) {
        append(TupleCode.versionstamp, value.commitVersion, byteCount: 8, to: &key)
        for part in [value.batchNumber, value.userVersion] {
            key.append(UInt8(truncatingIfNeeded: part >> 8))
            key.append(UInt8(truncatingIfNeeded: part))
        }
    }
}

// MARK: - Integers

extension TupleEncoder {
    /// Appends an integer.
    public static func append(_ value: Int, to key: inout [UInt8]) {
        append(Int64(value), to: &key)
    }

    /// Appends an integer.
    public static func append(_ value: Int64, to key: inout [UInt8]) {
        append(magnitude: value.magnitude, isNegative: value < 0, to: &key)
    }

    /// Appends an unsigned integer. The encoding is that of the signed integer with the same value.
    public static func append(_ value: UInt64, to key: inout [UInt8]) {
        append(magnitude: value, isNegative: false, to: &key)
    }

    /// Appends an integer of any size.
    public static func append(_ value: Tuple.BigInteger, to key: inout [UInt8]) {
        let magnitude = value.magnitude
        guard magnitude.count > 8 else {
            let word = magnitude.reduce(0) { $0 << 8 | UInt64($1) }
            append(magnitude: word, isNegative: value.isNegative, to: &key)
            return
        }
        // The length fits into its byte, because Tuple.BigInteger has at most 255 bytes. For a negative integer the length is
        // complemented too, so that longer integers sort first.
        let length = UInt8(magnitude.count)
        let mask: UInt8 = value.isNegative ? 0xff : 0x00
        key.append(value.isNegative ? TupleCode.negativeBigInteger : TupleCode.positiveBigInteger)
        key.append(length ^ mask)
        for byte in magnitude { key.append(byte ^ mask) }
    }

    /// Appends an integer of at most eight bytes in as few bytes as possible; a negative one as the complement of its
    /// magnitude.
    private static func append(magnitude: UInt64, isNegative: Bool, to key: inout [UInt8]) {
        let byteCount = magnitude.minimalByteCount
        let length = UInt8(truncatingIfNeeded: byteCount)
        let code = isNegative ? TupleCode.zero - length : TupleCode.zero + length
        append(code, isNegative ? ~magnitude : magnitude, byteCount: byteCount, to: &key)
    }

    /// Appends a type code and the low bytes of `bits`, big-endian.
    private static func append(_ code: UInt8, _ bits: UInt64, byteCount: Int, to key: inout [UInt8]) {
        // A single reservation, because appending byte by byte would check the array's capacity and ownership each
        // time.
        key.append(addingCapacity: 9) { output in
            output.append(code)
            var shift = UInt64(byteCount) * 8
            while shift > 0 {
                shift -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> shift))
            }
        }
    }
}

// MARK: - Text and bytes

extension TupleEncoder {
    /// Appends a string without Unicode normalization.
    ///
    /// - Complexity: O(n) in the UTF-8 bytes.
    public static func append(_ value: String, to key: inout [UInt8]) {
        append(value.utf8Span, to: &key)
    }

    /// Appends a borrowed UTF-8 string.
    ///
    /// - Complexity: O(n) in the bytes.
    public static func append(_ value: UTF8Span, to key: inout [UInt8]) {
        appendEscaped(TupleCode.string, value.span, to: &key)
    }

    /// Appends a byte string.
    ///
    /// - Complexity: O(n) in the bytes.
    public static func append(_ value: [UInt8], to key: inout [UInt8]) {
        append(value.span, to: &key)
    }

    /// Appends a borrowed byte string.
    ///
    /// - Complexity: O(n) in the bytes.
    public static func append(_ value: Span<UInt8>, to key: inout [UInt8]) {
        appendEscaped(TupleCode.bytes, value, to: &key)
    }

    /// Appends a type code, `value` with an escape after each zero, and the terminator.
    private static func appendEscaped(_ code: UInt8, _ value: Span<UInt8>, to key: inout [UInt8]) {
        // Reserves space as if every byte needed an escape. Keys are short, so this is cheaper than counting the zeros
        // first.
        key.append(addingCapacity: 2 * value.count + 2) { output in
            output.append(code)
            for index in value.indices {
                let byte = value[index]
                output.append(byte)
                if byte == TupleCode.terminator { output.append(TupleCode.escape) }
            }
            output.append(TupleCode.terminator)
        }
    }
}
