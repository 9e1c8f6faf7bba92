/// Reads fields from the front of a record. No input makes it trap.
package struct FieldReader {
    private var rest: ArraySlice<UInt8>

    /// Creates a reader at the start of a record.
    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Creates a reader at the start of a part of a file.
    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Whether all bytes have been read.
    package var isAtEnd: Bool { rest.isEmpty }

    /// Reads a varint of at most ten bytes.
    package mutating func readVarint64() throws(FormatError) -> UInt64 {
        do throws(Varint.Problem) {
            return try Varint.read(from: &rest, byteLimit: 10)
        } catch .truncated {
            throw FormatError("it ends within a number")
        } catch {
            throw FormatError("it has a number that is too long")
        }
    }

    /// Reads a varint of at most 32 bits.
    package mutating func readVarint32() throws(FormatError) -> UInt32 {
        guard let value = UInt32(exactly: try readVarint64()) else { throw FormatError("it has a number out of range") }
        return value
    }

    /// Reads a little-endian number of fixed width.
    package mutating func readFixed<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self
    ) throws(FormatError) -> Number {
        let byteCount = Number.bitWidth / 8
        guard rest.count >= byteCount else { throw FormatError("it ends within a number") }
        defer { rest = rest.dropFirst(byteCount) }
        return rest.prefix(byteCount).reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    /// Reads a byte.
    package mutating func readByte() throws(FormatError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw FormatError("it ends early") }
        return byte
    }

    /// Reads a byte string preceded by its length.
    package mutating func readBytes() throws(FormatError) -> ArraySlice<UInt8> {
        let count = Int(try readVarint32())
        guard count <= rest.count else { throw FormatError("it ends within a key or a name") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A key as LevelDB stores it, preceded by its count.
    mutating func readInternalKey() throws(FormatError) -> InternalKey {
        try InternalKey(decoding: try readBytes())
    }
}
