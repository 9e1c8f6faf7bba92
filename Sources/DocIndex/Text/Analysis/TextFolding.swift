internal import Foundation

/// Takes the differences out of texts that do not count in comparisons: case, accents, width.
///
/// Foundation does the work, so the result belongs to the Unicode version of the system. ``version`` tells it apart.
enum TextFolding {
    /// The composed form of a text without case.
    static func withoutCase(_ text: String) -> String {
        if isPlain(text) { return text.lowercased() }
        return composed(text).folding(options: .caseInsensitive, locale: nil)
    }

    /// The text without case, accents and the width of East Asian letters.
    static func withoutCaseAndAccents(_ text: String) -> String {
        if isPlain(text) { return text.lowercased() }
        return composed(text).folding(
            options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    /// The composed form of a text without the width of East Asian letters, and without case and accents where asked.
    ///
    /// Unlike ``withoutCaseAndAccents(_:)``, it takes the points of Hebrew and Arabic vowels for accents: hardly anybody
    /// types them.
    static func folded(_ text: String, case foldsCase: Bool, accents foldsAccents: Bool) -> String {
        if isPlain(text) { return foldsCase ? text.lowercased() : text }
        var options: String.CompareOptions = .widthInsensitive
        if foldsCase { options.insert(.caseInsensitive) }
        if foldsAccents { options.insert(.diacriticInsensitive) }
        let folded = composed(text).folding(options: options, locale: nil)
        // Without width, a sign that stood behind a letter may belong to it.
        guard foldsAccents else { return composed(folded) }
        guard folded.unicodeScalars.contains(where: isPoint) else { return folded }
        return String(String.UnicodeScalarView(folded.unicodeScalars.filter { !isPoint($0) }))
    }

    /// Points of vowels, and the stroke that makes Arabic words longer.
    private static func isPoint(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x591...0x5bd, 0x5bf, 0x5c1...0x5c2, 0x5c4...0x5c5, 0x5c7, 0x610...0x61a, 0x640, 0x64b...0x65f, 0x670,
            0x6d6...0x6dc, 0x6df...0x6e4, 0x6e7...0x6e8, 0x6ea...0x6ed:
            true
        default: false
        }
    }

    /// The composed form of a text (NFC).
    ///
    /// Foundation takes U+11A7 and U+11C3, which stand on either side of the letters that end a modern Korean syllable, for such
    /// letters: one is lost behind a syllable, the other makes it the next one. They compose with nothing, so what stands
    /// before and behind them is composed by itself.
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

    /// The name of the rules with a hash of what they make of all letters that have case, accents or width: another
    /// Unicode version that folds one of them otherwise has another name.
    static let version: String = {
        var hash: UInt64 = 0
        // Latin to Georgian and on to Greek extended, letterlike signs and enclosed letters; Cherokee, Latin and
        // Coptic additions; compatibility forms; widths; Deseret to Adlam.
        let blocks: [ClosedRange<UInt32>] = [
            0xa0...0x24ff, 0x2c00...0x2dff, 0xa640...0xabbf, 0xfb00...0xfb4f, 0xff00...0xffef, 0x10400...0x105ff,
            0x10c80...0x10cff, 0x118a0...0x118df, 0x16e40...0x16e7f, 0x1e900...0x1e95f,
        ]
        for block in blocks {
            var text = String.UnicodeScalarView()
            for value in block {
                guard let scalar = Unicode.Scalar(value) else { continue }
                text.append(scalar)
                // So that no mark is joined with the letter before it.
                text.append("\n")
            }
            let whole = String(text)
            hash = hash &* 31 &+ FNV1a.hash(withoutCase(whole).utf8)
            hash = hash &* 31 &+ FNV1a.hash(withoutCaseAndAccents(whole).utf8)
        }
        return "folding-1-" + String(hash, radix: 16)
    }()
}
