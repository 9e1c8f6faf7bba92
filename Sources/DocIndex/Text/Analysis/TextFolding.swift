internal import Foundation

/// Removes differences that do not count in comparisons: case, accents, width.
///
/// Foundation does the folding, so the result depends on the Unicode version of the system. ``version`` identifies it.
enum TextFolding {
    /// Returns the composed form of a string without case.
    static func withoutCase(_ text: String) -> String {
        if isPlain(text) { return text.lowercased() }
        return composed(text).folding(options: .caseInsensitive, locale: nil)
    }

    /// Returns the string without case, accents and the width of East Asian letters.
    static func withoutCaseAndAccents(_ text: String) -> String {
        if isPlain(text) { return text.lowercased() }
        return composed(text).folding(
            options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    /// Returns the composed form of a string without the width of East Asian letters and, optionally, without case and
    /// accents.
    ///
    /// Unlike ``withoutCaseAndAccents(_:)``, treats Hebrew and Arabic vowel points as accents, because they are rarely
    /// typed.
    static func folded(_ text: String, case foldsCase: Bool, accents foldsAccents: Bool) -> String {
        if isPlain(text) { return foldsCase ? text.lowercased() : text }
        var options: String.CompareOptions = .widthInsensitive
        if foldsCase { options.insert(.caseInsensitive) }
        if foldsAccents { options.insert(.diacriticInsensitive) }
        let folded = composed(text).folding(options: options, locale: nil)
        // After width folding, a mark may compose with the letter before it.
        guard foldsAccents else { return composed(folded) }
        guard folded.unicodeScalars.contains(where: isPoint) else { return folded }
        return String(String.UnicodeScalarView(folded.unicodeScalars.filter { !isPoint($0) }))
    }

    /// Vowel points, and the stroke that elongates Arabic words (tatweel).
    private static func isPoint(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x591...0x5bd, 0x5bf, 0x5c1...0x5c2, 0x5c4...0x5c5, 0x5c7, 0x610...0x61a, 0x640, 0x64b...0x65f, 0x670,
            0x6d6...0x6dc, 0x6df...0x6e4, 0x6e7...0x6e8, 0x6ea...0x6ed:
            true
        default: false
        }
    }

    /// Returns the composed form of a string (NFC).
    ///
    /// Foundation mistakes U+11A7 and U+11C3, the code points just below and above the final consonants of modern
    /// Korean, for such consonants: after a syllable, one is lost and the other changes the syllable to the next one.
    /// They compose with nothing, so the parts before and after them are composed separately.
    private static func composed(_ text: String) -> String {
        func standsAlone(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0x11a7 || scalar.value == 0x11c3 }
        let scalars = text.unicodeScalars
        guard scalars.contains(where: standsAlone) else { return text.precomposedStringWithCanonicalMapping }
        var result = String.UnicodeScalarView()
        var rest = scalars[...]
        while let place = rest.firstIndex(where: standsAlone) {
            result.append(contentsOf: String(rest[..<place]).precomposedStringWithCanonicalMapping.unicodeScalars)
            result.append(rest[place])
            rest = rest[rest.index(after: place)...]
        }
        result.append(contentsOf: String(rest).precomposedStringWithCanonicalMapping.unicodeScalars)
        return String(result)
    }

    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    /// The name of the rules with a hash of the foldings of all letters that have case, accents or width. A Unicode
    /// version that folds any of them differently has a different name.
    static let version: String = {
        var hash: UInt64 = 0
        // Latin to Georgian, Greek Extended, letterlike symbols and enclosed letters; Cherokee, Latin and Coptic
        // additions; compatibility forms; full and half width; Deseret to Adlam.
        let blocks: [ClosedRange<UInt32>] = [
            0xa0...0x24ff, 0x2c00...0x2dff, 0xa640...0xabbf, 0xfb00...0xfb4f, 0xff00...0xffef, 0x10400...0x105ff,
            0x10c80...0x10cff, 0x118a0...0x118df, 0x16e40...0x16e7f, 0x1e900...0x1e95f,
        ]
        for block in blocks {
            var text = String.UnicodeScalarView()
            for value in block {
                guard let scalar = Unicode.Scalar(value) else { continue }
                text.append(scalar)
                // Prevents marks from combining with the letter before them.
                text.append("\n")
            }
            let whole = String(text)
            hash = hash &* 31 &+ FNV1a.hash(withoutCase(whole).utf8)
            hash = hash &* 31 &+ FNV1a.hash(withoutCaseAndAccents(whole).utf8)
        }
        return "folding-1-" + String(hash, radix: 16)
    }()
}
