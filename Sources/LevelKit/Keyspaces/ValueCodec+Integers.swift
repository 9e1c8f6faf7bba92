extension ValueCodec where Value: FixedWidthInteger & Sendable {
    /// Stores integers at the full width of their type, little-endian.
    ///
    /// Recorded as `int64-le` and similar names. `Int` is `int64` on every platform.
    @inlinable
    public static func fixedWidth(_ type: Value.Type = Value.self) -> ValueCodec {
        // Inlinable, because the arithmetic is slow for unspecialized types.
        let byteCount = Value.storedByteCount
        let name = "\(Value.isSigned ? "int" : "uint")\(8 * byteCount)-le"
        return ValueCodec(
            name, version: 1,
            encode: { value in
                (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            },
            decode: { bytes in
                guard bytes.count == byteCount else {
                    throw LevelError.malformedValue(
                        codec: "\(name) v1", cause: "\(bytes.count) bytes instead of \(byteCount)")
                }
                var value: Value = 0
                for index in bytes.indices { value |= Value(truncatingIfNeeded: bytes[index]) << (8 * index) }
                guard (0..<byteCount).allSatisfy({ UInt8(truncatingIfNeeded: value >> (8 * $0)) == bytes[$0] }) else {
                    throw LevelError.malformedValue(
                        codec: "\(name) v1", cause: "the integer is too large for this platform")
                }
                return value
            })
    }

    /// Stores integers in as few bytes as possible: seven bits per byte, least significant first, with the highest bit
    /// set in all but the last byte (LEB128). Signed integers use zigzag encoding: 0, -1, 1, -2 … become 0, 1, 2, 3 …
    ///
    /// Recorded as `varint` if the type is signed, otherwise as `uvarint`, independent of the width, so a wider type
    /// can read the same values. Encodings longer than necessary are rejected, and so are values that the type cannot
    /// represent.
    @inlinable
    public static func varint(_ type: Value.Type = Value.self) -> ValueCodec {
        let name = Value.isSigned ? "varint" : "uvarint"
        return ValueCodec(
            name, version: 1, encode: ZigzagVarint.encode,
            decode: { bytes in
                guard let value = ZigzagVarint.decode(bytes, as: Value.self) else {
                    throw LevelError.malformedValue(
                        codec: "\(name) v1",
                        cause: "\(bytes.count) bytes that are not a shortest-form integer of \(Value.bitWidth) bits"
                    )
                }
                return value
            })
    }
}

extension FixedWidthInteger {
    /// The storage size of the type in bytes, the same on every platform.
    @inlinable
    static var storedByteCount: Int {
        self == Int.self || self == UInt.self ? 8 : (bitWidth + 7) / 8
    }
}

/// The encoding of ``ValueCodec/varint(_:)``. Unlike LevelDB's own integers, it has signs and a single form.
@usableFromInline
enum ZigzagVarint {
    @inlinable
    static func encode<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        // Zigzag: the sign becomes the lowest bit, and the other bits are complemented if it is set.
        var rest = Value.Magnitude(truncatingIfNeeded: value)
        if Value.isSigned { rest = rest << 1 ^ (value < 0 ? .max : 0) }
        var bytes: [UInt8] = []
        while rest > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
        return bytes
    }

    /// Decodes an integer that occupies all the bytes. Returns `nil` if they are not an integer in its shortest form,
    /// or if it is too large.
    @inlinable
    static func decode<Value: FixedWidthInteger>(_ bytes: Span<UInt8>, as type: Value.Type) -> Value? {
        guard bytes.count > 0, bytes[bytes.count - 1] < 0x80, bytes.count == 1 || bytes[bytes.count - 1] > 0 else {
            return nil
        }
        var bits: Value.Magnitude = 0
        for index in bytes.indices {
            let byte = bytes[index]
            guard index == bytes.count - 1 || byte >= 0x80 else { return nil }
            let digit = Value.Magnitude(truncatingIfNeeded: byte & 0x7f)
            let shifted = digit << (7 * index)
            guard shifted >> (7 * index) == digit else { return nil }
            bits |= shifted
        }
        guard Value.isSigned else { return Value(truncatingIfNeeded: bits) }
        return Value(truncatingIfNeeded: bits >> 1 ^ (bits & 1 == 1 ? .max : 0))
    }
}
