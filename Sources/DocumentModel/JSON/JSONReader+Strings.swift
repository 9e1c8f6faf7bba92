extension JSONReader {
    /// Reads a string, starting at the opening quote, and leaves `offset` after the closing one.
    mutating func readString() throws(JSONError) -> String {
        offset += 1
        let start = offset
        var (found, isASCII) = try skipPlainText()
        if found == UInt8(ascii: "\"") {
            offset += 1
            return string(of: bytes.extracting(start..<offset - 1), isASCII: isASCII)
        }
        // A string with escapes is assembled piece by piece.
        var unescaped: [UInt8] = []
        var pieceStart = start
        while true {
            append(pieceStart..<offset, to: &unescaped)
            if found == UInt8(ascii: "\"") {
                offset += 1
                return string(of: unescaped.span, isASCII: isASCII)
            }
            isASCII = try readEscape(into: &unescaped) && isASCII
            pieceStart = offset
            let piece = try skipPlainText()
            found = piece.found
            isASCII = piece.isASCII && isASCII
        }
    }

    /// Skips to the next quote or backslash, and returns it and whether all skipped bytes are ASCII.
    ///
    /// - Throws: `controlCharacter`, `invalidUTF8`, or `unexpectedEnd` if no quote or backslash follows.
    private mutating func skipPlainText() throws(JSONError) -> (found: UInt8, isASCII: Bool) {
        let start = offset
        let (end, isASCII) = bytes.endOfPlainText(from: start)
        if !isASCII { try checkUTF8(start..<end) }
        offset = end
        guard end < bytes.count else { throw failure(.endOfInput(expected: "'\"' at the end of a string")) }
        let found = bytes[end]
        if found < 0x20 { throw failure(.controlCharacter(found)) }
        return (found, isASCII)
    }

    private func checkUTF8(_ range: Range<Int>) throws(JSONError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.extracting(range))
        } catch {
            throw failure(.invalidUTF8, at: range.lowerBound + error.byteOffsets.lowerBound)
        }
    }

    private func string(of text: Span<UInt8>, isASCII: Bool) -> String {
        // Valid UTF-8: `skipPlainText` has checked each piece, and escapes produce whole characters.
        unsafe String(copying: UTF8Span(unchecked: text, isKnownASCII: isASCII))
    }

    private func append(_ range: Range<Int>, to text: inout [UInt8]) {
        unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe text.append(contentsOf: $0) }
    }
}

// MARK: - Escapes

extension JSONReader {
    /// Reads an escape, starting at the backslash, and appends its character; returns whether that is ASCII.
    private mutating func readEscape(into text: inout [UInt8]) throws(JSONError) -> Bool {
        let start = offset
        offset += 1
        guard offset < bytes.count else { throw failure(.endOfInput(expected: "the rest of an escape")) }
        switch bytes[offset] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(bytes[offset])
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            offset += 1
            let scalar = try readUnicodeEscape(from: start)
            text.append(contentsOf: String(scalar).utf8)
            return scalar.isASCII
        case let found: throw failure(.invalidEscape(found))
        }
        offset += 1
        return true
    }

    /// Reads the digits of a `\uXXXX` escape. After the first half of a surrogate pair, also reads the second half.
    private mutating func readUnicodeEscape(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try readHexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        // Only surrogates are not scalars.
        guard first < 0xdc00 else { throw failure(.loneLowSurrogate, at: start) }
        guard offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u")
        else { throw failure(.loneHighSurrogate, at: start) }
        offset += 2
        let second = try readHexDigits()
        guard 0xdc00...0xdfff ~= second else { throw failure(.loneHighSurrogate, at: start) }
        let value = 0x10000 + (UInt32(first & 0x3ff) << 10 | UInt32(second & 0x3ff))
        guard let scalar = Unicode.Scalar(value) else { throw failure(.loneHighSurrogate, at: start) }
        return scalar
    }

    private mutating func readHexDigits() throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard offset < bytes.count else {
                throw failure(.endOfInput(expected: "four hexadecimal digits after \\u"))
            }
            let digit = bytes[offset]
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt16(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt16(digit - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt16(digit - UInt8(ascii: "A") + 10)
            default: throw failure(.invalidHexDigit(digit))
            }
            offset += 1
        }
        return value
    }
}
