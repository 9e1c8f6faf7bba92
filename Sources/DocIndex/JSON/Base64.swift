/// Standard base64 with padding (RFC 4648, section 4). Each byte sequence has exactly one encoding.
enum Base64 {
    /// Appends the encoding of `bytes` to `text`.
    ///
    /// - Complexity: O(*n*).
    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
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

    /// Decodes `text`; `nil` unless it is exactly what ``append(_:to:)`` writes. Other characters, missing padding and
    /// unused bits that are set are rejected.
    ///
    /// - Complexity: O(*n*).
    static func decode(_ text: String) -> [UInt8]? {
        let characters = text.utf8Span.span
        guard characters.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 4 * 3)
        var position = 0
        while position < characters.count {
            let isLast = position + 4 == characters.count
            var group: UInt32 = 0
            var digitCount = 0
            for index in position..<position + 4 {
                if isLast, index >= position + 2, characters[index] == padding { continue }
                // Padding is allowed only at the end: a digit after it would leave a gap.
                guard digitCount == index - position, let digit = Self.digit(characters[index]) else { return nil }
                group |= UInt32(digit) << (18 - 6 * UInt32(digitCount))
                digitCount += 1
            }
            let byteCount = digitCount - 1
            guard group & (0xff_ffff >> (8 * UInt32(byteCount))) == 0 else { return nil }
            for index in 0..<byteCount { bytes.append(UInt8(truncatingIfNeeded: group >> (16 - 8 * UInt32(index)))) }
            position += 4
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
}
