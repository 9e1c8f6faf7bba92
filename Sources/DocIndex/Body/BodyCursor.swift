/// Reads the primitives of a body one after the other. Total: whatever the bytes, it throws and never traps.
struct BodyCursor: ~Escapable {
    let bytes: Span<UInt8>
    /// The next byte to read.
    var offset: Int

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Reads the version byte, the first of a body.
    mutating func readVersion() throws(BodyError) {
        let version = try readByte()
        guard version == BodyFormat.version else { throw BodyError(.unsupportedVersion(version), at: 0) }
    }

    /// Reads one byte.
    mutating func readByte() throws(BodyError) -> UInt8 {
        guard offset < bytes.count else { throw BodyError(.truncated, at: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Reads a varint in its shortest form.
    mutating func readVarint() throws(BodyError) -> UInt64 {
        let start = offset
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try readByte()
            // The tenth byte holds the 64th bit alone.
            guard shift < 63 || byte <= 1 else { throw BodyError(.invalidVarint, at: start) }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 {
                guard byte != 0 || shift == 0 else { throw BodyError(.invalidVarint, at: start) }
                return value
            }
            shift += 7
        }
    }

    /// Reads a length, of bytes that must all be there before `end`.
    mutating func readLength(before end: Int) throws(BodyError) -> Int {
        let start = offset
        let length = try readVarint()
        // An offset may have passed `end` here: a varint can begin before it and not stop there.
        guard offset <= end, length <= UInt64(end - offset) else {
            throw BodyError(end < bytes.count ? .lengthBeyondEnd : .truncated, at: start)
        }
        return Int(length)
    }

    /// Reads the content of an int.
    mutating func readInt() throws(BodyError) -> Int64 {
        BodyFormat.unzigzag(try readVarint())
    }

    /// Reads the content of a double.
    mutating func readDouble() throws(BodyError) -> Double {
        guard bytes.count - offset >= 8 else { throw BodyError(.truncated, at: offset) }
        var bits: UInt64 = 0
        for index in 0..<8 { bits |= UInt64(bytes[offset + index]) << (8 * UInt64(index)) }
        offset += 8
        return Double(bitPattern: bits)
    }

    /// Reads a length and that many bytes as UTF-8.
    mutating func readString(before end: Int) throws(BodyError) -> String {
        let length = try readLength(before: end)
        let start = offset
        offset += length
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes.extracting(start..<offset)))
        } catch {
            throw BodyError(.invalidUTF8, at: start + error.byteOffsets.lowerBound)
        }
    }

    /// Reads a length and that many bytes.
    mutating func readBytes(before end: Int) throws(BodyError) -> [UInt8] {
        let length = try readLength(before: end)
        var content: [UInt8] = []
        content.append(contentsOf: bytes.extracting(offset..<offset + length))
        offset += length
        return content
    }

    /// Reads length and count of an array or object and returns where it ends and how many items it has.
    mutating func readContainer(before end: Int) throws(BodyError) -> (end: Int, count: Int) {
        let length = try readLength(before: end)
        let end = offset + length
        let start = offset
        let count = try readVarint()
        // Each item takes a byte at least; a count that cannot be true must not become a reservation of memory.
        guard offset <= end, count <= UInt64(end - offset) else { throw BodyError(.lengthBeyondEnd, at: start) }
        return (end, Int(count))
    }

    /// Passes over one value without looking into arrays and objects.
    mutating func skipValue(before end: Int) throws(BodyError) {
        let start = offset
        let tag = try readByte()
        switch tag {
        case BodyFormat.Tag.null, BodyFormat.Tag.false, BodyFormat.Tag.true: break
        case BodyFormat.Tag.int: _ = try readVarint()
        case BodyFormat.Tag.double: _ = try readDouble()
        case BodyFormat.Tag.string, BodyFormat.Tag.bytes, BodyFormat.Tag.array, BodyFormat.Tag.object:
            offset += try readLength(before: end)
        default: throw BodyError(.unsupportedTag(tag), at: start)
        }
        guard offset <= end else { throw BodyError(.lengthBeyondEnd, at: start) }
    }
}
