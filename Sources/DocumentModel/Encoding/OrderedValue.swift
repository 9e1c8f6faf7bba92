/// The order-preserving encoding of values in index keys.
///
/// The order of the bytes is the order of the values: missing < null < false < true < numbers < strings < dates < bytes
/// < attachments < arrays < objects. Integers and doubles are ordered together by their numeric value, and equal numbers
/// of both kinds have equal bytes. Strings are ordered by their UTF-8 bytes. Arrays are ordered element by element. Objects are
/// ordered member by member, sorted by name, with the name before the value; their order in the document does not
/// matter. Every encoding is self-delimiting, so components can be concatenated.
///
/// An array is encoded as its elements, and an object as its members, each a string and a value. Both end with a zero
/// byte, which does not begin any value.
///
/// A number is encoded as the largest double that does not exceed it, in eight big-endian bytes with numeric order (the
/// sign bit flipped, or all bits of a negative number). If an integer is not exactly a double, two bytes with the
/// remainder follow. Trailing zero bytes are dropped, and the rest is escaped and terminated like a string. `1930`
/// takes five bytes.
///
/// A date is encoded as its milliseconds in eight big-endian bytes with the sign bit flipped, and two bytes with its
/// offset in minutes plus 8000 (hex), or zeros if it has no time zone. The order is that of ``DocumentDate``.
///
/// An attachment is encoded as the 32 bytes of its digest, its size as a number, its type as a string, and its name as a
/// string or as a missing value. So attachments are ordered by their digests first.
package enum OrderedValue {
    /// The first byte of each kind. Stored on disk: never change these. The gaps are reserved for future kinds.
    package enum Kind: UInt8 {
        case missing = 0x02
        case null = 0x04
        case bool = 0x06
        case boolTrue = 0x08
        case number = 0x0a
        /// A string in natural order: the part that is compared first, then the string itself.
        case naturalString = 0x0b
        case string = 0x0c
        /// The levels of a hierarchical keyword.
        case levels = 0x0d
        case date = 0x0e
        case bytes = 0x10
        case attachment = 0x11
        /// An array, for which earlier versions wrote only this byte.
        case arrayMark = 0x12
        case array = 0x13
        /// An object, for which earlier versions wrote only this byte.
        case objectMark = 0x14
        case object = 0x15
        /// A value that the component cannot convert, such as a string without a date in a component for months. The
        /// value follows.
        case other = 0x16
        /// A cell of the earth's surface.
        case cell = 0x18
    }

    /// Appended to an encoded value, these bytes are greater than every key in which a component or a row follows the
    /// value, and less than every larger value. The only larger value with the same prefix is a longer string with a
    /// zero byte, whose escape continues with `ff`.
    package static let behind: [UInt8] = [0xfe]

    /// Appends the encoding of a value; `nil` means a missing field.
    package static func append(_ value: DocumentValue?, to key: inout [UInt8]) {
        switch value {
        case .array(let elements): append(elements, to: &key)
        case .object(let object): append(object, to: &key)
        default: appendScalar(value, to: &key)
        }
    }

    // Recursive functions contain nothing but the recursion, because their frames must be small; see
    // `DocumentValue.==`.
    private static func append(_ elements: [DocumentValue], to key: inout [UInt8]) {
        key.append(Kind.array.rawValue)
        for element in elements { append(element, to: &key) }
        key.append(containerEnd)
    }

    private static func append(_ object: DocumentObject, to key: inout [UInt8]) {
        key.append(Kind.object.rawValue)
        for member in object.isSortedByName ? object : object.sortedByName() {
            append(member.name, to: &key)
            append(member.value, to: &key)
        }
        key.append(containerEnd)
    }

    private static func appendScalar(_ value: DocumentValue?, to key: inout [UInt8]) {
        switch value {
        case nil, .array, .object: key.append(Kind.missing.rawValue)
        case .null: key.append(Kind.null.rawValue)
        case .bool(let flag): key.append(flag ? Kind.boolTrue.rawValue : Kind.bool.rawValue)
        case .int(let number): append(number, to: &key)
        case .double(let number): append(number, to: &key)
        case .string(let text): append(text, to: &key)
        case .date(let date): append(IndexedDate(date), to: &key)
        case .bytes(let bytes):
            key.append(Kind.bytes.rawValue)
            for byte in bytes { appendEscaped(byte, to: &key) }
            key.append(0)
        case .attachment(let attachment):
            key.append(Kind.attachment.rawValue)
            key.append(contentsOf: attachment.digest.bytes)
            append(attachment.byteCount, to: &key)
            append(attachment.type, to: &key)
            if let name = attachment.name { append(name, to: &key) } else { key.append(Kind.missing.rawValue) }
        }
    }

    /// The byte after the last element of an array and the last member of an object.
    static let containerEnd: UInt8 = 0

    /// Returns the encoding of a value.
    package static func encoded(_ value: DocumentValue?) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return bytes
    }

    /// Appends the encoding of a string.
    package static func append(_ text: String, to key: inout [UInt8]) { append(utf8: text.utf8Span.span, to: &key) }

    /// Appends the encoding of a string, given its UTF-8 bytes.
    package static func append(utf8: Span<UInt8>, to key: inout [UInt8]) {
        key.append(Kind.string.rawValue)
        var hasZero = false
        for index in utf8.indices where utf8[index] == 0 { hasZero = true }
        if hasZero {
            for index in utf8.indices { appendEscaped(utf8[index], to: &key) }
        } else {
            unsafe utf8.withUnsafeBufferPointer { unsafe key.append(contentsOf: $0) }
        }
        key.append(0)
    }

    private static func append(_ number: Int64, to key: inout [UInt8]) {
        // Round toward negative infinity, so that the remainder is never negative.
        var floor = Double(number)
        if floor >= 0x1p63 || Int64(floor) > number { floor = floor.nextDown }
        append(floor, rest: UInt16(truncatingIfNeeded: number - Int64(floor)), to: &key)
    }

    private static func append(_ number: Double, to key: inout [UInt8]) {
        // Both zeros are encoded as the same number, as are all NaNs, which precede other numbers.
        if number.isNaN {
            key.append(contentsOf: [Kind.number.rawValue, 0])
        } else {
            append(number == 0 ? 0 : number, rest: 0, to: &key)
        }
    }

    private static func append(_ number: Double, rest: UInt16, to key: inout [UInt8]) {
        key.append(Kind.number.rawValue)
        let bits = number.bitPattern
        var ordered = bits >> 63 == 1 ? ~bits : bits | 1 << 63
        if rest != 0 {
            for _ in 0..<8 {
                appendEscaped(UInt8(truncatingIfNeeded: ordered >> 56), to: &key)
                ordered <<= 8
            }
            appendEscaped(UInt8(rest >> 8), to: &key)
            if rest & 0xff != 0 { appendEscaped(UInt8(rest & 0xff), to: &key) }
        } else {
            while ordered != 0 {
                appendEscaped(UInt8(truncatingIfNeeded: ordered >> 56), to: &key)
                ordered <<= 8
            }
        }
        key.append(0)
    }

    /// Escapes a zero byte as `00 ff`, which distinguishes it from the terminating `00`, as in FoundationDB's tuple
    /// encoding.
    @inline(__always)
    package static func appendEscaped(_ byte: UInt8, to key: inout [UInt8]) {
        key.append(byte)
        if byte == 0 { key.append(0xff) }
    }

    /// Appends a date: milliseconds since 1970, and the offset from UTC in minutes, with a separate code for no time
    /// zone.
    package static func append(_ date: IndexedDate, to key: inout [UInt8]) {
        key.append(Kind.date.rawValue)
        let bits = UInt64(bitPattern: date.milliseconds) ^ 1 << 63
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            key.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        let zone = date.offsetMinutes.map { UInt16(truncatingIfNeeded: $0 + 0x8000) } ?? 0
        key.append(UInt8(zone >> 8))
        key.append(UInt8(zone & 0xff))
    }

    /// Returns the offset after the value at `offset`; `nil` if the value is incomplete or invalid.
    ///
    /// - Parameter isDescending: Whether the bytes are complemented.
    package static func skip(in key: Span<UInt8>, from offset: Int, isDescending: Bool = false) -> Int? {
        // XOR with the mask restores complemented bytes.
        let mask: UInt8 = isDescending ? 0xff : 0
        guard offset < key.count, var kind = Kind(rawValue: key[offset] ^ mask) else { return nil }
        var offset = offset + 1
        if kind == .other {
            guard offset < key.count, let inner = Kind(rawValue: key[offset] ^ mask), inner != .other else {
                return nil
            }
            kind = inner
            offset += 1
        }
        switch kind {
        case .missing, .null, .bool, .boolTrue, .arrayMark, .objectMark: return offset
        case .array, .object: return skipContent(in: key, from: offset, isDescending: isDescending)
        case .number, .string, .bytes: return skipEscaped(in: key, from: offset, mask: mask)
        case .naturalString:
            return skipEscaped(in: key, from: offset, mask: mask).flatMap { skipEscaped(in: key, from: $0, mask: mask) }
        case .levels:
            while offset < key.count, key[offset] ^ mask == levelMark {
                guard let next = skipEscaped(in: key, from: offset + 1, mask: mask) else { return nil }
                offset = next
            }
            return offset < key.count && key[offset] ^ mask == 0 ? offset + 1 : nil
        case .date: return offset + 10 <= key.count ? offset + 10 : nil
        case .cell: return offset + 8 <= key.count ? offset + 8 : nil
        case .attachment: return skipAttachment(in: key, from: offset, isDescending: isDescending)
        case .other: return nil
        }
    }

    /// Returns the offset after an attachment whose digest starts at `offset`; `nil` if it is incomplete or invalid.
    private static func skipAttachment(in key: Span<UInt8>, from offset: Int, isDescending: Bool) -> Int? {
        let mask: UInt8 = isDescending ? 0xff : 0
        var offset = offset + Attachment.Digest.byteCount
        for expected in [Kind.number, .string, .string] {
            guard offset < key.count, let kind = Kind(rawValue: key[offset] ^ mask) else { return nil }
            // The name, which is last, can be absent.
            guard kind == expected || kind == .missing && expected == .string else { return nil }
            guard let next = kind == .missing ? offset + 1 : skipEscaped(in: key, from: offset + 1, mask: mask) else {
                return nil
            }
            offset = next
        }
        return offset
    }

    /// Returns the offset after the end of an array or object whose content starts at `offset`; `nil` if the end is
    /// missing.
    private static func skipContent(in key: Span<UInt8>, from offset: Int, isDescending: Bool) -> Int? {
        let mask: UInt8 = isDescending ? 0xff : 0
        var offset = offset
        // A loop instead of recursion, because damaged keys may be nested without limit.
        var depth = 1
        while depth > 0 {
            guard offset < key.count else { return nil }
            switch key[offset] ^ mask {
            case containerEnd:
                depth -= 1
                offset += 1
            case Kind.array.rawValue, Kind.object.rawValue:
                depth += 1
                offset += 1
            default:
                guard let next = skip(in: key, from: offset, isDescending: isDescending) else { return nil }
                offset = next
            }
        }
        return offset
    }

    /// The byte before each level of a hierarchical keyword. A zero byte follows the last level.
    package static let levelMark: UInt8 = 0x02

    private static func skipEscaped(in key: Span<UInt8>, from offset: Int, mask: UInt8) -> Int? {
        var offset = offset
        while offset < key.count {
            if key[offset] == mask {
                guard offset + 1 < key.count, key[offset + 1] == ~mask else { return offset + 1 }
                offset += 1
            }
            offset += 1
        }
        return nil
    }
}
