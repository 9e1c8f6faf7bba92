/// Standard base64 with padding (RFC 4648, section 4). Each byte sequence has exactly one encoding.
package enum Base64 {
    /// The reason that a string is not base64.
    package struct DecodingError: Error {
        /// The number of bytes before the error.
        package let offset: Int
        /// A sentence without its final period.
        package let message: String
    }

    /// Appends the encoding of `bytes` to `text`.
    ///
    /// - Complexity: O(*n*).
    package static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        var position = 0
        while position < bytes.count {
            let count = min(3, bytes.count - position)
            var group = UInt32(bytes[position]) << 16
            if count > 1 { group |= UInt32(bytes[position + 1]) << 8 }
            if count > 2 { group |= UInt32(bytes[position + 2]) }
            for digit in 0..<4 {
                text.append(digit <= count ? character(UInt8(group >> (18 - 6 * UInt32(digit)) & 0x3f)) : padding)
            }
            position += 3
        }
    }

    /// Returns the encoding of `bytes`.
    package static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        append(bytes.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes `text`, which must be exactly what ``append(_:to:)`` writes. Other characters, missing padding and set
    /// unused bits are rejected.
    ///
    /// - Complexity: O(*n*).
    package static func decode(_ text: Span<UInt8>) throws(DecodingError) -> [UInt8] {
        var digitCount = text.count
        while digitCount > 0, text.count - digitCount < 2, text[digitCount - 1] == padding { digitCount -= 1 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var group: UInt32 = 0
        for index in 0..<digitCount {
            guard let digit = digit(text[index]) else {
                throw DecodingError(offset: index, message: complaint(about: text[index]))
            }
            group = group << 6 | UInt32(digit)
            // Each digit but the first of four completes a byte.
            let unusedBitCount = 6 - 2 * UInt32(index % 4)
            if index % 4 > 0 { bytes.append(UInt8(truncatingIfNeeded: group >> unusedBitCount)) }
        }
        guard text.count % 4 == 0 else {
            throw DecodingError(
                offset: text.count,
                message: "base64 must be padded with = to a multiple of 4 characters; this has \(text.count)")
        }
        guard group & [0, 0x3f, 0xf, 0x3][digitCount % 4] == 0 else {
            throw DecodingError(
                offset: digitCount - 1, message: "the last base64 digit has excess bits; the text is truncated")
        }
        return bytes
    }

    private static let padding = UInt8(ascii: "=")

    private static func character(_ digit: UInt8) -> UInt8 {
        switch digit {
        case 0..<26: UInt8(ascii: "A") + digit
        case 26..<52: UInt8(ascii: "a") + digit - 26
        case 52..<62: UInt8(ascii: "0") + digit - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
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
