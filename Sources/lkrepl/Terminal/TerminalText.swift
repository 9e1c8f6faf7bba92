import DocIndex

/// Makes output in a machine-readable format safe for a terminal.
///
/// Documents, keys and values are data that a terminal might act on. If the format has escapes, they replace such
/// characters, and the meaning is preserved.
enum TerminalText {
    /// A format with escapes.
    enum Form {
        /// `\u009b`. In JSON such characters occur only within strings.
        case json
        /// `\xc2\x9b`, as in PostgreSQL's COPY text format.
        case tsv
        /// The same for bytes without a format, or in one without escapes: the output may be ambiguous. Bytes that are
        /// not UTF-8 are escaped too.
        case plain
    }

    /// `bytes` with every character that acts on a terminal escaped, except line ends and tabs.
    ///
    /// - Complexity: O(*n*); printable ASCII is returned unchanged.
    static func escaped(_ bytes: some Collection<UInt8>, as form: Form) -> [UInt8] {
        let bytes = Array(bytes)
        if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7f || $0 == 0x0a || $0 == 0x09 }) { return bytes }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count + 16)
        let span = bytes.span
        var index = 0
        while index < span.count {
            guard let (scalar, byteCount) = span.utf8Scalar(at: index) else {
                append("\\x", span[index], digitCount: 2, to: &escaped)
                index += 1
                continue
            }
            let isLineEnd = scalar == "\r" && index + 1 < span.count && span[index + 1] == 0x0a
            if scalar.isHarmless || scalar == "\n" || scalar == "\t" || isLineEnd {
                for position in index..<index + byteCount { escaped.append(span[position]) }
            } else if form == .json {
                for unit in UTF16.encode(scalar)! { append("\\u", unit, digitCount: 4, to: &escaped) }
            } else {
                for unit in UTF8.encode(scalar)! { append("\\x", unit, digitCount: 2, to: &escaped) }
            }
            index += byteCount
        }
        return escaped
    }

    /// The number of bytes at the end of `bytes` that may begin an incomplete character.
    static func incompleteByteCount(_ bytes: [UInt8]) -> Int {
        for count in 1...3 where count <= bytes.count {
            let byte = bytes[bytes.count - count]
            if byte & 0xc0 == 0x80 { continue }
            let needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
            // CR LF must also stay together.
            if byte == 0x0d, count == 1 { return 1 }
            return needed > count ? count : 0
        }
        return 0
    }

    /// A CSV field, which has no escapes: characters that act on a terminal are replaced by visible ones.
    static func field(_ field: DelimitedField) -> DelimitedField {
        if case .text(let text) = field { return .text(VisibleText.singleLine(text, newline: "\n")) }
        return field
    }

    private static func append(
        _ prefix: String, _ unit: some FixedWidthInteger, digitCount: Int, to bytes: inout [UInt8]
    ) {
        let digits = String(unit, radix: 16)
        bytes += Array(prefix.utf8) + Array(repeating: UInt8(ascii: "0"), count: digitCount - digits.utf8.count)
        bytes += Array(digits.utf8)
    }
}
