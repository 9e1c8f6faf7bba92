/// One field of a CSV or TSV record.
package enum DelimitedField: Hashable, Sendable {
    case null
    case text(String)
    /// A number or boolean: written unchanged, without protection against formulas.
    case literal(String)
    case bytes([UInt8])
}

extension DelimitedField {
    /// Whether a spreadsheet would evaluate a string (OWASP, "CSV Injection"). Includes leading whitespace, which some
    /// programs remove, and full-width forms, which some treat like ordinary ones.
    package static func isFormula(_ text: String) -> Bool {
        switch text.unicodeScalars.first {
        case "=", "+", "-", "@", "\t", "\r", "\n", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}": true
        default: false
        }
    }
}

extension DelimitedField {
    /// A value as one field of a record.
    package init(_ value: DocumentValue) {
        self =
            switch value {
            case .null: .null
            case .string(let text): .text(text)
            case .date(let date): .text(date.iso8601)
            case .bytes(let bytes): .bytes(bytes)
            case .bool, .int, .double: .literal(value.json)
            case .array, .object, .attachment: .text(value.json(JSONWriter(notation: .tagged)))
            }
    }
}
