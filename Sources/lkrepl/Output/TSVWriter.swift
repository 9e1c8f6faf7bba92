import DocIndex

/// Writes tab-separated records in the text format of PostgreSQL's COPY.
///
/// Tabs, line ends, other control characters and backslashes in fields are escaped, so that each record is one line.
/// Null is `\N`. Bytes are written as text, with `\xNN` for invalid UTF-8: only the distinction between strings and
/// bytes is lost.
struct TSVWriter: Sendable {
    /// Whether `'` is added before strings that a spreadsheet would run as formulas; see ``CSVWriter/guardsFormulas``.
    var guardsFormulas = false

    /// Appends one record and an LF to `output`.
    func append(_ record: [DelimitedField], to output: inout [UInt8]) {
        for (index, field) in record.enumerated() {
            if index > 0 { output.append(UInt8(ascii: "\t")) }
            switch field {
            case .null: output.append(contentsOf: "\\N".utf8)
            case .text(let text) where guardsFormulas && DelimitedField.isFormula(text):
                output.append(UInt8(ascii: "'"))
                for byte in text.utf8 { append(byte, to: &output) }
            case .text(let text), .literal(let text):
                for byte in text.utf8 { append(byte, to: &output) }
            case .bytes(let bytes): append(bytes.span, to: &output)
            }
        }
        output.append(UInt8(ascii: "\n"))
    }

    private func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        var index = 0
        while index < bytes.count {
            guard let (_, byteCount) = bytes.utf8Scalar(at: index) else {
                appendHexEscape(of: bytes[index], to: &output)
                index += 1
                continue
            }
            for position in index..<index + byteCount { append(bytes[position], to: &output) }
            index += byteCount
        }
    }

    /// Appends one byte of valid UTF-8.
    private func append(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\t"): output.append(contentsOf: "\\t".utf8)
        case UInt8(ascii: "\n"): output.append(contentsOf: "\\n".utf8)
        case UInt8(ascii: "\r"): output.append(contentsOf: "\\r".utf8)
        case UInt8(ascii: "\\"): output.append(contentsOf: "\\\\".utf8)
        case 0..<0x20, 0x7f: appendHexEscape(of: byte, to: &output)
        default: output.append(byte)
        }
    }

    private func appendHexEscape(of byte: UInt8, to output: inout [UInt8]) {
        output.append(contentsOf: "\\x".utf8)
        HexText.append(byte, to: &output)
    }
}
