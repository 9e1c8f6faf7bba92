import DocIndex

/// Makes untrusted text safe for one line of a terminal.
///
/// Documents, keys and file names are data: shown unchanged, they could move the cursor, start escape sequences,
/// reorder adjacent text or break a table. The result is for people and not reversible; for exact bytes, use
/// ``ByteNotation``.
enum VisibleText {
    /// `text` on one line, with every character that acts on a terminal replaced by a visible escape.
    ///
    /// - Parameter newline: The replacement of a line feed.
    /// - Complexity: O(*n*); printable ASCII is returned unchanged.
    static func singleLine(_ text: String, newline: String = "⏎") -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text }
        if text.unicodeScalars.allSatisfy(\.isHarmless) { return text }
        var visible = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.isHarmless {
                visible.append(scalar)
            } else {
                visible.append(contentsOf: (scalar == "\n" ? newline : escape(scalar)).unicodeScalars)
            }
        }
        return String(visible)
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case "\0": "\\0"
        case "\u{1b}": "\\e"
        default: "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
}
