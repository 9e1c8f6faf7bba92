extension BigInteger: LosslessStringConvertible {
    /// Parses an integer. Returns `nil` if the string is not an integer, or if its value is beyond ±(2²⁰⁴⁰ − 1).
    ///
    /// The string is an optional sign, followed by decimal digits, or by `0x` and hexadecimal digits in either case.
    /// Leading zeros are allowed; spaces and separators are not.
    ///
    /// - Complexity: O(n) in the digits, even for overlong strings.
    public init?(_ text: String) {
        var digits = Substring(text).utf8
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        var radix: UInt32 = 10
        if digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) {
            digits.removeFirst(2)
            radix = 16
        }
        guard !digits.isEmpty else { return nil }
        // Little-endian while it grows.
        var magnitude: [UInt8] = []
        for character in digits {
            guard let digit = BigInteger.digit(character, radix: radix) else { return nil }
            var carry = digit
            for index in magnitude.indices {
                carry += UInt32(magnitude[index]) * radix
                magnitude[index] = UInt8(truncatingIfNeeded: carry)
                carry >>= 8
            }
            if carry > 0 { magnitude.append(UInt8(truncatingIfNeeded: carry)) }
            // Stops at overlong strings, which would otherwise take quadratic time.
            guard magnitude.count <= BigInteger.maximumByteCount else { return nil }
        }
        self.init(magnitude: magnitude.reversed(), isNegative: isNegative)
    }

    /// The value in decimal digits, with a minus sign if it is negative.
    ///
    /// - Complexity: O(n²) in the bytes of the magnitude, at most 255.
    public var description: String {
        guard !magnitude.isEmpty else { return "0" }
        // Nine decimal digits at a time: a remainder below 10⁹, shifted by a byte, fits easily into 64 bits.
        let chunk: UInt64 = 1_000_000_000
        var rest = magnitude[...]
        var text = ""
        while !rest.isEmpty {
            var remainder: UInt64 = 0
            for index in rest.indices {
                let value = remainder << 8 | UInt64(rest[index])
                rest[index] = UInt8(truncatingIfNeeded: value / chunk)
                remainder = value % chunk
            }
            rest = rest.drop { $0 == 0 }
            let digits = String(remainder)
            let padding = rest.isEmpty ? 0 : 9 - digits.count
            text = String(repeating: "0", count: padding) + digits + text
        }
        return isNegative ? "-" + text : text
    }

    /// The value in hexadecimal digits after `0x`, with a minus sign if it is negative. Zero is `0x0`.
    public var hexadecimalDescription: String {
        let digits = magnitude.isEmpty ? "0" : String(hexadecimal(magnitude).drop { $0 == "0" })
        return (isNegative ? "-0x" : "0x") + digits
    }

    /// Returns the value of an ASCII digit, or `nil` if it is not a digit in that radix.
    private static func digit(_ character: UInt8, radix: UInt32) -> UInt32? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f") where radix == 16: UInt32(character - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F") where radix == 16: UInt32(character - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
