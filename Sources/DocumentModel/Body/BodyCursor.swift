/// Reads the parts of a body sequentially. It throws on invalid bytes and never traps.
package struct BodyCursor: ~Escapable {
    let bytes: Span<UInt8>
    /// The offset of the next byte to read.
    var offset: Int

    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>, offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Reads the version byte at the start of a body.
    mutating func readVersion() throws(BodyError) {
        let version = try readByte()
        guard version == BodyFormat.version else { throw BodyError(.unsupportedVersion(version), at: 0) }
    }

    /// Reads one byte.
    @inline(__always)
    mutating func readByte() throws(BodyError) -> UInt8 {
        guard offset < bytes.count else { throw BodyError(.truncated, at: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Reads a varint in its shortest form.
    @inline(__always)
    mutating func readVarint() throws(BodyError) -> UInt64 {
        let first = try readByte()
        if first < 0x80 { return UInt64(first) }
        return try readRestOfVarint(first)
    }

    private mutating func readRestOfVarint(_ first: UInt8) throws(BodyError) -> UInt64 {
        let start = offset - 1
        var value = UInt64(first & 0x7f)
        var shift: UInt64 = 7
        while true {
            let byte = try readByte()
            // The tenth byte holds only the 64th bit.
            guard shift < 63 || byte <= 1 else { throw BodyError(.invalidVarint, at: start) }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 {
                guard byte != 0 else { throw BodyError(.invalidVarint, at: start) }
                return value
            }
            shift += 7
        }
    }

    /// Reads a byte count, which must fit before `end`.
    @inline(__always)
    mutating func readLength(before end: Int) throws(BodyError) -> Int {
        let start = offset
        let length = try readVarint()
        // The offset may exceed `end` here, because a varint can start before `end` and continue past it.
        guard offset <= end, length <= UInt64(end - offset) else {
            throw BodyError(end < bytes.count ? .lengthBeyondEnd : .truncated, at: start)
        }
        return Int(length)
    }

    /// Reads the length and count of an array, and returns its end and its number of elements.
    package mutating func readContainer(before end: Int) throws(BodyError) -> (end: Int, count: Int) {
        let length = try readLength(before: end)
        let end = offset + length
        let start = offset
        let count = try readVarint()
        // Each item takes at least one byte. An impossible count must not lead to a large allocation.
        guard offset <= end, count <= UInt64(end - offset) else { throw BodyError(.lengthBeyondEnd, at: start) }
        return (end, Int(count))
    }

    /// Reads the header of an object whose tag has just been read, up to its table.
    ///
    /// - Throws: ``BodyError``, with `unsupportedTag` if the tag is not that of an object.
    @inline(__always)
    mutating func readObject(tag: UInt8, before end: Int) throws(BodyError) -> BodyObject {
        guard BodyFormat.Tag.object...BodyFormat.Tag.lastObject ~= tag else {
            throw BodyError(.unsupportedTag(tag), at: offset - 1)
        }
        let (end, count) = try readContainer(before: end)
        let numberByteCount = BodyFormat.numberByteCount(ofTag: tag)
        let offsetByteCount = BodyFormat.offsetByteCount(ofTag: tag)
        // The count is at most the number of bytes that follow, so nothing overflows.
        let offsetsStart = offset + count * numberByteCount
        let valuesStart = offsetsStart + count * offsetByteCount
        guard valuesStart <= end, count <= end - valuesStart else {
            throw BodyError(.lengthBeyondEnd, at: offset)
        }
        return BodyObject(
            tag: tag, count: count, numberByteCount: numberByteCount, offsetByteCount: offsetByteCount,
            numbersStart: offset, offsetsStart: offsetsStart, valuesStart: valuesStart, end: end)
    }

    /// Skips a value without examining the contents of arrays and objects.
    mutating func skipValue(before end: Int) throws(BodyError) {
        let start = offset
        let tag = try readByte()
        switch tag {
        case BodyFormat.Tag.null, BodyFormat.Tag.false, BodyFormat.Tag.true: break
        case BodyFormat.Tag.smallInt..<BodyFormat.Tag.shortString: break
        case BodyFormat.Tag.shortString...: offset += Int(tag - BodyFormat.Tag.shortString)
        case BodyFormat.Tag.int, BodyFormat.Tag.date: _ = try readVarint()
        case BodyFormat.Tag.zonedDate:
            _ = try readVarint()
            _ = try readVarint()
        case BodyFormat.Tag.double: offset += 8
        case BodyFormat.Tag.string, BodyFormat.Tag.bytes, BodyFormat.Tag.array,
            BodyFormat.Tag.object...BodyFormat.Tag.lastObject, BodyFormat.Tag.attachment:
            offset += try readLength(before: end)
        default: throw BodyError(.unsupportedTag(tag), at: start)
        }
        guard offset <= end else { throw BodyError(.lengthBeyondEnd, at: start) }
    }
}

/// The positions of the parts of an object in a body.
struct BodyObject {
    let tag: UInt8
    /// The number of members.
    let count: Int
    let numberByteCount: Int
    let offsetByteCount: Int
    let numbersStart: Int
    let offsetsStart: Int
    let valuesStart: Int
    let end: Int

    /// Returns the number of the name at a position in the table.
    @inline(__always)
    func number(at position: Int, in bytes: Span<UInt8>) -> Int {
        let place = numbersStart &+ position &* numberByteCount
        return numberByteCount == 1 ? Int(bytes[place]) : Int(bytes[place]) | Int(bytes[place &+ 1]) << 8
    }

    /// Returns the offset at a position in the table, counted from the first value.
    @inline(__always)
    func offset(at position: Int, in bytes: Span<UInt8>) -> Int {
        let place = offsetsStart &+ position &* offsetByteCount
        switch offsetByteCount {
        case 1: return Int(bytes[place])
        case 2: return Int(bytes[place]) | Int(bytes[place &+ 1]) << 8
        default:
            return Int(bytes[place]) | Int(bytes[place &+ 1]) << 8 | Int(bytes[place &+ 2]) << 16
                | Int(bytes[place &+ 3]) << 24
        }
    }
}

extension BodyObject {
    /// The start of a member's value, counted from the first value, and the number of its name.
    struct Entry {
        let offset: Int
        let number: Int
    }

    /// Appends the entries of the table in document order. The object starts at `start`.
    ///
    /// - Throws: ``BodyError`` for numbers out of order and for a longer tag than needed. Whether each value starts
    ///   where the previous one ends is not checked.
    @inline(__always)
    func appendEntries(
        in bytes: Span<UInt8>, at start: Int, to entries: inout [Entry]
    ) throws(BodyError) {
        let first = entries.count
        // One allocation for most documents; at least doubled, or many small objects would cost quadratic time.
        if entries.capacity < first + count { entries.reserveCapacity(max(first + count, entries.capacity * 2)) }
        var largestOffset = 0
        var previous = Entry(offset: -1, number: -1)
        var isInOrder = true
        for position in 0..<count {
            let entry = Entry(offset: offset(at: position, in: bytes), number: number(at: position, in: bytes))
            let isRepeated = entry.number == BodyFormat.inlineName && entry.offset > previous.offset
            guard entry.number > previous.number || (entry.number == previous.number && isRepeated) else {
                throw BodyError(.invalidObjectTable, at: numbersStart + position * numberByteCount)
            }
            if entry.offset < previous.offset { isInOrder = false }
            largestOffset = max(largestOffset, entry.offset)
            entries.append(entry)
            previous = entry
        }
        // The tag must be the shortest one. Otherwise equal values could have different bodies.
        let largestNumber = max(previous.number, 0)
        guard tag == BodyFormat.objectTag(largestNumber: largestNumber, largestOffset: largestOffset) else {
            throw BodyError(.invalidObjectTable, at: start)
        }
        if !isInOrder { Self.sort(&entries, from: first) }
    }

    /// Sorts the entries from `first` on into document order.
    private static func sort(_ entries: inout [Entry], from first: Int) {
        if first == 0 { return entries.sort { $0.offset < $1.offset } }
        let sorted = entries[first...].sorted { $0.offset < $1.offset }
        entries.replaceSubrange(first..., with: sorted)
    }
}

// MARK: - Scalars

extension BodyCursor {
    /// Reads the content of a scalar at `start`, whose tag has just been read. Returns `nil` without reading anything
    /// if the tag is not that of a scalar.
    @inline(__always)
    mutating func readScalar(tag: UInt8, from start: Int, before end: Int) throws(BodyError) -> DocumentValue? {
        let value: DocumentValue
        switch tag {
        case BodyFormat.Tag.shortString...:
            let length = Int(tag - BodyFormat.Tag.shortString)
            guard length <= end - offset else {
                throw BodyError(end < bytes.count ? .lengthBeyondEnd : .truncated, at: start)
            }
            return .string(try readText(length))
        case BodyFormat.Tag.smallInt...: value = .int(Int64(tag - BodyFormat.Tag.smallInt))
        case BodyFormat.Tag.null: value = .null
        case BodyFormat.Tag.false: value = .bool(false)
        case BodyFormat.Tag.true: value = .bool(true)
        case BodyFormat.Tag.int: value = .int(try readInt(at: start))
        case BodyFormat.Tag.double: value = .double(try readDouble())
        case BodyFormat.Tag.string: value = .string(try readLongString(before: end))
        case BodyFormat.Tag.bytes: value = .bytes(try readBytes(before: end))
        case BodyFormat.Tag.date, BodyFormat.Tag.zonedDate: value = .date(try readDate(tag: tag))
        case BodyFormat.Tag.attachment: value = .attachment(try readAttachment(before: end))
        default: return nil
        }
        guard offset <= end else { throw BodyError(.lengthBeyondEnd, at: start) }
        return value
    }

    private mutating func readInt(at start: Int) throws(BodyError) -> Int64 {
        let value = BodyFormat.unzigzag(try readVarint())
        guard value < 0 || value > BodyFormat.smallIntLimit else { throw BodyError(.notShortest, at: start) }
        return value
    }

    private mutating func readDouble() throws(BodyError) -> Double {
        guard bytes.count - offset >= 8 else { throw BodyError(.truncated, at: offset) }
        var bits: UInt64 = 0
        for index in 0..<8 { bits |= UInt64(bytes[offset + index]) << (8 * UInt64(index)) }
        offset += 8
        return Double(bitPattern: bits)
    }

    /// Reads a string whose tag is at the cursor, and returns the range of its UTF-8, which is not validated.
    package mutating func readTextRange(before end: Int) throws(BodyError) -> Range<Int> {
        let start = offset
        let tag = try readByte()
        let length: Int
        if tag >= BodyFormat.Tag.shortString {
            length = Int(tag - BodyFormat.Tag.shortString)
            guard length <= end - offset else {
                throw BodyError(end < bytes.count ? .lengthBeyondEnd : .truncated, at: start)
            }
        } else {
            length = try readLength(before: end)
        }
        offset += length
        return offset - length..<offset
    }

    private mutating func readLongString(before end: Int) throws(BodyError) -> String {
        let start = offset - 1
        let length = try readLength(before: end)
        guard length > BodyFormat.shortStringLimit else { throw BodyError(.notShortest, at: start) }
        return try readText(length)
    }

    /// Reads a length and that many bytes of UTF-8.
    mutating func readString(before end: Int) throws(BodyError) -> String {
        try readText(try readLength(before: end))
    }

    /// Reads `length` bytes of UTF-8, which are known to exist.
    private mutating func readText(_ length: Int) throws(BodyError) -> String {
        let start = offset
        offset += length
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes.extracting(start..<offset)))
        } catch {
            throw BodyError(.invalidUTF8, at: start + error.byteOffsets.lowerBound)
        }
    }

    private mutating func readBytes(before end: Int) throws(BodyError) -> [UInt8] {
        let length = try readLength(before: end)
        var content: [UInt8] = []
        content.append(contentsOf: bytes.extracting(offset..<offset + length))
        offset += length
        return content
    }

    private mutating func readDate(tag: UInt8) throws(BodyError) -> DocumentDate {
        let milliseconds = BodyFormat.unzigzag(try readVarint())
        if tag == BodyFormat.Tag.date { return DocumentDate(milliseconds: milliseconds) }
        let start = offset
        let minutes = BodyFormat.unzigzag(try readVarint())
        guard let minutes = Int(exactly: minutes),
            let date = DocumentDate(milliseconds: milliseconds, offsetMinutes: minutes)
        else { throw BodyError(.invalidDate, at: start) }
        return date
    }
}
