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
        let groupCount = bytes.count / 3
        let restCount = bytes.count - 3 * groupCount
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        unsafe characters.withUnsafeBufferPointer { characters in
            var position = 0
            // Groups are encoded in a block of fixed size, without a check of the capacity for each character.
            var block = [UInt8](repeating: 0, count: min(groupCount, blockGroupCount) * 4)
            while position < groupCount {
                let count = min(groupCount - position, blockGroupCount)
                let part = bytes.extracting(3 * position..<3 * (position + count))
                unsafe part.withUnsafeBufferPointer { part in
                    unsafe block.withUnsafeMutableBufferPointer { block in
                        for index in 0..<count {
                            let first = unsafe UInt32(part[3 * index]) << 16
                            let second = unsafe UInt32(part[3 * index + 1]) << 8
                            let group = unsafe first | second | UInt32(part[3 * index + 2])
                            unsafe block[4 * index] = characters[Int(group >> 18)]
                            unsafe block[4 * index + 1] = characters[Int(group >> 12 & 0x3f)]
                            unsafe block[4 * index + 2] = characters[Int(group >> 6 & 0x3f)]
                            unsafe block[4 * index + 3] = characters[Int(group & 0x3f)]
                        }
                    }
                }
                text += block[..<(4 * count)]
                position += count
            }
            guard restCount > 0 else { return }
            var group = UInt32(bytes[3 * groupCount]) << 16
            if restCount > 1 { group |= UInt32(bytes[3 * groupCount + 1]) << 8 }
            for digit in 0..<4 {
                text.append(
                    digit <= restCount ? unsafe characters[Int(group >> (18 - 6 * UInt32(digit)) & 0x3f)] : padding)
            }
        }
    }

    /// The number of groups of three bytes that are encoded together.
    private static let blockGroupCount = 1024

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
        let digits = text.extracting(0..<digitCount)
        let wholeCount = digitCount / 4
        var areDigits = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wholeCount * 3 + 3) { bytes, count in
            unsafe values.withUnsafeBufferPointer { values in
                unsafe digits.withUnsafeBufferPointer { digits in
                    unsafe areDigits = decode(digits, wholeCount, values, to: bytes, &count)
                }
            }
        }
        guard areDigits else {
            var index = bytes.count / 3 * 4
            while values[Int(text[index])] <= 0x3f { index += 1 }
            throw DecodingError(offset: index, message: complaint(about: text[index]))
        }
        guard text.count % 4 == 0 else {
            throw DecodingError(
                offset: text.count,
                message: "base64 must be padded with = to a multiple of 4 characters; this has \(text.count)")
        }
        // One digit alone completes no byte.
        let excess: UInt8 = [0, 0x3f, 0xf, 0x3][digitCount % 4]
        guard digitCount % 4 == 0 || values[Int(text[digitCount - 1])] & excess == 0 else {
            throw DecodingError(
                offset: digitCount - 1, message: "the last base64 digit has excess bits; the text is truncated")
        }
        return bytes
    }

    private static let padding = UInt8(ascii: "=")

    /// Decodes the digits up to the first group that contains another character, and sets the number of bytes.
    ///
    /// - Returns: whether all characters are digits.
    private static func decode(
        _ digits: UnsafeBufferPointer<UInt8>, _ wholeCount: Int, _ values: UnsafeBufferPointer<UInt8>,
        to bytes: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int
    ) -> Bool {
        for index in 0..<wholeCount {
            let first = unsafe values[Int(digits[4 * index])]
            let second = unsafe values[Int(digits[4 * index + 1])]
            let third = unsafe values[Int(digits[4 * index + 2])]
            let fourth = unsafe values[Int(digits[4 * index + 3])]
            if first | second | third | fourth > 0x3f { return false }
            unsafe bytes[count] = first << 2 | second >> 4
            unsafe bytes[count + 1] = second << 4 | third >> 2
            unsafe bytes[count + 2] = third << 6 | fourth
            count += 3
        }
        let rest = unsafe digits[(4 * wholeCount)...].map { unsafe values[Int($0)] }
        if rest.contains(where: { $0 > 0x3f }) { return false }
        for index in rest.indices.dropFirst() {
            unsafe bytes[count] = index == 1 ? rest[0] << 2 | rest[1] >> 4 : rest[1] << 4 | rest[2] >> 2
            count += 1
        }
        return true
    }

    private static let characters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The value of each character that is a digit; 0xff for others.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    private static func complaint(about byte: UInt8) -> String {
        switch byte {
        case padding: "= is allowed only at the end of base64, at most twice"
        case UInt8(ascii: "-"), UInt8(ascii: "_"): "this is URL-safe base64; write + for - and / for _"
        default: "not a base64 digit"
        }
    }
}
