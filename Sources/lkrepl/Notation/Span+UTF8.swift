extension Span<UInt8> {
    /// The Unicode scalar at `index` and the number of its bytes; `nil` if the bytes there are not well-formed UTF-8
    /// (Unicode 17.0, table 3-7).
    ///
    /// - Precondition: `index` is less than `count`.
    func utf8Scalar(at index: Int) -> (scalar: Unicode.Scalar, byteCount: Int)? {
        let first = self[index]
        let byteCount: Int
        var value: UInt32
        switch first {
        case 0x00...0x7f: return (Unicode.Scalar(first), 1)
        case 0xc2...0xdf: (byteCount, value) = (2, UInt32(first & 0x1f))
        case 0xe0...0xef: (byteCount, value) = (3, UInt32(first & 0x0f))
        case 0xf0...0xf4: (byteCount, value) = (4, UInt32(first & 0x07))
        default: return nil
        }
        guard index + byteCount <= count else { return nil }
        for position in index + 1..<index + byteCount {
            guard self[position] & 0xc0 == 0x80 else { return nil }
            value = value << 6 | UInt32(self[position] & 0x3f)
        }
        // Reject overlong encodings; the initializer rejects surrogates and values above U+10FFFF.
        guard value >= (byteCount == 4 ? 0x10000 : byteCount == 3 ? 0x800 : 0x80) else { return nil }
        return Unicode.Scalar(value).map { ($0, byteCount) }
    }
}
