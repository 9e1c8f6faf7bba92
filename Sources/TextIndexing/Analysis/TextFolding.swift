/// Removes differences that do not count in comparisons: case, accents, width, compatibility forms, and invisible
/// characters.
///
/// The text analyzers and the collations `ci` and `ci-ai` use the same rules. They depend on the Unicode versions of
/// utf8proc and of Swift; ``version`` identifies them.
package enum TextFolding {
    /// Returns the composed form of a string without case.
    package static func withoutCase(_ text: String) -> String {
        if isPlain(text) { return text.lowercased() }
        return TextForms.caseFolded(TextForms.composed(text))
    }

    /// Returns the string without case, accents, compatibility forms and invisible characters, for comparing whole
    /// strings.
    static func withoutCaseAndAccents(_ text: String) -> String {
        if isPlain(text) { return text.lowercased() }
        return collation.fold(text)
    }

    /// Returns the string without compatibility forms and invisible characters and, optionally, without case and
    /// accents, for splitting it into words. Symbols that stand for words are set apart by spaces.
    static func folded(_ text: String, case foldsCase: Bool, accents foldsAccents: Bool) -> String {
        if isPlain(text) { return foldsCase ? text.lowercased() : text }
        return switch (foldsCase, foldsAccents) {
        case (true, true): words.fold(text)
        case (true, false): accentedWords.fold(text)
        case (false, true): casedWords.fold(text)
        case (false, false): writtenWords.fold(text)
        }
    }

    private static let collation = FoldingTable([.letterCase, .accents])
    private static let words = FoldingTable([.letterCase, .accents, .words])
    private static let accentedWords = FoldingTable([.letterCase, .words])
    private static let casedWords = FoldingTable([.accents, .words])
    private static let writtenWords = FoldingTable([.words])

    /// A zero-width non-joiner. Between Arabic letters it may separate the parts of a word, which people write together,
    /// with a space or with this character.
    static let nonJoiner: Unicode.Scalar = "\u{200c}"

    /// Whether this is a letter of the Arabic script.
    static func isArabicLetter(_ value: UInt32) -> Bool {
        switch value {
        case 0x620...0x64a, 0x66e...0x6d5, 0x6ee...0x6ff, 0x750...0x77f, 0x8a0...0x8ff: true
        default: false
        }
    }

    /// Returns whether a string contains a zero-width non-joiner.
    static func hasNonJoiner(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        guard bytes.count > 2 else { return false }
        for index in 0..<bytes.count - 2
        where bytes[index] == 0xe2 && bytes[index + 1] == 0x80 && bytes[index + 2] == 0x8c {
            return true
        }
        return false
    }

    /// Returns a string in lowercase as in Turkish, where `I` and `i` are different letters. Other letters keep their
    /// case.
    static func withTurkishI(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x49 || $0 == 0xc4 }) else { return text }
        var result = String.UnicodeScalarView()
        var wasI = false
        for scalar in text.unicodeScalars {
            // A dotted capital letter may be decomposed.
            if wasI, scalar == "\u{307}" {
                result.removeLast()
                result.append("i")
            } else {
                result.append(scalar == "I" ? "\u{131}" : scalar == "\u{130}" ? "i" : scalar)
            }
            wasI = scalar == "I"
        }
        return String(result)
    }

    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    /// The name of the rules with a hash of the data that they use: decompositions, case folding and categories
    /// of characters. A Unicode version in which any of them differs has a different name.
    ///
    /// A changed rule requires a new number.
    package static let version: String = {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        // Everything up to the units of East Asia; Cyrillic, Latin and Cherokee additions; compatibility forms; Deseret
        // to Adlam; letters of mathematics; enclosed letters.
        let blocks: [ClosedRange<UInt32>] = [
            0xa0...0x33ff, 0xa640...0xabbf, 0xf900...0xffef, 0x10400...0x105ff, 0x10c80...0x10cff, 0x118a0...0x118df,
            0x16e40...0x16e7f, 0x1d400...0x1d7ff, 0x1e900...0x1e95f, 0x1f100...0x1f2ff,
        ]
        for block in blocks {
            var bytes: [UInt8] = []
            for scalar in block.lazy.compactMap(Unicode.Scalar.init) {
                UTF8.encode(scalar).map { bytes.append(contentsOf: $0) }
                // Prevents marks from combining with the letter before them.
                bytes.append(0x0a)
                add(FoldingTable.categoryCode(scalar))
            }
            let text = String(decoding: bytes, as: UTF8.self)
            for byte in TextForms.compatible(text).utf8 { add(byte) }
            for byte in TextForms.caseFolded(text).utf8 { add(byte) }
        }
        return "folding-3-" + String(hash, radix: 16)
    }()
}
