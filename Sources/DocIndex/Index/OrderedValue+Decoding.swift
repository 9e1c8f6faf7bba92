/// From the bytes of a key back to values.
extension OrderedValue {
    /// A value that was read from a key.
    enum Decoded {
        /// A member that is absent.
        case missing
        /// A scalar. A whole number comes as an integer, whichever kind it was stored as.
        case value(DocumentValue)
        /// An array or an object, whose content no key has.
        case container(DocumentValue.Kind)
    }

    /// The value that lies in these bytes alone, which are those of a component without collation, dates and levels.
    ///
    /// - Parameter isDescending: whether the bytes are complemented.
    /// - Returns: `nil` for bytes that are no such value.
    static func decoded(_ bytes: Span<UInt8>, isDescending: Bool = false) -> Decoded? {
        guard bytes.count > 0 else { return nil }
        let mask: UInt8 = isDescending ? 0xff : 0
        guard let kind = Kind(rawValue: bytes[0] ^ mask) else { return nil }
        switch kind {
        case .missing: return .missing
        case .null: return .value(.null)
        case .bool: return .value(.bool(false))
        case .boolTrue: return .value(.bool(true))
        case .array: return .container(.array)
        case .object: return .container(.object)
        case .number: return number(unescaped(bytes, mask: mask)).map { .value($0) }
        case .string: return .value(.string(String(decoding: unescaped(bytes, mask: mask), as: UTF8.self)))
        case .bytes: return .value(.bytes(unescaped(bytes, mask: mask)))
        case .date: return date(bytes, mask: mask).map { .value(.date($0)) }
        case .naturalString, .levels, .other, .cell: return nil
        }
    }

    private static func unescaped(_ bytes: Span<UInt8>, mask: UInt8) -> [UInt8] {
        var content: [UInt8] = []
        content.reserveCapacity(bytes.count)
        var offset = 1
        // The last byte is the end.
        while offset < bytes.count - 1 {
            content.append(bytes[offset] ^ mask)
            offset += bytes[offset] == mask ? 2 : 1
        }
        return content
    }

    private static func number(_ bytes: [UInt8]) -> DocumentValue? {
        guard bytes.count <= 10 else { return nil }
        var ordered: UInt64 = 0
        for position in 0..<8 { ordered = ordered << 8 | UInt64(position < bytes.count ? bytes[position] : 0) }
        // Not-a-number is a zero byte, or none.
        if ordered == 0 { return .double(.nan) }
        let number = Double(bitPattern: ordered >> 63 == 1 ? ordered & ~(1 << 63) : ~ordered)
        guard let whole = Int64(exactly: number) else { return .double(number) }
        var rest: Int64 = 0
        if bytes.count > 8 { rest = Int64(bytes[8]) << 8 | (bytes.count > 9 ? Int64(bytes[9]) : 0) }
        let (sum, overflow) = whole.addingReportingOverflow(rest)
        return overflow ? nil : .int(sum)
    }

    private static func date(_ bytes: Span<UInt8>, mask: UInt8) -> DocumentDate? {
        guard bytes.count == 11 else { return nil }
        var bits: UInt64 = 0
        for position in 1...8 { bits = bits << 8 | UInt64(bytes[position] ^ mask) }
        let milliseconds = Int64(bitPattern: bits ^ 1 << 63)
        let zone = Int(bytes[9] ^ mask) << 8 | Int(bytes[10] ^ mask)
        return zone == 0
            ? DocumentDate(milliseconds: milliseconds)
            : DocumentDate(milliseconds: milliseconds, offsetMinutes: zone - 0x8000)
    }
}
