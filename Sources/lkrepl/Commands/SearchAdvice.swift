import DocIndex

/// Notes about a search on standard error.
struct SearchAdvice {
    let text: String
    let query: TextQuery
    let filter: Filter
    let collection: DocumentCollection
    let options: GlobalOptions

    private var isBox: Bool { if case .searchBox = query { true } else { false } }

    /// Names the operators that were not applied as typed.
    func noteOperators() {
        for note in Self.notes(on: query, text: text, box: "--box") { options.note("note: \(note)") }
    }

    /// What a search does not apply as typed.
    ///
    /// - Parameter box: what makes it a search that reads operators of search engines.
    private static func notes(on query: TextQuery, text: String, box: String) -> [String] {
        if case .searchBox(let box) = query { return box.notes.map(\.description) }
        // Other programs make such quotation marks of plain ones.
        let quotes = text.matches(of: /[“„][^”“"]+[”“]|«[^»"]+»/).map { quote in
            "\(quote.output): read as words; a phrase has plain quotation marks, and \(box) reads both"
        }
        let words = foreignOperators(in: text)
        if words.isEmpty { return quotes }
        let meaning = words.count == 1 ? "read as an ordinary word" : "read as ordinary words"
        return quotes + ["\(words.joined(separator: ", ")): \(meaning); \(box) reads operators of search engines"]
    }

    /// What the searches of a condition do not apply as typed.
    static func notes(on filter: Filter) -> [String] {
        switch filter {
        case .search(let search): notes(on: search.query, text: search.text, box: "SEARCH BOX")
        case .and(let parts), .or(let parts): parts.content.flatMap { notes(on: $0) }
        case .not(let part): notes(on: part.content)
        default: []
        }
    }

    /// Tells if the stems of rare words may differ from those in the index.
    func noteStemmer() throws {
        guard !options.quiet, let index = try collection.textIndexOfOtherStemmerBuild else { return }
        options.note(
            "note: the text index \(index) was built with another build of the stemmer library, which agrees with this one "
                + "on common words; a rare word may be missed until lkrepl index rebuild --write STORE "
                + "\(ShellWord.quoted(collection.name)) \(ShellWord.quoted(index))")
    }

    /// Returns the words outside of quotes that are operators of search engines and not of a strict search.
    static func foreignOperators(in text: String) -> [String] {
        var found: [String] = []
        // Every second part is in quotes.
        for (number, part) in text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        where number % 2 == 0 {
            // Ranges of Lucene and lists of columns of FTS5 have spaces.
            let hasBrackets = part.contains("[") || part.contains("{")
            let ranges =
                !hasBrackets
                ? [] : part.matches(of: /[^\s\[\]{}]*[\[{][^\s\[\]{}]+ TO [^\s\[\]{}]+[\]}]|\{[^{}]*\}\s*:/)
            found += ranges.map { String($0.output) }
            for word in part.split(whereSeparator: \.isWhitespace) where isForeignOperator(word) {
                found.append(String(word))
            }
        }
        return found
    }

    private static func isForeignOperator(_ word: Substring) -> Bool {
        if ["NEAR", "*"].contains(word) || word.contains("||") || word.contains("&&") { return true }
        if ["NEAR(", "NEAR/", "AROUND("].contains(where: word.hasPrefix) { return true }
        if word.wholeMatch(of: /\/.+\//) != nil { return true }
        if word.first == "!" || word.first == "^", word.dropFirst().first?.isLetter ?? false { return true }
        // At most two letters may differ.
        if let sign = word.lastIndex(of: "~"), let number = Double(word[word.index(after: sign)...]) {
            return sign > word.startIndex && ![0, 1, 2].contains(number)
        }
        // A wildcard anywhere but at the end, where * is an operator and ? is punctuation.
        let inner = word.dropLast()
        if inner.contains("*") || word.hasSuffix(":*") { return true }
        guard let sign = inner.firstIndex(of: "?") else { return false }
        return inner[inner.index(after: sign)...].contains(where: \.isLetter) || word.last?.isLetter ?? false
    }

    /// Suggests similar words and less strict searches for a search that found nothing.
    func adviseAfterNothing() throws {
        if options.quiet { return }
        var advice: [String] = []
        if text.contains(where: "=<>".contains), (try? Filter(parsing: text)) != nil {
            advice.append("this reads like a condition, which find takes; search looks for words")
        }
        if filter != .all, try collection.count(matching: query, upTo: 1).count > 0 {
            advice.append("without the condition, the words are found")
        }
        var words: [String] = []
        for correction in try collection.corrections(of: text, limit: 1) {
            guard let best = correction.suggestions.first else { continue }
            let documents = HumanNumber.counted(best.documentCount, "document")
            let word = "\(best.written) (\(documents)) instead of \(correction.word)"
            if !words.contains(word) { words.append(word) }
        }
        if !words.isEmpty { advice.append("did you mean \(words.joined(separator: ", "))?") }
        let box = collection.searchBox(text)
        if !isBox, advice.isEmpty || box.parts.count > 1 {
            let count = try collection.count(matching: .searchBox(box), where: filter)
            if count > 0 {
                let documents = HumanNumber.counted(count, "document has", "documents have")
                advice.append("\(documents) some of the words; --box finds them")
            }
        }
        for line in advice { options.note("search: \(line)") }
    }
}
