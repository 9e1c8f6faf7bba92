/// The number of terminal columns that a string occupies.
///
/// Counted by grapheme clusters, as current terminals draw: a wide East Asian character or an emoji takes two columns,
/// a combining mark none. Control characters count as zero; pass text through ``VisibleText`` first. Characters of
/// ambiguous width (UAX #11) count as narrow, as outside East Asian locales.
enum DisplayWidth {
    /// The columns of `text`.
    ///
    /// - Complexity: O(*n*); fast for printable ASCII.
    static func columns(of text: some StringProtocol) -> Int {
        if isPrintableASCII(text) { return text.utf8.count }
        return text.reduce(0) { $0 + columns(of: $1) }
    }

    /// The columns of one grapheme cluster: 0, 1 or 2.
    static func columns(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        guard scalars.count > 1 else { return columns(of: first) }
        if isEmojiSequence(scalars) { return 2 }
        // Conjuncts and jamo: the sum of the parts; terminals draw at most two columns.
        return min(2, scalars.reduce(0) { $0 + columns(of: $1) })
    }

    /// `text` if it fits in `columns`, otherwise its beginning followed by `ellipsis`.
    ///
    /// The result can be one column short if a wide character did not fit. An ellipsis that does not fit is omitted.
    static func truncated(_ text: String, to columns: Int, ellipsis: String = "…") -> String {
        // No grapheme cluster has more columns than bytes.
        if text.utf8.count <= columns { return text }
        let ellipsisWidth = self.columns(of: ellipsis)
        let hasEllipsis = ellipsisWidth <= columns
        let available = hasEllipsis ? columns - ellipsisWidth : columns

        var width = 0
        var cut = text.startIndex
        var index = text.startIndex
        while index < text.endIndex {
            width += self.columns(of: text[index])
            if width > columns { return text[..<cut] + (hasEllipsis ? ellipsis : "") }
            index = text.index(after: index)
            if width <= available { cut = index }
        }
        return text
    }

    private static func isPrintableASCII(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
    }
}

// MARK: - Characters

extension DisplayWidth {
    /// Emoji of several scalars: joined with U+200D, flags, skin tones, keycaps, and characters that U+FE0F turns into
    /// their color form.
    private static func isEmojiSequence(_ scalars: Character.UnicodeScalarView) -> Bool {
        guard let first = scalars.first, first.properties.isEmoji else { return false }
        // Digits have the emoji property, but are emoji only as keycaps.
        if first.isASCII { return scalars.contains("\u{20e3}") }
        return scalars.dropFirst().contains { $0.value == 0xfe0f || !$0.isASCII && $0.properties.isEmoji }
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7f ? 1 : 0 }
        if isZeroWidth(scalar) { return 0 }
        return isWide(scalar) ? 2 : 1
    }

    private static func isZeroWidth(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xad: return false  // The soft hyphen is drawn.
        case 0x1160...0x11ff, 0xd7b0...0xd7ff: return true  // Jamo that complete the syllable before them.
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark, .spacingMark, .lineSeparator, .paragraphSeparator:
            return true
        default:
            return false
        }
    }

    /// East_Asian_Width W or F (Unicode 17.0, EastAsianWidth.txt).
    ///
    /// The ranges include unassigned code points between their members, which have the width of their block. Unlisted
    /// wide characters are exactly those with Emoji_Presentation, which the standard library provides.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x1100: false
        case 0x1100...0x115f,  // Hangul jamo
            0x2329...0x232a,  // angle brackets
            0x2630...0x2637, 0x268a...0x268f,  // trigrams, mono- and digrams
            0x2e80...0x303e, 0x3041...0x3247, 0x3250...0xa4cf,  // radicals, kana, ideographs, hexagrams, Yi
            0xa960...0xa97f, 0xac00...0xd7a3,  // Hangul
            0xf900...0xfaff,  // compatibility ideographs
            0xfe10...0xfe19, 0xfe30...0xfe6f,  // vertical and small forms
            0xff01...0xff60, 0xffe0...0xffe6,  // full-width forms
            0x16fe0...0x18dff,  // Tangut, Khitan
            0x1aff0...0x1b2ff,  // kana supplements, Nushu
            0x1d300...0x1d37f,  // Tai Xuan Jing symbols, counting rods
            0x1f200...0x1f2ff,  // enclosed ideographs
            0x20000...0x2fffd, 0x30000...0x3fffd:  // supplementary ideographs
            true
        default: scalar.properties.isEmojiPresentation
        }
    }
}
