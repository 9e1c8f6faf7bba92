internal import Foundation

/// Takes the differences out of texts that do not count in comparisons: case, accents, width.
///
/// Foundation does the work, so the result belongs to the Unicode version of the system. ``version`` tells it apart.
enum TextFolding {
    /// The composed form of a text without case.
    static func withoutCase(_ text: String) -> String {
        if isPlain(text) { return text.lowercased() }
        return text.precomposedStringWithCanonicalMapping.folding(options: .caseInsensitive, locale: nil)
    }

    /// The text without case, accents and the width of East Asian letters.
    static func withoutCaseAndAccents(_ text: String) -> String {
        if isPlain(text) { return text.lowercased() }
        return text.precomposedStringWithCanonicalMapping.folding(
            options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
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
