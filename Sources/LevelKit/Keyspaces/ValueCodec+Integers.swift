extension ValueCodec where Value: FixedWidthInteger & Sendable {
    /// Integers in the bytes that their type takes, the least significant first.
    ///
    /// Recorded as `int64-le` and the like; `Int` is `int64` on every platform.
    @inlinable
    public static func fixedWidth(_ type: Value.Type = Value.self) -> ValueCodec {
        // Inlinable, as the arithmetic is slow where the type is not known.
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
                        codec: "\(name) v1", cause: "\(bytes.count) bytes in place of \(byteCount)")
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

    /// Integers in as few bytes as they need: seven bits a byte, the least significant first, the highest bit set in
    /// all but the last byte (LEB128). Signed ones in zigzag form: 0, -1, 1, -2 … are 0, 1, 2, 3 …
    ///
    /// Recorded as `varint` if the type is signed, as `uvarint` otherwise, whatever its width: a wider type reads the
    /// same values. A longer form than needed is refused, and so is a value that the type cannot hold.
    @inlinable
    public static func varint(_ type: Value.Type = Value.self) -> ValueCodec {
        let name = Value.isSigned ? "varint" : "uvarint"
        return ValueCodec(
            name, version: 1, encode: Varint.encode,
            decode: { bytes in
                guard let value = Varint.decode(bytes, as: Value.self) else {
                    throw LevelError.malformedValue(
                        codec: "\(name) v1",
                        cause: "\(bytes.count) bytes that are no integer of \(Value.bitWidth) bits in its shortest form"
                    )
                }
                return value
            })
    }
}

extension FixedWidthInteger {
    /// The bytes that the type takes in storage: on every platform the same.
    @inlinable
    static var storedByteCount: Int {
        self == Int.self || self == UInt.self ? 8 : (bitWidth + 7) / 8
    }
}

/// Integers of seven bits a byte.
@usableFromInline
enum Varint {
    @inlinable
    static func encode<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        // Zigzag: the sign becomes the lowest bit, the other bits are complemented if it is set.
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

    /// The integer of all the bytes; `nil` if they are none, or one in a longer form, or one too large.
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
