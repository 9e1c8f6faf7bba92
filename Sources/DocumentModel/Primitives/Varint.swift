/// Unsigned integers with seven bits per byte, least significant first, as in LevelDB's own formats (`util/coding.cc`).
///
/// LevelFiles has its own for the files of LevelDB, with errors that name an offset. Calls from other modules are not
/// inlined; in this one, where the body of every document is made of these integers, they are.
package enum Varint {
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads the integer at `offset` and advances `offset` past it; `nil` if the bytes end early or the value exceeds
    /// 64 bits.
    package static func read(_ bytes: Span<UInt8>, _ offset: inout Int) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            if shift == 63 && byte > 1 { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    /// Returns all integers in `bytes`; `nil` if `bytes` is not a sequence of integers.
    package static func readAll(_ bytes: [UInt8]) -> [UInt64]? {
        var offset = 0
        var values: [UInt64] = []
        while offset < bytes.count {
            guard let value = read(bytes.span, &offset) else { return nil }
            values.append(value)
        }
        return values
    }
}
