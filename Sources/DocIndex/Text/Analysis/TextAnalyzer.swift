/// How the texts at a field become the words under which they are found: declared with the field, in the schema.
///
/// ```swift
/// .text("text", on: .field("title", weight: 3), .field("caption", analyzer: .language(.german)), .field("shelf", analyzer: .keyword))
/// ```
///
/// What is searched for goes the same way as what is stored, field by field, so both meet. A changed analyzer is another
/// index: applying the schema builds it while the old one answers. Synonyms are looked up when something is searched for, so
/// changing them builds nothing.
public struct TextAnalyzer: Sendable, Hashable {
    /// How a text is taken apart.
    public enum Tokenizer: String, Sendable, Hashable, CaseIterable {
        /// A word is a run of letters, digits and the marks that belong to them: `don't` is two words. Each ideograph,
        /// kana, Thai character and emoji is a word of its own.
        case simple
        /// Words as Unicode's rules of word boundaries (UAX #29) part them: `don't` and `3.14` are one word.
        case words
        /// The whole value is one word: for shelf marks, file names, codes.
        case keyword
        /// Every few characters in a row: what stands anywhere in the value is found, within words too.
        case ngrams
    }

    /// What becomes of accents.
    public enum Accents: String, Sendable, Hashable, CaseIterable {
        /// `é` and `e` are one.
        case fold
        /// `é` and `e` are different letters.
        case keep
        /// Who looks for `e` finds `é` as well; who looks for `é` finds nothing else.
        case oneWay = "one-way"
    }

    /// Words that are not indexed, and passed over where they are looked for.
    public enum StopWords: Sendable, Hashable {
        /// None.
        case none
        /// Those of the language; see ``TextLanguage/stopWords``.
        case ofLanguage
        /// These, compared as the index compares words.
        case words([String])
    }

    /// How a text is taken apart.
    public var tokenizer: Tokenizer
    /// The language by whose stems words are found, in any of their forms; `nil` for as they are written. Words in quotes,
    /// prefixes and words with slips are compared as they are written all the same.
    public var language: TextLanguage?
    /// Whether upper and lower case are one.
    public var foldsCase = true
    /// What becomes of accents.
    public var accents = Accents.fold
    /// Whether neighbours among ideographs, kana and Hangul are indexed as pairs: texts in Chinese and Japanese are found
    /// faster, and the index grows.
    public var pairsIdeographs = false
    /// How many characters in a row ``Tokenizer/ngrams`` takes, 2 to 8.
    public var gramLength = 3
    /// Words that are not indexed.
    public var stopWords = StopWords.none
    /// Words and phrases, those of each group with the same meaning: who looks for one finds the others as well, unless
    /// it stands in quotes.
    public var synonyms: [[String]] = []

    /// An analyzer with the defaults of everything but these.
    public init(_ tokenizer: Tokenizer = .simple, language: TextLanguage? = nil) {
        self.tokenizer = tokenizer
        self.language = language
    }

    /// Runs of letters and digits; case, accents and width are folded. The default.
    public static let simple = TextAnalyzer(.simple)
    /// Words by UAX #29; case, accents and width are folded.
    public static let words = TextAnalyzer(.words)
    /// The whole value as one word; case, accents and width are folded.
    public static let keyword = TextAnalyzer(.keyword)
    /// Three characters in a row; case, accents and width are folded.
    public static let ngrams = TextAnalyzer(.ngrams)
    /// Words by UAX #29 with neighbouring ideographs as pairs: for Chinese and Japanese.
    public static let cjk: TextAnalyzer = {
        var analyzer = TextAnalyzer(.words)
        analyzer.pairsIdeographs = true
        return analyzer
    }()

    /// Words by UAX #29, found in all their forms by the stems of a language.
    public static func language(_ language: TextLanguage) -> TextAnalyzer { TextAnalyzer(.words, language: language) }
}

extension TextAnalyzer {
    /// Whether words are what ``Analyzer`` makes of a text.
    var isPlain: Bool {
        var plain = self
        plain.synonyms = []
        return plain == .simple
    }

    /// Whether texts are taken apart into words.
    var hasWords: Bool { tokenizer == .simple || tokenizer == .words }

    /// The analyzer as far as it decides what is stored.
    var withoutSynonyms: TextAnalyzer {
        var analyzer = self
        analyzer.synonyms = []
        return analyzer
    }

    /// The names and versions of the rules that decide what is stored, apart from folding.
    var versions: [String] {
        var versions: [String] = []
        switch tokenizer {
        case .simple: break
        case .words: versions.append(WordBreakClass.version)
        case .keyword: versions.append("keyword-1")
        case .ngrams: versions.append("ngrams-1")
        }
        if pairsIdeographs { versions.append("pairs-1") }
        if accents == .oneWay { versions.append("one-way-1") }
        if !isPlain, accents != .keep { versions.append("points-1") }
        if let language {
            versions.append(language.stemmingVersion)
            if !language.elisions.isEmpty { versions.append("elision-\(language.rawValue)-1") }
            if stopWords == .ofLanguage { versions.append("stop-words-\(language.rawValue)-1") }
        }
        return versions
    }

    /// What is wrong with it, each with the member of the JSON form that is to blame.
    var faults: [(member: String, message: String)] {
        var faults: [(String, String)] = []
        if !hasWords {
            if language != nil { faults.append(("language", "needs words; use the tokenizer words or simple")) }
            if pairsIdeographs { faults.append(("cjk", "needs words; use the tokenizer words or simple")) }
            if stopWords != .none { faults.append(("stopWords", "needs words; use the tokenizer words or simple")) }
        }
        if tokenizer == .ngrams {
            if !(2...8).contains(gramLength) { faults.append(("length", "is \(gramLength); it must be from 2 to 8")) }
            if accents == .oneWay { faults.append(("accents", "cannot be one-way with ngrams; use fold or keep")) }
            if !synonyms.isEmpty { faults.append(("synonyms", "have no meaning with ngrams; leave them out")) }
        } else if gramLength != 3 {
            faults.append(("length", "belongs to the tokenizer ngrams; leave it out"))
        }
        if case .ofLanguage = stopWords {
            if let language {
                if language.stopWords.isEmpty {
                    faults.append(("stopWords", "are not known of \(language.rawValue); list the words"))
                }
            } else {
                faults.append(("stopWords", "can only be true with a language; list the words"))
            }
        }
        if case .words(let words) = stopWords, words.isEmpty || words.contains("") {
            faults.append(("stopWords", "is empty or has an empty word; list words or leave it out"))
        }
        if synonyms.contains(where: { $0.count < 2 || $0.contains("") }) {
            faults.append(
                ("synonyms", "has a group with fewer than two words, or an empty word; give each two or more"))
        }
        return faults
    }
}
