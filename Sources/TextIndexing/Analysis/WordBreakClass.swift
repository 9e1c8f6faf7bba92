/// The class of a scalar in the word boundary rules: the property Word_Break of UAX #29.
///
/// Derived from the properties in the standard library as defined in table 3 of UAX #29, and from ranges where the
/// library lacks a property (scripts, and letters of languages that require a dictionary). Thus the classes follow the
/// Unicode version of the library, and no table needs to be regenerated.
enum WordBreakClass: UInt8 {
    case other, carriageReturn, lineFeed, newline, extend, joiner, format, katakana, hebrewLetter, letter, singleQuote,
        doubleQuote, midNumLet, midLetter, midNum, numeric, extendNumLet, regionalIndicator, space

    init(_ scalar: Unicode.Scalar) {
        let value = Int(scalar.value)
        self = value < Self.known.count ? Self.known[value] : Self.derived(scalar)
    }

    var isLetter: Bool { self == .letter || self == .hebrewLetter }
    /// Whether rule WB4 ignores the scalar.
    var isIgnored: Bool { self == .extend || self == .format || self == .joiner }

    /// Precomputed classes up to the end of kana, which cover most text.
    private static let known: [WordBreakClass] = (0..<0x3100).map { value in
        UInt32(exactly: value).flatMap(Unicode.Scalar.init).map(derived) ?? .other
    }

    private static func derived(_ scalar: Unicode.Scalar) -> WordBreakClass {
        let value = scalar.value
        // Ideographs and Hangul are frequent above the table.
        if (0x4e00...0x9fff).contains(value) || (0x20000...0x323af).contains(value) { return .other }
        if (0xac00...0xd7a3).contains(value) { return .letter }
        if let sign = signs(value) { return sign }
        let properties = scalar.properties
        let category = properties.generalCategory
        if properties.isGraphemeExtend || category == .spacingMark || properties.isEmojiModifier { return .extend }
        if category == .format { return value == 0x200b ? .other : .format }
        if isKatakana(value) { return .katakana }
        if category == .otherLetter, isHebrew(value) { return .hebrewLetter }
        if category == .decimalNumber || value == 0x66b { return .numeric }
        if category == .connectorPunctuation || value == 0x202f { return .extendNumLet }
        if category == .spaceSeparator { return value == 0xa0 || value == 0x2007 ? .other : .space }
        guard properties.isAlphabetic || isLetterByName(value) else { return .other }
        return properties.isIdeographic || isHiragana(value) || isOfDictionary(value) ? .other : .letter
    }

    private static func signs(_ value: UInt32) -> WordBreakClass? {
        switch value {
        case 0x0d: .carriageReturn
        case 0x0a: .lineFeed
        case 0x0b, 0x0c, 0x85, 0x2028, 0x2029: .newline
        case 0x200d: .joiner
        case 0x22: .doubleQuote
        case 0x27: .singleQuote
        case 0x2e, 0x2018, 0x2019, 0x2024, 0xfe52, 0xff07, 0xff0e: .midNumLet
        case 0x3a, 0xb7, 0x387, 0x55f, 0x5f4, 0x2027, 0xfe13, 0xfe55, 0xff1a: .midLetter
        case 0x2c, 0x3b, 0x37e, 0x589, 0x60c, 0x60d, 0x66c, 0x7f8, 0x2044, 0xfe10, 0xfe14, 0xfe50, 0xfe54, 0xff0c,
            0xff1b:
            .midNum
        case 0x1f1e6...0x1f1ff: .regionalIndicator
        default: nil
        }
    }

    /// The script, and the symbols that table 3 adds to it.
    private static func isKatakana(_ value: UInt32) -> Bool {
        switch value {
        case 0x3031...0x3035, 0x309b...0x309c, 0x30a0...0x30fa, 0x30fc...0x30ff, 0x31f0...0x31ff, 0x32d0...0x32fe,
            0x3300...0x3357, 0xff66...0xff9d, 0x1aff0...0x1afff, 0x1b000, 0x1b120...0x1b122, 0x1b155,
            0x1b164...0x1b167:
            true
        default: false
        }
    }

    private static func isHebrew(_ value: UInt32) -> Bool {
        (0x591...0x5f4).contains(value) || (0xfb1d...0xfb4f).contains(value)
    }

    private static func isHiragana(_ value: UInt32) -> Bool {
        switch value {
        case 0x3041...0x3096, 0x309d...0x309f, 0x1b001...0x1b11f, 0x1b132, 0x1b150...0x1b152, 0x1f200: true
        default: false
        }
    }

    /// Letters listed in table 3 that are not Alphabetic.
    private static func isLetterByName(_ value: UInt32) -> Bool {
        switch value {
        case 0x2c2...0x2c5, 0x2d2...0x2d7, 0x2de...0x2df, 0x2e5...0x2eb, 0x2ed, 0x2ef...0x2ff, 0x55a...0x55c, 0x55e,
            0x58a, 0x5f3, 0xa708...0xa716, 0xa720...0xa721, 0xa789...0xa78a, 0xab5b:
            true
        default: false
        }
    }

    /// Line_Break = Complex_Context: scripts without spaces that require a dictionary to find words.
    private static func isOfDictionary(_ value: UInt32) -> Bool {
        switch value {
        case 0xe01...0xe3a, 0xe40...0xe4e, 0xe80...0xedf, 0x1000...0x103f, 0x1050...0x109f, 0x1780...0x17d3, 0x17d7,
            0x17dc...0x17dd, 0x1950...0x1974, 0x1980...0x19df, 0x1a20...0x1aad, 0xa9e0...0xa9ef, 0xa9fa...0xa9fe,
            0xaa60...0xaadf, 0x11700...0x11746:
            true
        default: false
        }
    }

    /// The version of the rules, with a hash of the classes that the system's Unicode version gives to the most common
    /// letters.
    static let version: String = {
        let above = (UInt32(0x3100)...0x4dff).compactMap(Unicode.Scalar.init).map { derived($0).rawValue }
        let compatibility = (UInt32(0xa000)...0xffff).compactMap(Unicode.Scalar.init).map { derived($0).rawValue }
        let hash = FNV1a.hash(known.map(\.rawValue) + above + compatibility)
        return "words-1-" + String(hash, radix: 16)
    }()
}
