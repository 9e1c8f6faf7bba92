/// Splits compound words into words of a vocabulary: `Fahrradweg` into `Fahrrad` and `Weg`.
///
/// This is dictionary-based decompounding (C. Monz and M. de Rijke, "Shallow morphological analysis in monolingual
/// information retrieval for Dutch, German, and Italian", 2001), with the words of the index as the dictionary. Words
/// are in the form in which the index stores them.
struct CompoundWords {
    let language: TextAnalyzer.Language
    /// Returns whether the vocabulary has a word.
    let isWord: (String) -> Bool

    /// The maximum number of words before or after the searched one.
    private static let partLimit = 4
    /// The minimum number of letters of a word in a compound. Shorter ones occur in most words by chance.
    static let minimumLength = 3

    /// Words that are parts of no compound, but the ends of many words.
    private static let articles: Set<String> = Set(
        [TextAnalyzer.Language.german, .dutch, .swedish, .danish, .norwegian].flatMap(\.stopWords))

    /// Whether words of a language are written together.
    static func isUsed(in language: TextAnalyzer.Language?) -> Bool { language.map { !links(of: $0).isEmpty } ?? false }

    /// The letters that join the words of a compound.
    private static func links(of language: TextAnalyzer.Language) -> [String] {
        switch language {
        case .german: ["", "s", "es", "n", "en", "e", "er"]
        case .dutch: ["", "s", "en", "e", "n"]
        case .swedish: ["", "s", "e", "o"]
        case .danish, .norwegian: ["", "s", "e"]
        default: []
        }
    }

    /// The endings that words lose in compounds: `fahren` in `Fahrrad`, `Kirche` in `Kirchturm`.
    private static func lostEndings(of language: TextAnalyzer.Language) -> [String] {
        switch language {
        case .german, .dutch: ["en", "e"]
        case .swedish: ["a"]
        case .danish, .norwegian: ["e"]
        default: []
        }
    }

    /// Returns whether `compound` consists of `word` and other words, before it, after it, or both.
    ///
    /// - Complexity: O(*n*²) look-ups in the length of the compound.
    func isCompound(_ compound: String, of word: String) -> Bool {
        let letters = Array(compound.unicodeScalars)
        let part = Array(word.unicodeScalars)
        guard part.count >= Self.minimumLength, letters.count >= part.count + Self.minimumLength else { return false }
        for start in 0...(letters.count - part.count) where letters[start..<start + part.count].elementsEqual(part) {
            let end = start + part.count
            if areWords(letters[..<start], isBefore: true, Self.partLimit),
                areWords(letters[end...], isBefore: false, Self.partLimit)
            {
                return true
            }
        }
        return false
    }

    /// Returns whether letters before or after a word are other words with the letters that join them.
    private func areWords(_ letters: ArraySlice<Unicode.Scalar>, isBefore: Bool, _ limit: Int) -> Bool {
        if letters.isEmpty { return true }
        guard limit > 0, letters.count >= Self.minimumLength else { return false }
        for link in Self.links(of: language) {
            let link = Array(link.unicodeScalars)
            guard isBefore ? letters.reversed().starts(with: link.reversed()) : letters.starts(with: link) else {
                continue
            }
            let rest = isBefore ? letters.dropLast(link.count) : letters.dropFirst(link.count)
            guard rest.count >= Self.minimumLength else { continue }
            for length in Self.minimumLength...rest.count {
                let inner = isBefore ? rest.suffix(length) : rest.prefix(length)
                guard isKnown(inner, isStem: isBefore) else { continue }
                if areWords(isBefore ? rest.dropLast(length) : rest.dropFirst(length), isBefore: isBefore, limit - 1) {
                    return true
                }
            }
        }
        return false
    }

    private func isKnown(_ letters: ArraySlice<Unicode.Scalar>, isStem: Bool) -> Bool {
        let word = String(String.UnicodeScalarView(letters))
        if Self.articles.contains(word) { return false }
        if isWord(word) { return true }
        // Three letters are the beginning of many words.
        return isStem && letters.count > Self.minimumLength
            && Self.lostEndings(of: language).contains { isWord(word + $0) }
    }
}
