import TestSupport
import Testing

@testable import TextIndexing

/// The terms that analyzers produce from strings. Part of the store format; see ``AnalyzerTests`` for the default.
@Suite struct AnalysisChainTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let analyzer: TextAnalyzer
        let text: String
        /// Each with its position if that is not the one after the previous term.
        let terms: String

        init(_ analyzer: TextAnalyzer, _ text: String, _ terms: String) {
            self.analyzer = analyzer
            self.text = text
            self.terms = terms
        }

        var testDescription: String { "\(analyzer.jsonValue.json) \(text.debugDescription)" }
    }

    private static func with(_ analyzer: TextAnalyzer, _ change: (inout TextAnalyzer) -> Void) -> TextAnalyzer {
        var analyzer = analyzer
        change(&analyzer)
        return analyzer
    }

    private static let keeping = with(.words) { $0.accents = .keep }
    private static let oneWay = with(.words) { $0.accents = .oneWay }
    private static let withCase = with(.keyword) { $0.foldsCase = false }
    private static let withoutArticles = with(.words) { $0.stopWords = .words(["the", "À"]) }
    private static let english = with(.language(.english)) { $0.stopWords = .ofLanguage }

    // A number is a position; ~ precedes a stem.
    static let examples: [Example] = [
        .init(.words, "Don't stop, it's 3.14 or 1,000!", "0 don't 1 stop 2 it's 3 3.14 4 or 5 1,000"),
        .init(.words, "Don\u{2019}t IMG_a.JPG a:b", "0 don't 1 img_a.jpg 2 a:b"),
        .init(.words, "Éclair naïve", "0 eclair 1 naive"), .init(.words, "", ""), .init(.words, "!? -- …", ""),
        .init(.words, "東京タワー 2020", "0 東 1 京 2 タワー 3 2020"),
        .init(.words, "🌫 fog 🇩🇪 👍🏽", "0 🌫 1 fog 2 🇩🇪 3 👍"),
        .init(.words, "\u{2764}\u{fe0f}NY", "0 \u{2764} 1 ny"),
        .init(.keyword, "  AB-12  Ö ", "0 ab-12_o"), .init(.keyword, "", ""), .init(.keyword, "+++", "0 +++"),
        .init(withCase, "AB-12 Ö", "0 AB-12_O"),
        .init(keeping, "Éclair É", "0 éclair 1 é"), .init(oneWay, "Éclair au E", "0 éclair 0 eclair 1 au 2 e"),
        .init(.ngrams, "Fogé", "0 fog 1 oge 2 ge 3 e"), .init(.ngrams, "a  b", "0 a_b 1 _b 2 b"),
        .init(.ngrams, "x", "0 x"), .init(with(.ngrams) { $0.gramLength = 2 }, "東京都", "0 東京 1 京都 2 都"),
        .init(.cjk, "東京タワーat東 京", "0 東京 1 京タ 2 タワ 3 ワー 4 ー 5 at 6 東 7 京"),
        .init(with(.simple) { $0.pairsIdeographs = true }, "中文abc文", "0 中文 1 文 2 abc 3 文"),
        .init(withoutArticles, "The fog à the sea", "1 fog 4 sea"),
        .init(english, "The bridges of Paris's parks", "1 bridges 1 ~bridg 3 paris's 3 ~pari 4 parks 4 ~park"),
        .init(.language(.french), "L'arbre d\u{2019}été", "0 arbre 0 ~arbre 1 ete 1 ~ete"),
        .init(.language(.german), "Häuser", "0 hauser 0 ~haus"),
        .init(.language(.swedish), "flickorna", "0 flickorna 0 ~flick"),
    ]

    @Test(arguments: examples) func `An analysis chain produces these terms at these positions`(example: Example) {
        var terms: [String] = []
        _ = AnalysisChain(example.analyzer).forEachTerm(of: example.text) { term, position in
            var text = ""
            for index in term.indices { text.unicodeScalars.append(Unicode.Scalar(term[index])) }
            let bytes = Array(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
            let isStem = bytes.first == AnalysisChain.stemMark
            let word = String(decoding: isStem ? bytes[1...] : bytes[...], as: UTF8.self)
            terms.append(
                "\(position) \(isStem ? "~" : "")\(word.map { $0 == " " ? "_" : $0 }.reduce("") { "\($0)\($1)" })")
        }
        #expect(terms.joined(separator: " ") == example.terms)
    }

    /// Returns whether a string is found by a search input: its terms contain every token at its position.
    private func isFound(_ text: String, _ typed: String, _ analyzer: TextAnalyzer, isExact: Bool = false) -> Bool {
        let chain = AnalysisChain(analyzer)
        var places: [UInt32: [[UInt8]]] = [:]
        _ = chain.forEachTerm(of: text) { term, position in
            var bytes: [UInt8] = []
            for index in term.indices { bytes.append(term[index]) }
            places[position, default: []].append(bytes)
        }
        let tokens = chain.tokens(of: typed, isExact: isExact)
        guard let first = tokens.first else { return false }
        return places.keys.contains { start in
            tokens.allSatisfy { token in
                places[start + token.position - first.position]?.contains {
                    switch token.form {
                    case .term(let term): $0 == term
                    case .prefix(let prefix): $0.starts(with: prefix)
                    }
                } ?? false
            }
        }
    }

    @Test func `A typed accent must match, and a missing one need not`() {
        #expect(isFound("un éclair", "eclair", Self.oneWay) && isFound("un éclair", "éclair", Self.oneWay))
        #expect(isFound("un eclair", "eclair", Self.oneWay) && !isFound("un eclair", "éclair", Self.oneWay))
        #expect(!isFound("un éclair", "eclair", Self.keeping) && isFound("un éclair", "éclair", .words))
    }

    @Test func `A word is found by its inflected forms, and in quotes only as written`() {
        let found: [(TextAnalyzer.Language, String, String)] = [
            (.english, "two bridges", "bridge"), (.german, "alte Häuser", "Haus"), (.german, "alte Häuser", "hauser"),
            (.french, "les châteaux", "château"), (.french, "préférée", "preferee"), (.swedish, "flickorna", "flicka"),
            (.russian, "старые мосты", "мост"), (.greek, "παλιές γέφυρες", "γέφυρα"),
            (.spanish, "canciones", "canción"),
            (.italian, "l'albero", "albero"), (.finnish, "taloissa", "talo"), (.turkish, "kitaplar", "kitap"),
        ]
        for (language, text, typed) in found {
            #expect(isFound(text, typed, .language(language)), "\(language): \(text), \(typed)")
        }
        #expect(!isFound("two bridges", "bridge", .language(.english), isExact: true))
        #expect(isFound("two bridges", "BRIDGES", .language(.english), isExact: true))
    }

    @Test func `Any substring of a string is found with bigrams and n-grams`() {
        var random = TestRun.random(stream: 91)
        let letters = Array("東京都タワー中文字日本語ab ")
        var grams = TextAnalyzer.ngrams
        for _ in 0..<TestRun.rounds(300, long: 30_000) {
            let text = String((0..<random.number(below: 14)).map { _ in random.pick(letters) })
            let words = text.split(separator: " ").joined(separator: " ")
            if words.isEmpty { continue }
            let start = random.number(below: words.count)
            let part = String(words.dropFirst(start).prefix(1 + random.number(below: 5)))
            grams.gramLength = 2 + random.number(below: 4)
            let typed = part.split(separator: " ").joined(separator: " ")
            if typed.isEmpty || typed.count < part.count { continue }
            #expect(isFound(text, typed, grams), "\(text), \(typed), \(TestRun.repetition)")
            // For bigrams, the input must consist of ideographs only: adjacent letters form a separate word.
            if !typed.contains(where: { $0.isASCII }) {
                #expect(isFound(text, typed, .cjk), "\(text), \(typed), \(TestRun.repetition)")
            }
        }
    }

    @Test(arguments: ["\u{3099}", "\u{3099}\u{33c}\u{350}", "x \u{309a}か", "か\u{3099}き"])
    func `A kana mark alone is found, with or without a letter before it`(text: String) {
        #expect(isFound(text, text, .cjk) && isFound(text, text, .cjk, isExact: true))
    }

    @Test func `An analyzer uses all its synonyms and stop words, however many there are`() {
        // More than are cached, and some again.
        for number in (0..<50).map({ $0 }) + [3, 0, 49] {
            var analyzer = TextAnalyzer.words
            analyzer.stopWords = .words(["stop\(number)"])
            analyzer.synonyms = [["pier\(number)", "jetty"]]
            #expect(!isFound("a stop\(number)", "stop\(number)", analyzer))
            #expect(isFound("a stop\(number + 1)", "stop\(number + 1)", analyzer))
            let chain = AnalysisChain(analyzer)
            #expect(chain.synonyms(of: chain.tokens(of: "PIER\(number)", isExact: false)) == [[Array("jetty".utf8)]])
            #expect(chain.synonyms(of: chain.tokens(of: "pier\(number + 1)", isExact: false)).isEmpty)
        }
    }

    @Test func `Random strings are analyzed without a trap, and stored strings are found by themselves`() {
        var random = TestRun.random(stream: 92)
        var analyzers: [TextAnalyzer] = [.words, .keyword, .ngrams, .cjk, Self.keeping, Self.oneWay, Self.english]
        analyzers += TextAnalyzer.Language.allCases.map { .language($0) }
        let ranges: [ClosedRange<UInt32>] = [
            0...0x7f, 0x20...0x24f, 0x300...0x36f, 0x370...0x6ff, 0x900...0xe7f, 0x1100...0x11ff, 0x2000...0x20ff,
            0x3000...0x30ff, 0x4e00...0x4eff, 0xfe00...0xffef, 0x1f1e6...0x1f6ff, 0...0x10ffff,
        ]
        for _ in 0..<TestRun.rounds(1200, long: 100_000) {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<random.number(below: 10) {
                if let scalar = Unicode.Scalar(UInt32.random(in: random.pick(ranges), using: &random)) {
                    scalars.append(scalar)
                }
            }
            let (text, analyzer) = (String(scalars), random.pick(analyzers))
            let comment: Comment =
                "\(analyzer.jsonValue.json), \(text.unicodeScalars.map(\.value)), \(TestRun.repetition)"
            var last: UInt32 = 0
            var count = 0
            let sum = AnalysisChain(analyzer).forEachTerm(of: text) { term, position in
                #expect(!term.isEmpty && position >= last, comment)
                last = position
                count += 1
            }
            #expect(sum.words <= count && last <= sum.positions, comment)
            let hasTokens = !AnalysisChain(analyzer).tokens(of: text, isExact: false).isEmpty
            #expect(hasTokens == (count > 0), comment)
            if hasTokens {
                #expect(isFound(text, text, analyzer) && isFound(text, text, analyzer, isExact: true), comment)
            }
        }
    }

    @Test func `ASCII strings have the same terms when a character beyond ASCII follows`() {
        var random = TestRun.random(stream: 96)
        let pieces = ["a", "B", "1", "23", "'", ".", ":", ",", ";", "_", " ", "-", "\"", "\n", "don", "t", "\0", "the"]
        for _ in 0..<TestRun.rounds(2000, long: 200_000) {
            let text = (0..<random.number(below: 14)).map { _ in random.pick(pieces) }.joined()
            for analyzer in [TextAnalyzer.words, Self.english] {
                func terms(_ text: String) -> [String] {
                    var terms: [String] = []
                    _ = AnalysisChain(analyzer).forEachTerm(of: text) { term, position in
                        terms.append("\(position)" + term.indices.map { " \(term[$0])" }.joined())
                    }
                    return terms
                }
                let plain = terms(text)
                #expect(terms(text + " \u{2014}") == plain, "\(text.debugDescription), \(TestRun.repetition)")
            }
        }
    }

    @Test func `Every declarable language is available, and has a distinct version`() {
        for language in TextAnalyzer.Language.allCases { #expect(language.isAvailable, "\(language)") }
        let versions = TextAnalyzer.Language.allCases.map { StemmerIdentity.current($0) }
        #expect(Set(versions.map(\.behaviour)).count == versions.count)
        #expect(versions == TextAnalyzer.Language.allCases.map { StemmerIdentity.current($0) })
        for version in versions {
            #expect(StemmerIdentity(text: version.text) == version)
            #expect(!version.build.isEmpty && version.isOfThisBuild && version.agreesWithThisProcess)
        }
    }
}
