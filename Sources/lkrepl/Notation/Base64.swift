/// Standard base64 (RFC 4648, section 4): the alphabet with `+/`, padded with `=`.
enum Base64 {
    /// The reason that a string is not base64.
    struct DecodingError: Error, Equatable {
        /// The number of bytes before the error.
        var offset: Int
        /// A sentence without its final period.
        var message: String
    }

    /// Appends the base64 of `bytes` to `output`.
    ///
    /// - Complexity: O(*n*).
    static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        output.reserveCapacity(output.count + (bytes.count + 2) / 3 * 4)
        var index = 0
        while index + 3 <= bytes.count {
            let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
            output.append(digit(group >> 18))
            output.append(digit(group >> 12))
            output.append(digit(group >> 6))
            output.append(digit(group))
            index += 3
        }
        switch bytes.count - index {
        case 1:
            let group = UInt32(bytes[index]) << 16
            output.append(digit(group >> 18))
            output.append(digit(group >> 12))
            output.append(padding)
            output.append(padding)
        case 2:
            let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8
            output.append(digit(group >> 18))
            output.append(digit(group >> 12))
            output.append(digit(group >> 6))
            output.append(padding)
        default:
            break
        }
    }

    /// The bytes that `text` encodes.
    ///
    /// Strict, so that each value has only one spelling: padding is required, the unused bits of the last digit must be
    /// zero, and neither line breaks nor the URL-safe alphabet are accepted.
    static func decode(_ text: Span<UInt8>) throws(DecodingError) -> [UInt8] {
        var digitCount = text.count
        while digitCount > 0, text.count - digitCount < 2, text[digitCount - 1] == padding { digitCount -= 1 }

        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var group: UInt32 = 0
        for index in 0..<digitCount {
            guard let value = value(of: text[index]) else {
                throw DecodingError(offset: index, message: complaint(about: text[index]))
            }
            group = group << 6 | value
            guard index % 4 == 3 else { continue }
            bytes.append(UInt8(truncatingIfNeeded: group >> 16))
            bytes.append(UInt8(truncatingIfNeeded: group >> 8))
            bytes.append(UInt8(truncatingIfNeeded: group))
            group = 0
        }
        guard text.count % 4 == 0 else {
            throw DecodingError(
                offset: text.count,
                message: "base64 must be padded with = to a multiple of 4 characters; this has \(text.count)")
        }

        let unusedBitCount: UInt32
        switch digitCount % 4 {
        case 2:
            bytes.append(UInt8(truncatingIfNeeded: group >> 4))
            unusedBitCount = 4
        case 3:
            bytes.append(UInt8(truncatingIfNeeded: group >> 10))
            bytes.append(UInt8(truncatingIfNeeded: group >> 2))
            unusedBitCount = 2
        default:
            return bytes
        }
        guard group & (1 << unusedBitCount - 1) == 0 else {
            throw DecodingError(
                offset: digitCount - 1,
                message: "the last base64 digit has excess bits; the text is truncated")
        }
        return bytes
    }

    private static let padding = UInt8(ascii: "=")

    private static func digit(_ bits: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: bits & 0x3f)
        switch value {
        case 0..<26: return UInt8(ascii: "A") + value
        case 26..<52: return UInt8(ascii: "a") + value - 26
        case 52..<62: return UInt8(ascii: "0") + value - 52
        case 62: return UInt8(ascii: "+")
        default: return UInt8(ascii: "/")
        }
    }

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    private static func complaint(about byte: UInt8) -> String {
        switch byte {
        case padding: "= is allowed only at the end of base64, at most twice"
        case UInt8(ascii: "-"), UInt8(ascii: "_"): "this is URL-safe base64; write + for - and / for _"
        default: "not a base64 digit"
        }
    }
}
