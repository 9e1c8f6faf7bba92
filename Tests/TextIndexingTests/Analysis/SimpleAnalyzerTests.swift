import Foundation
import TestSupport
import Testing

@testable import TextIndexing

/// The terms of a string. Part of the store format: a change makes words in old stores unfindable.
@Suite struct AnalyzerTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let text: String
        let terms: [String]

        init(_ text: String, _ terms: [String]) {
            self.text = text
            self.terms = terms
        }

        var testDescription: String { text.debugDescription }
    }

    static let latin: [Example] = [
        .init("", []), .init("   \n", []), .init("!?., -", []), .init("fog", ["fog"]),
        .init("Fog OVER Water", ["fog", "over", "water"]),
        .init("fog fog", ["fog", "fog"]), .init("12th 1930s", ["12th", "1930s"]),
        .init("3.14 1,000", ["3", "14", "1", "000"]),
        .init("a_b-c.d/e:f", ["a", "b", "c", "d", "e", "f"]), .init("don't", ["don", "t"]),
        .init("don\u{2019}t", ["don", "t"]),
        .init("IMG_0031.JPG", ["img", "0031", "jpg"]), .init("a\0b", ["a", "b"]), .init("x@y.z", ["x", "y", "z"]),
        // Case and accents, composed or decomposed.
        .init("Éclair", ["eclair"]), .init("E\u{301}clair", ["eclair"]), .init("naïve-café", ["naive", "cafe"]),
        .init("Straße STRASSE", ["strasse", "strasse"]), .init("\u{1e9e}", ["ss"]), .init("Łódź", ["lodz"]),
        .init("Ørsted", ["orsted"]),
        .init("Tiếng Việt", ["tieng", "viet"]), .init("a\u{323}\u{308}b", ["ab"]),
        .init("\u{212b}ngström", ["angstrom"]),
        .init("\u{212a}elvin", ["kelvin"]), .init("ﬁne", ["fine"]), .init("İstanbul", ["istanbul"]),
        .init("Fog\u{a0}and\u{2003}rain\u{2014}sea", ["fog", "and", "rain", "sea"]),
        .init("«Fog» „rain“ …", ["fog", "rain"]),
        .init("ΣΊΣΥΦΟΣ σίσυφος", ["σισυφοσ", "σισυφοσ"]), .init("Йод ёж", ["иод", "еж"]), .init("И\u{306}од", ["иод"]),
        // An ASCII word is the same term in any context.
        .init("fog é", ["fog", "e"]), .init("É 12TH fog", ["e", "12th", "fog"]),
        .init("x² ½", ["x2", "1", "2"]), .init("5ª Nº", ["5a", "no"]),
    ]

    static let others: [Example] = [
        // Without spaces between words, each character is a word.
        .init("東京", ["東", "京"]), .init("東京タワー2020", ["東", "京", "タ", "ワ", "ー", "2020"]),
        .init("とうきょう", ["と", "う", "き", "ょ", "う"]),
        .init("中文abc", ["中", "文", "abc"]), .init("abc中文", ["abc", "中", "文"]), .init("𠮷野家", ["𠮷", "野", "家"]),
        .init("東。京、", ["東", "京"]),
        .init("สวัส", ["ส", "ว", "\u{e31}", "ส"]),
        // Width.
        .init("ＡＢＣ１２", ["abc12"]), .init("ｶﾀｶﾅ", ["カ", "タ", "カ", "ナ"]),
        // Combining marks stay with their letters.
        .init("किताब", ["किताब"]), .init("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]), .init("עברית", ["עברית"]),
        .init("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        .init("한국어 텍스트", ["한국어", "텍스트"]), .init("١٢٣", ["١٢٣"]),
        // An emoji is a word; modifiers and joiners are not.
        .init("fog 🌫 sea", ["fog", "🌫", "sea"]), .init("👍🏽 ok", ["👍", "ok"]), .init("👩‍👩‍👧", ["👩", "👩", "👧"]),
        .init("🇩🇪", ["🇩", "🇪"]),
        .init("a🌫b", ["a", "🌫", "b"]), .init("© ™ ½", ["©", "tm", "1", "2"]), .init("→ ∑ € █", []),
    ]

    @Test(arguments: latin + others) func `The default analyzer produces these terms`(example: Example) {
        #expect(terms(of: example.text) == example.terms)
        // Also in another context: before and after other words.
        #expect(terms(of: "x \(example.text) é") == ["x"] + example.terms + ["e"])
        #expect(terms(of: "x \(example.text) y") == ["x"] + example.terms + ["y"])
    }

    static let equivalent: [(String, String)] = [
        ("が", "か\u{3099}"), ("パリ", "ハ\u{309a}リ"), ("한", "\u{1112}\u{1161}\u{11ab}"), ("é", "e\u{301}"),
        ("й", "и\u{306}"),
        ("ệ", "e\u{323}\u{302}"), ("Å", "\u{212b}"), ("क़", "\u{915}\u{93c}"), ("神", "\u{fa19}"),
    ]

    @Test(arguments: equivalent) func `Two Unicode forms of one string have the same terms`(
        composed: String, decomposed: String
    ) {
        // File systems and cameras differ in which form they write.
        #expect(terms(of: composed) == terms(of: decomposed))
        #expect(terms(of: composed + "x") == terms(of: decomposed + "x"))
    }

    static let invisible: [(String, String)] = [
        // The heart is usually followed by a selector that requests its emoji form.
        ("\u{2764}\u{fe0f}", "\u{2764}"), ("I \u{2764}\u{fe0f}NY", "I \u{2764}NY"),
        ("\u{2600}\u{fe0f} sun", "\u{2600} sun"),
        ("葛\u{e0100}城", "葛城"), ("Schiff\u{ad}fahrt", "Schifffahrt"),
    ]

    @Test(arguments: invisible) func `Invisible characters neither split words nor create new ones`(
        text: String, plain: String
    ) {
        #expect(terms(of: text) == terms(of: plain))
    }

    @Test func `Terms contain no zero byte, and canonical equivalents have the same terms`() {
        var random = TestRun.random(stream: 20)
        let ranges: [ClosedRange<UInt32>] = [
            0...0x7f, 0x20...0x24f, 0x300...0x36f, 0x370...0x6ff, 0x900...0xe7f, 0x1100...0x11ff, 0x1e00...0x20ff,
            0x3000...0x30ff, 0x4e00...0x4eff, 0xac00...0xacff, 0xfe00...0xffef, 0x1f300...0x1f6ff, 0...0x10ffff,
        ]
        for _ in 0..<TestRun.rounds(1500, long: 200_000) {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<random.number(below: 10) {
                if let scalar = Unicode.Scalar(UInt32.random(in: random.pick(ranges), using: &random)) {
                    scalars.append(scalar)
                }
            }
            let text = String(scalars)
            let terms = terms(of: text)
            #expect(terms.allSatisfy { !$0.utf8.contains(0) && !$0.isEmpty })
            let comment: Comment = "\(text.unicodeScalars.map(\.value)), \(TestRun.repetition)"
            #expect(self.terms(of: text.decomposedStringWithCanonicalMapping) == terms, comment)
            // Foundation composes sequences such as U+1161 U+11A7 to different letters; the result is not canonically
            // equivalent.
            let composed = text.precomposedStringWithCanonicalMapping
            let decomposed = text.decomposedStringWithCanonicalMapping.unicodeScalars
            if composed.decomposedStringWithCanonicalMapping.unicodeScalars.elementsEqual(decomposed) {
                #expect(self.terms(of: composed) == terms, comment)
            }
        }
    }

    @Test func `Letters next to the range of Korean final consonants are not composed`() {
        for letter in ["\u{11a7}", "\u{11c3}"] {
            let terms = terms(of: "\u{1100}\u{1161}" + letter)
            #expect(terms == self.terms(of: "\u{ac00}" + letter))
            #expect(terms != self.terms(of: "\u{ac00}") && terms != self.terms(of: "\u{ac1c}"))
        }
    }

    @Test func `Terms are counted in the order of their bytes`() {
        var terms = SimpleAnalyzer.Terms()
        SimpleAnalyzer.append("rain fog rain", to: &terms)
        SimpleAnalyzer.append("fog sea Fog é", to: &terms)
        #expect(terms.count == 7)
        let counted = terms.counted
        #expect(counted.map { String(decoding: $0.term, as: UTF8.self) } == ["e", "fog", "rain", "sea"])
        #expect(counted.map(\.count) == [1, 3, 2, 1])
        #expect(SimpleAnalyzer.Terms().counted.isEmpty)
    }

    private func terms(of text: String) -> [String] {
        var terms = SimpleAnalyzer.Terms()
        SimpleAnalyzer.append(text, to: &terms)
        return (0..<terms.count).map { String(decoding: terms[$0], as: UTF8.self) }
    }
}
