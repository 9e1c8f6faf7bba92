/// Bytes as pairs of hexadecimal digits, as other databases write binary data.
enum HexText {
    /// Appends two digits for each byte.
    static func append(_ bytes: Span<UInt8>, isUpperCase: Bool = false, to output: inout [UInt8]) {
        output.reserveCapacity(output.count + bytes.count * 2)
        for index in 0..<bytes.count { append(bytes[index], isUpperCase: isUpperCase, to: &output) }
    }

    /// Appends two digits.
    static func append(_ byte: UInt8, isUpperCase: Bool = false, to output: inout [UInt8]) {
        let letter = UInt8(ascii: isUpperCase ? "A" : "a")
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : letter + value - 10 }
        output.append(digit(byte >> 4))
        output.append(digit(byte & 15))
    }

    /// The bytes that digits encode; `nil` for other characters or an odd number of digits.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        for character in text {
            guard let value = value(of: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    /// The value of a hexadecimal digit; `nil` for other characters.
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
