/// Determines how the strings of a field become searchable words. Declared with the field in the schema.
///
/// ```swift
/// .text("text", on: .field("title", weight: 3), .field("caption", analyzer: .language(.german)), .field("shelf",
/// analyzer: .keyword))
/// ```
///
/// Searched words are analyzed like the stored strings, field by field, so that they match. A changed analyzer requires
/// a new index: applying the schema builds it while the old one remains in use. Synonyms are applied to searches, so
/// changing them rebuilds nothing.
public struct TextAnalyzer: Sendable, Hashable {
    /// How a string is split into words.
    public enum Tokenizer: String, Sendable, Hashable, CaseIterable {
        /// A word is a run of letters, digits and combining marks: `don't` is two words. Each ideograph, kana, Thai
        /// character and emoji is a separate word.
        case simple
        /// Words as segmented by Unicode's word boundary rules (UAX #29): `don't` and `3.14` are single words.
        case words
        /// The whole value is one word: for shelf marks, file names, codes.
        case keyword
        /// All sequences of a few characters: any part of the value can be found, even within words.
        case ngrams
    }

    /// How accents are handled.
    public enum Accents: String, Sendable, Hashable, CaseIterable {
        /// `é` and `e` are equivalent.
        case fold
        /// `é` and `e` are different letters.
        case keep
        /// A search for `e` also finds `é`; a search for `é` finds only `é`.
        case oneWay = "one-way"
    }

    /// Words that are not indexed, and ignored in searches.
    public enum StopWords: Sendable, Hashable {
        /// No stop words.
        case none
        /// The stop words of the language; see ``TextAnalyzer/Language/stopWords``.
        case ofLanguage
        /// These words, compared as the index compares words.
        case words([String])
    }

    /// How a string is split into words.
    public var tokenizer: Tokenizer
    /// The language whose stemmer finds words in any of their forms; `nil` to find words only as written. Quoted words,
    /// prefixes and fuzzy words are always compared as written.
    public var language: Language?
    /// Whether upper and lower case are equivalent.
    public var foldsCase = true
    /// How accents are handled.
    public var accents = Accents.fold
    /// Whether adjacent ideographs, kana and Hangul are indexed as pairs. Searches in Chinese and Japanese become
    /// faster, and the index larger.
    public var pairsIdeographs = false
    /// The number of characters in each sequence of ``Tokenizer/ngrams``, 2 to 8.
    public var gramLength = 3
    /// Words that are not indexed.
    public var stopWords = StopWords.none
    /// Groups of words and phrases with the same meaning. A search for one also finds the others, unless it is quoted.
    public var synonyms: [[String]] = []

    /// Creates an analyzer with defaults for all other settings.
    public init(_ tokenizer: Tokenizer = .simple, language: Language? = nil) {
        self.tokenizer = tokenizer
        self.language = language
    }

    /// Runs of letters and digits; case, accents and width are folded. The default.
    public static let simple = TextAnalyzer(.simple)
    /// Words split by UAX #29; case, accents and width are folded.
    public static let words = TextAnalyzer(.words)
    /// The whole value as one word; case, accents and width are folded.
    public static let keyword = TextAnalyzer(.keyword)
    /// Three characters in a row; case, accents and width are folded.
    public static let ngrams = TextAnalyzer(.ngrams)
    /// Words split by UAX #29, with adjacent ideographs in pairs; for Chinese and Japanese.
    public static let cjk: TextAnalyzer = {
        var analyzer = TextAnalyzer(.words)
        analyzer.pairsIdeographs = true
        return analyzer
    }()

    /// Returns an analyzer that splits strings into words by UAX #29 and stems them for a language, so that a search for
    /// one form of a word finds its other forms.
    public static func language(_ language: Language) -> TextAnalyzer { TextAnalyzer(.words, language: language) }
}

extension TextAnalyzer {
    /// Whether ``SimpleAnalyzer`` implements this analyzer.
    var isPlain: Bool {
        var plain = self
        plain.synonyms = []
        return plain == .simple
    }

    /// Whether strings are split into words.
    package var hasWords: Bool { tokenizer == .simple || tokenizer == .words }

    /// The analyzer without synonyms: the part that affects what is stored.
    package var withoutSynonyms: TextAnalyzer {
        var analyzer = self
        analyzer.synonyms = []
        return analyzer
    }

    /// The names and versions of the rules that affect what is stored, except folding.
    package var versions: [String] {
        var versions: [String] = []
        switch tokenizer {
        case .simple: break
        case .words: versions.append(WordBreakClass.version)
        case .keyword: versions.append("keyword-1")
        case .ngrams: versions.append("ngrams-1")
        }
        if pairsIdeographs { versions.append("pairs-1") }
        if accents == .oneWay { versions.append("one-way-1") }
        if let language {
            versions.append(language.stemmingVersion)
            if !language.elisions.isEmpty { versions.append("elision-\(language.rawValue)-1") }
            if stopWords == .ofLanguage { versions.append("stop-words-\(language.rawValue)-1") }
        }
        return versions
    }

    /// The errors in the analyzer, each with the affected member of its JSON form.
    package var faults: [(member: String, message: String)] {
        var faults: [(String, String)] = []
        if !hasWords {
            if language != nil { faults.append(("language", "requires a word tokenizer; use words or simple")) }
            if pairsIdeographs { faults.append(("cjk", "requires a word tokenizer; use words or simple")) }
            if stopWords != .none { faults.append(("stopWords", "requires a word tokenizer; use words or simple")) }
        }
        if tokenizer == .ngrams {
            if !(2...8).contains(gramLength) { faults.append(("length", "is \(gramLength); it must be from 2 to 8")) }
            if accents == .oneWay { faults.append(("accents", "cannot be one-way with ngrams; use fold or keep")) }
            if !synonyms.isEmpty { faults.append(("synonyms", "have no effect with ngrams; remove them")) }
        } else if gramLength != 3 {
            faults.append(("length", "applies only to the tokenizer ngrams; remove it"))
        }
        if case .ofLanguage = stopWords {
            if let language {
                if language.stopWords.isEmpty {
                    faults.append(("stopWords", "are not available for \(language.rawValue); list the words"))
                }
            } else {
                faults.append(("stopWords", "can only be true with a language; list the words"))
            }
        }
        if case .words(let words) = stopWords, words.isEmpty || words.contains("") {
            faults.append(("stopWords", "is empty or has an empty word; list words or remove it"))
        }
        if synonyms.contains(where: { $0.count < 2 || $0.contains("") }) {
            faults.append(
                ("synonyms", "has a group with fewer than two words, or an empty word; give each two or more"))
        }
        return faults
    }
}
