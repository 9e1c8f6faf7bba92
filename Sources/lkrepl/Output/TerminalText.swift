/// Output in a form for programs, made fit for a terminal.
///
/// Documents, keys and values are data, and a terminal that is shown what they hold might act on it. Where the form has
/// escapes of its own, those take the place of such characters, and what is shown means the same.
enum TerminalText {
    /// A form that has escapes.
    enum Form {
        /// `\u009b`. JSON has such characters within strings only.
        case json
        /// `\xc2\x9b`, as in PostgreSQL's COPY text.
        case tsv
    }

    /// `bytes` with the escapes of their form in place of every character that acts on a terminal, unless it is ASCII and below
    /// U+007F: of those a form leaves none but its own line ends and tabs.
    ///
    /// - Complexity: O(*n*); ASCII is returned as it is.
    static func escaped(_ bytes: [UInt8], as form: Form) -> [UInt8] {
        if bytes.allSatisfy({ $0 < 0x7f }) { return bytes }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count + 16)
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar.value < 0x7f || scalar.isHarmless {
                escaped += Array(UTF8.encode(scalar)!)
                continue
            }
            switch form {
            case .json: for unit in UTF16.encode(scalar)! { append("\\u", unit, digitCount: 4, to: &escaped) }
            case .tsv: for unit in UTF8.encode(scalar)! { append("\\x", unit, digitCount: 2, to: &escaped) }
            }
        }
        return escaped
    }

    /// A field of CSV, which has no escapes: what acts on a terminal is replaced by what people read.
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
