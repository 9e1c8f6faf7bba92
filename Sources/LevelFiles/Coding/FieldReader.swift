/// Takes the values of fields off the front of a record. No bytes make it trap.
package struct FieldReader {
    private var rest: ArraySlice<UInt8>

    /// A reader at the beginning of a record.
    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// A reader at the beginning of a part of a file.
    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Whether nothing is left.
    package var isAtEnd: Bool { rest.isEmpty }

    /// A number of at most ten bytes, seven bits in each, the lowest first; the highest bit says that more follow.
    package mutating func readVarint64() throws(FormatFault) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = rest.popFirst() else { throw FormatFault("it ends within a number") }
            value |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 { return value }
        }
        throw FormatFault("it has a number that is too long")
    }

    /// A number of at most 32 bits.
    package mutating func readVarint32() throws(FormatFault) -> UInt32 {
        guard let value = UInt32(exactly: try readVarint64()) else { throw FormatFault("it has a number out of range") }
        return value
    }

    /// A number of a fixed width, the lowest byte first.
    package mutating func readFixed<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self
    ) throws(FormatFault) -> Number {
        let byteCount = Number.bitWidth / 8
        guard rest.count >= byteCount else { throw FormatFault("it ends within a number") }
        defer { rest = rest.dropFirst(byteCount) }
        return rest.prefix(byteCount).reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    /// One byte.
    package mutating func readByte() throws(FormatFault) -> UInt8 {
        guard let byte = rest.popFirst() else { throw FormatFault("it ends early") }
        return byte
    }

    /// Bytes, preceded by their count.
    package mutating func readBytes() throws(FormatFault) -> ArraySlice<UInt8> {
        let count = Int(try readVarint32())
        guard count <= rest.count else { throw FormatFault("it ends within a key or a name") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A key as LevelDB stores it, preceded by its count.
    mutating func readInternalKey() throws(FormatFault) -> InternalKey {
        try InternalKey(decoding: try readBytes())
    }
}
