/// What a scalar does to a terminal, and to the eye of a reader who compares two texts.
extension Unicode.Scalar {
    /// Whether the scalar shows itself: a reader sees that it is there, and typing it gives it again.
    ///
    /// False for controls, for bidirectional and zero-width formatting, for spaces other than U+0020, for line and
    /// paragraph separators, for code points without a character in this Unicode version and for private ones, and for
    /// U+FFFD, which stands for bytes that are no text.
    var isVisible: Bool {
        if isASCII { return value >= 0x20 && value != 0x7f }
        if isCommonLetter { return true }
        if value == 0xfffd { return false }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return false
        default:
            // Fillers such as U+3164 are letters by category and nothing to the eye. Variation selectors are meant to
            // be invisible: they choose how the character before them looks.
            return !properties.isDefaultIgnorableCodePoint || isVariationSelector
        }
    }

    /// Whether the scalar is drawn on the character before it: combining marks and variation selectors.
    var isMark: Bool {
        if value < 0x300 || isCommonLetter { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: return true
        default: return false
        }
    }

    /// Whether a terminal may be given the scalar inside text from elsewhere.
    ///
    /// False for whatever moves the cursor, starts an escape sequence or reorders text. Weaker than ``isVisible``:
    /// joiners, no-break spaces and private characters are ordinary parts of human text.
    var isHarmless: Bool {
        if isASCII { return value >= 0x20 && value != 0x7f }
        switch properties.generalCategory {
        case .control, .surrogate, .lineSeparator, .paragraphSeparator: return false
        case .format: return value == 0x200c || value == 0x200d || value == 0xad
        default: return true
        }
    }

    /// U+FE00 to U+FE0F.
    var isVariationSelector: Bool { (0xfe00...0xfe0f).contains(value) }

    /// Letters without need of a look into the property tables, which costs 40 ns a scalar.
    private var isCommonLetter: Bool {
        switch value {
        case 0xc0...0x2af, 0x3b1...0x3c9, 0x410...0x44f: true  // Latin, Greek, Cyrillic
        case 0x3041...0x3096, 0x30a1...0x30fa, 0x4e00...0x9fff, 0xac00...0xd7a3: true  // kana, ideographs, Hangul
        default: false
        }
    }
}
