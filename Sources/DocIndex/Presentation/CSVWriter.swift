/// Writes CSV records (RFC 4180).
///
/// Where the RFC is silent: null is an empty field and the empty string is `""`, as in PostgreSQL; bytes are `b64:` and
/// base64 without quotes, so strings beginning with `b64:` are quoted. Records end with LF.
///
/// The record of a single null is an empty line; readers of one-column files must not skip it.
package struct CSVWriter: Sendable {
    /// Whether records end with CRLF, as in the RFC.
    package var endsWithCRLF = false
    /// Whether `'` is added before strings that a spreadsheet would run as formulas.
    ///
    /// This changes the data: such a file is for spreadsheets, not for import.
    package var guardsFormulas = false

    package init(endsWithCRLF: Bool = false, guardsFormulas: Bool = false) {
        self.endsWithCRLF = endsWithCRLF
        self.guardsFormulas = guardsFormulas
    }

    /// Appends one record with its line end to `output`.
    package func append(_ record: [DelimitedField], to output: inout [UInt8]) {
        for (index, field) in record.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            append(field, to: &output)
        }
        if endsWithCRLF { output.append(UInt8(ascii: "\r")) }
        output.append(UInt8(ascii: "\n"))
    }

    private func append(_ field: DelimitedField, to output: inout [UInt8]) {
        switch field {
        case .null: break
        case .literal(let text): append(text, to: &output)
        case .text(let text): append(guardsFormulas && DelimitedField.isFormula(text) ? "'" + text : text, to: &output)
        case .bytes(let bytes):
            output.append(contentsOf: "b64:".utf8)
            Base64.append(bytes.span, to: &output)
        }
    }

    private func append(_ text: String, to output: inout [UInt8]) {
        guard needsQuotes(text) else { return output.append(contentsOf: text.utf8) }
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { output.append(byte) }
            output.append(byte)
        }
        output.append(UInt8(ascii: "\""))
    }

    private func needsQuotes(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last else { return true }
        // Some readers trim spaces outside quotes; COPY before PostgreSQL 18 ends at a line that contains only \.
        // characters.
        if first == UInt8(ascii: " ") || last == UInt8(ascii: " ") || text == "\\." { return true }
        if text.utf8.starts(with: "b64:".utf8) { return true }
        return text.utf8.contains { byte in
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
            default: false
            }
        }
    }
}
