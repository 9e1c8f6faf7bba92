extension [UInt8] {
    /// Appends a double as a JSON number, or in its extended form if JSON cannot represent it.
    mutating func appendJSON(_ value: Double) {
        if let notation = ExtendedName.notation(of: value) {
            appendASCII("{\"$num\":\"")
            append(contentsOf: notation.utf8)
            appendASCII("\"}")
        } else {
            // The shortest digits that parse to the same double, always with ".0" or an exponent, as
            // `Double.description` guarantees since SE-0067 and Swift 4.2.
            append(contentsOf: value.description.utf8)
        }
    }

    /// Appends a string in quotes, with the necessary escapes.
    package mutating func appendJSON(_ string: String) {
        let bytes = string.utf8Span.span
        append(UInt8(ascii: "\""))
        var position = 0
        while true {
            let (end, _) = bytes.endOfPlainText(from: position)
            append(contentsOf: bytes.extracting(position..<end))
            if end == bytes.count { break }
            appendEscape(of: bytes[end])
            position = end + 1
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(of byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0a: append(UInt8(ascii: "n"))
        case 0x0c: append(UInt8(ascii: "f"))
        case 0x0d: append(UInt8(ascii: "r"))
        case 0..<0x20:
            appendASCII("u00")
            append(UInt8(ascii: "0") + byte >> 4)
            append(byte & 0xf < 10 ? UInt8(ascii: "0") + byte & 0xf : UInt8(ascii: "a") + byte & 0xf - 10)
        default: append(byte)
        }
    }

    /// Appends an integer in decimal.
    package mutating func appendDecimal(_ value: Int64) {
        var digits: InlineArray<20, UInt8> = .init(repeating: 0)
        var start = digits.count
        var rest = value.magnitude
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 { append(UInt8(ascii: "-")) }
        append(contentsOf: digits.span.extracting(start..<digits.count))
    }

    /// Appends a string literal.
    package mutating func appendASCII(_ text: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a copy of `bytes`.
    package mutating func append(contentsOf bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
