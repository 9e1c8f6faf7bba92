/// The effect of a scalar on a terminal, and on readers who compare texts.
extension Unicode.Scalar {
    /// Whether the scalar is visible and unambiguous: a reader sees it, and can type it.
    ///
    /// False for control characters, bidirectional and zero-width formatting, spaces other than U+0020, line and
    /// paragraph separators, code points that are unassigned in this Unicode version or private, and U+FFFD, which
    /// replaces invalid bytes.
    package var isVisible: Bool {
        if isASCII { return value >= 0x20 && value != 0x7f }
        if isCommonLetter { return true }
        if value == 0xfffd { return false }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return false
        default:
            // Fillers such as U+3164 are letters by category, but invisible. Variation selectors are invisible by
            // design: they select the form of the preceding character.
            return !properties.isDefaultIgnorableCodePoint || isVariationSelector
        }
    }

    /// Whether the scalar is drawn on the preceding character: combining marks and variation selectors.
    package var isMark: Bool {
        if value < 0x300 || isCommonLetter { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: return true
        default: return false
        }
    }

    /// Whether the scalar may be sent to a terminal as part of untrusted text.
    ///
    /// False for scalars that move the cursor, start an escape sequence or reorder text. Weaker than ``isVisible``:
    /// joiners, no-break spaces and private characters are common in ordinary text.
    package var isHarmless: Bool {
        if isASCII { return value >= 0x20 && value != 0x7f }
        switch properties.generalCategory {
        case .control, .surrogate, .lineSeparator, .paragraphSeparator: return false
        case .format: return value == 0x200c || value == 0x200d || value == 0xad
        default: return true
        }
    }

    /// U+FE00 to U+FE0F.
    package var isVariationSelector: Bool { (0xfe00...0xfe0f).contains(value) }

    /// Common letters, which need no property lookup (40 ns per scalar).
    private var isCommonLetter: Bool {
        switch value {
        case 0xc0...0x2af, 0x3b1...0x3c9, 0x410...0x44f: true  // Latin, Greek, Cyrillic
        case 0x3041...0x3096, 0x30a1...0x30fa, 0x4e00...0x9fff, 0xac00...0xd7a3: true  // kana, ideographs, Hangul
        default: false
        }
    }
}
