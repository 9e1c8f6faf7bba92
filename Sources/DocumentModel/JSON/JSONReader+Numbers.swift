extension JSONReader {
    /// Reads a number, starting at the minus sign or the first digit, and leaves `offset` after the last digit.
    mutating func readNumber() throws(JSONError) -> DocumentValue {
        let start = offset
        var number = DecimalNumber()
        if bytes[offset] == UInt8(ascii: "-") {
            number.isNegative = true
            offset += 1
            try expectDigit("after '-'")
        }
        if bytes[offset] == UInt8(ascii: "0") {
            offset += 1
            if isAtDigit { throw failure(.leadingZero, at: offset - 1) }
        } else {
            while isAtDigit { number.append(digit: takeDigit()) }
        }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            try expectDigit("after '.'")
            number.isInteger = false
            while isAtDigit { number.append(fractionDigit: takeDigit()) }
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            number.isInteger = false
            try readExponent(of: &number)
        }
        if let value = number.fastValue { return value }
        return try slowValue(of: number, lexeme: start..<offset)
    }

    private mutating func readExponent(of number: inout DecimalNumber) throws(JSONError) {
        var isNegative = false
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") {
            isNegative = bytes[offset] == UInt8(ascii: "-")
            offset += 1
        }
        try expectDigit("in the exponent")
        var exponent = 0
        while isAtDigit {
            let digit = Int(takeDigit())
            // The exponent is already far beyond any double; more digits would overflow.
            if exponent < 1_000_000 { exponent = exponent * 10 + digit }
        }
        number.exponent += isNegative ? -exponent : exponent
    }

    private func slowValue(of number: DecimalNumber, lexeme: Range<Int>) throws(JSONError) -> DocumentValue {
        let digits = bytes.extracting(lexeme)
        if number.isInteger {
            let magnitude = number.isNegative ? digits.extracting(1..<digits.count) : digits
            guard let value = Double(exactlyDecimal: magnitude) else {
                throw failure(.integerOutOfRange, at: lexeme.lowerBound)
            }
            return .double(number.isNegative ? -value : value)
        }
        // The lexeme is ASCII. `Double.init` accepts a superset of JSON's number grammar, and rounds to nearest, ties
        // to even.
        let text = unsafe String(copying: UTF8Span(unchecked: digits, isKnownASCII: true))
        guard let value = Double(text), value.isFinite else {
            throw failure(.doubleOutOfRange, at: lexeme.lowerBound)
        }
        return .double(value)
    }

    @inline(__always)
    private var isAtDigit: Bool {
        offset < bytes.count && bytes[offset] &- UInt8(ascii: "0") < 10
    }

    @inline(__always)
    private mutating func takeDigit() -> UInt8 {
        let digit = bytes[offset] &- UInt8(ascii: "0")
        offset &+= 1
        return digit
    }

    private func expectDigit(_ place: String) throws(JSONError) {
        guard isAtDigit else {
            throw failure(.missingDigit(found: offset < bytes.count ? bytes[offset] : nil, place: place))
        }
    }
}
