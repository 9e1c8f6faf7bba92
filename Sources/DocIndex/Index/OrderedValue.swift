/// The order-preserving encoding of values in index keys.
///
/// The order of the bytes is the order of the values: missing < null < false < true < numbers < texts < dates <
/// bytes < arrays < objects. Integers and doubles are ordered together by their numeric value, and equal numbers of both kinds
/// have equal bytes. Texts are ordered by their UTF-8 bytes. Arrays and objects have no content in an index: each
/// stands as a mark of its kind. Every encoding delimits itself, so components may follow one another.
///
/// A number is the largest double that is not above it, as eight big-endian bytes whose order is numeric (the sign bit
/// flipped, or all bits of a negative number), followed by two bytes of what is left of an integer that no double
/// holds; zero bytes at the end are dropped, and what is left is escaped and ended like a text. `1930` takes five
/// bytes.
///
/// A date is its milliseconds as eight big-endian bytes with the sign bit flipped, and two bytes of its offset in
/// minutes plus 8000 (hex), zeros if it has no zone: the order is that of ``DocumentDate``.
enum OrderedValue {
    /// The first byte of each kind. Stored on disk, never change; gaps are for kinds to come.
    enum Kind: UInt8 {
        case missing = 0x02
        case null = 0x04
        case bool = 0x06
        case boolTrue = 0x08
        case number = 0x0a
        case string = 0x0c
        case date = 0x0e
        case bytes = 0x10
        case array = 0x12
        case object = 0x14
    }

    /// Behind an encoded value, these bytes lie above every key in which another component or a row follows, and below
    /// every larger value: only the escape of a zero byte within a longer text, `ff`, is larger.
    static let behind: [UInt8] = [0xfe]

    /// Adds the encoding of a value; `nil` stands for a field that is not there.
    static func append(_ value: DocumentValue?, to key: inout [UInt8]) {
        switch value {
        case nil: key.append(Kind.missing.rawValue)
        case .null: key.append(Kind.null.rawValue)
        case .bool(let flag): key.append(flag ? Kind.boolTrue.rawValue : Kind.bool.rawValue)
        case .int(let number): append(number, to: &key)
        case .double(let number): append(number, to: &key)
        case .string(let text): append(text, to: &key)
        case .date(let date): append(date, to: &key)
        case .bytes(let bytes):
            key.append(Kind.bytes.rawValue)
            for byte in bytes { appendEscaped(byte, to: &key) }
            key.append(0)
        case .array: key.append(Kind.array.rawValue)
        case .object: key.append(Kind.object.rawValue)
        }
    }

    private static func append(_ date: DocumentDate, to key: inout [UInt8]) {
        key.append(Kind.date.rawValue)
        let ordered = UInt64(bitPattern: date.milliseconds) ^ 1 << 63
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            key.append(UInt8(truncatingIfNeeded: ordered >> shift))
        }
        let offset = date.offsetMinutes.map { UInt16(0x8000 + $0) } ?? 0
        key.append(UInt8(offset >> 8))
        key.append(UInt8(offset & 0xff))
    }

    /// The encoding of a value alone.
    static func encoded(_ value: DocumentValue?) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return bytes
    }

    /// Adds the encoding of a text.
    static func append(_ text: String, to key: inout [UInt8]) {
        key.append(Kind.string.rawValue)
        let utf8 = text.utf8Span.span
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
        // Rounds toward negative infinity, so that what is left is never negative.
        var floor = Double(number)
        if floor >= 0x1p63 || Int64(floor) > number { floor = floor.nextDown }
        append(floor, rest: UInt16(truncatingIfNeeded: number - Int64(floor)), to: &key)
    }

    private static func append(_ number: Double, to key: inout [UInt8]) {
        // Both zeros are one number; so are all not-a-numbers, which come before the rest.
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

    /// A zero byte becomes `00 ff`, so that the `00` at the end is told apart, as in the tuple encoding.
    @inline(__always)
    private static func appendEscaped(_ byte: UInt8, to key: inout [UInt8]) {
        key.append(byte)
        if byte == 0 { key.append(0xff) }
    }

    /// The offset behind the value that begins at `offset`; `nil` if there is no whole value.
    static func skip(in key: Span<UInt8>, from offset: Int) -> Int? {
        guard offset < key.count, let kind = Kind(rawValue: key[offset]) else { return nil }
        var offset = offset + 1
        switch kind {
        case .missing, .null, .bool, .boolTrue, .array, .object: return offset
        case .date: return key.count - offset >= 10 ? offset + 10 : nil
        case .number, .string, .bytes:
            while offset < key.count {
                if key[offset] == 0 {
                    guard offset + 1 < key.count, key[offset + 1] == 0xff else { return offset + 1 }
                    offset += 1
                }
                offset += 1
            }
            return nil
        }
    }
}
