/// Text of a document in a page: escaped, and without invisible characters that could change how the page is read.
enum GalleryText {
    /// Returns the text for the content of an element or the value of an attribute.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result += " "
            default: if isVisible(scalar) { result.unicodeScalars.append(scalar) }
            }
        }
        return result
    }

    /// Returns a path in the package as an address. Everything except letters, digits and a few signs of ASCII is
    /// written as its bytes.
    static func address(_ path: String) -> String {
        var result = ""
        for byte in path.utf8 {
            let isPlain =
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-._/".utf8.contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            result += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
        }
        return result
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        // Joiners are part of words and emoji; other format characters turn the direction of the text.
        case .format: scalar == "\u{200d}" || scalar == "\u{200c}"
        default: true
        }
    }

    /// Returns the first `limit` characters of a string.
    static func shortened(_ text: String, to limit: Int) -> String {
        text.unicodeScalars.count <= limit
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))) + "…"
    }
}
