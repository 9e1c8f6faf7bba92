/// One field of a CSV or TSV record.
enum DelimitedField: Hashable, Sendable {
    case null
    case text(String)
    /// A number, true or false: written as it is, never guarded.
    case literal(String)
    case bytes([UInt8])
}

extension DelimitedField {
    /// Whether a spreadsheet would evaluate a text (OWASP, "CSV Injection"): also one that begins with white space, which some
    /// leave out, or with a full-width form, which some take for the ordinary one.
    static func isFormula(_ text: String) -> Bool {
        switch text.unicodeScalars.first {
        case "=", "+", "-", "@", "\t", "\r", "\n", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}": true
        default: false
        }
    }
}
