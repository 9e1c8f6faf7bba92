import DocIndex

extension ByteNotation {
    /// Parses one token; an empty argument is the empty key.
    ///
    /// Throws if a quote is unclosed or followed by other characters, if an escape is unknown, or if hex or base64 is
    /// malformed.
    static func parse(_ text: String) throws(NotationError) -> [UInt8] {
        try parse(Array(text.utf8))
    }

    /// Parses one token given as bytes, such as a line of a file.
    ///
    /// Throws like ``parse(_:)-(String)``, and if the token is not UTF-8: such bytes must be written as `\xNN`.
    static func parse(_ token: [UInt8]) throws(NotationError) -> [UInt8] {
        var parser = Parser(token: token)
        return try parser.parse()
    }

    /// A parser for one token.
    private struct Parser {
        let token: [UInt8]
        var index = 0
        var bytes: [UInt8] = []

        init(token: [UInt8]) {
            self.token = token
        }

        mutating func parse() throws(NotationError) -> [UInt8] {
            try requireUTF8()
            guard let first = token.first else { return [] }
            switch first {
            case UInt8(ascii: "\""): try parseDoubleQuoted()
            case UInt8(ascii: "'"): try parseSingleQuoted()
            case UInt8(ascii: "{"), UInt8(ascii: "["): bytes = token
            case _ where token.span.starts(with: hexPrefix): try parseHex()
            case _ where token.span.starts(with: base64Prefix): try parseBase64()
            default: try parsePlain()
            }
            return bytes
        }

        func requireUTF8() throws(NotationError) {
            var index = 0
            while index < token.count {
                guard let (_, byteCount) = token.span.utf8Scalar(at: index) else {
                    throw error(at: index, "this is not UTF-8; write such bytes as \\xNN inside double quotes")
                }
                index += byteCount
            }
        }

        // MARK: - Forms

        mutating func parsePlain() throws(NotationError) {
            if let backslash = token.firstIndex(of: UInt8(ascii: "\\")) {
                throw error(
                    at: backslash,
                    "a backslash is allowed only inside quotes: \"…\" reads it as an escape, '…' keeps it "
                        + "(in another shell use both kinds: '\"…\"')")
            }
            bytes = token
        }

        mutating func parseSingleQuoted() throws(NotationError) {
            index = 1
            while let byte = next() {
                if byte != UInt8(ascii: "'") {
                    bytes.append(byte)
                } else if index < token.count, token[index] == UInt8(ascii: "'") {
                    bytes.append(byte)
                    index += 1
                } else {
                    return try requireEnd(after: "'")
                }
            }
            throw error(at: 0, "this ' is never closed")
        }

        mutating func parseDoubleQuoted() throws(NotationError) {
            index = 1
            while let byte = next() {
                switch byte {
                case UInt8(ascii: "\""): return try requireEnd(after: "\"")
                case UInt8(ascii: "\\"): try parseEscape()
                default: bytes.append(byte)
                }
            }
            throw error(at: 0, "this \" is never closed")
        }

        mutating func parseEscape() throws(NotationError) {
            let start = index - 1
            switch next() {
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "\""): bytes.append(UInt8(ascii: "\""))
            case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): bytes.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "t"): bytes.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "0"): bytes.append(0)
            case UInt8(ascii: "e"): bytes.append(0x1b)
            case UInt8(ascii: "x"):
                guard let high = nextHexDigit(), let low = nextHexDigit() else {
                    throw error(at: start, "\\x takes two hexadecimal digits")
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "u"): try parseScalarEscape(start: start)
            default:
                throw error(
                    at: start, "unknown escape; these are known: \\\\ \\\" \\n \\r \\t \\0 \\e \\xNN \\u{H…}")
            }
        }

        mutating func parseScalarEscape(start: Int) throws(NotationError) {
            var value: UInt32 = 0
            var digitCount = 0
            if next() == UInt8(ascii: "{") {
                while digitCount < 6, let digit = nextHexDigit() {
                    value = value << 4 | UInt32(digit)
                    digitCount += 1
                }
            }
            guard digitCount > 0, next() == UInt8(ascii: "}") else {
                throw error(at: start, "\\u takes one to six hexadecimal digits in braces, as in \\u{e9}")
            }
            guard let scalar = Unicode.Scalar(value) else {
                throw error(at: start, "U+\(String(value, radix: 16, uppercase: true)) is not a Unicode character")
            }
            bytes.append(contentsOf: String(Character(scalar)).utf8)
        }

        mutating func parseHex() throws(NotationError) {
            index = hexPrefix.utf8CodeUnitCount
            while index < token.count {
                guard let high = nextHexDigit() else { throw error(at: index, "not a hexadecimal digit") }
                guard index < token.count else {
                    throw error(at: index, "a byte takes two hexadecimal digits; the last one has one")
                }
                guard let low = nextHexDigit() else { throw error(at: index, "not a hexadecimal digit") }
                bytes.append(high << 4 | low)
            }
        }

        mutating func parseBase64() throws(NotationError) {
            let prefixCount = base64Prefix.utf8CodeUnitCount
            do throws(Base64.DecodingError) {
                bytes = try Base64.decode(token.span.extracting(prefixCount..<token.count))
            } catch {
                throw self.error(at: prefixCount + error.offset, error.message)
            }
        }

        // MARK: - Bytes

        mutating func next() -> UInt8? {
            guard index < token.count else { return nil }
            defer { index += 1 }
            return token[index]
        }

        /// The value of the hexadecimal digit at `index`, which is consumed; `nil` if there is none.
        mutating func nextHexDigit() -> UInt8? {
            guard index < token.count, let value = HexText.value(of: token[index]) else { return nil }
            index += 1
            return value
        }

        func requireEnd(after quote: String) throws(NotationError) {
            guard index == token.count else { throw error(at: index, "nothing may follow the closing \(quote)") }
        }

        func error(at offset: Int, _ message: String) -> NotationError {
            NotationError(column: token[..<offset].count { $0 & 0xc0 != 0x80 } + 1, message: message)
        }
    }
}
