/// Words of the text index: completions and corrections.
extension DocumentCollection {
    /// A word in the text index.
    public struct IndexedWord: Sendable, Hashable {
        /// The word as stored in the index: without case and accents.
        public let word: String
        /// The word as documents write it, such as `München` for `munchen`: the most frequent form in a few of them.
        public let written: String
        /// The number of documents that contain it.
        public let documentCount: Int
    }

    /// A searched word that no document contains, or hardly any, with similar words.
    public struct Correction: Sendable, Hashable {
        /// The word as typed.
        public let word: String
        /// The number of documents that contain it.
        public let documentCount: Int
        /// Similar words, the closest first, then those in the most documents.
        public let suggestions: [IndexedWord]
    }

    /// The maximum number of words that `corrections(of:)` examines.
    private static let correctedWordLimit = 8

    // MARK: - Completions

    /// Returns the words with this prefix, for completion during typing: those in the most documents that also contain
    /// the words before the prefix, then those in the most documents.
    ///
    /// For example, the completions of `golden ret` begin with "retriever" if the documents about golden things mention
    /// it, even if more documents contain "retail".
    ///
    /// - Parameters:
    ///   - beginning: the input; its last word is completed.
    ///   - limit: the maximum number of words.
    /// - Throws: ``DocIndexError``: `unknownIndex`, `corruption`.
    /// - Complexity: reads every word with the prefix, and a few documents for each returned word; with words before the
    ///   prefix, also the postings of the most frequent words.
    public func completions(of beginning: String, limit: Int = 10) throws -> [IndexedWord] {
        let rows = try reader()
        let search = try textSearch(in: rows)
        guard let prefix = Self.lastTerm(of: beginning, search.index) else { return [] }
        var words = try search.terms(from: prefix).map { (word: $0.word, count: $0.documentCount, joint: 0) }
        words.sort { $0.count != $1.count ? $0.count > $1.count : $0.word < $1.word }
        // A word that was typed before is not what is being typed.
        let typed = SearchBox(beginning).words.dropLast().compactMap { Self.lastTerm(of: $0, search.index) }
        words.removeAll { word in typed.contains { word.word.utf8.elementsEqual($0) } }
        let slots = try search.slots(besides: beginning)
        if !slots.isEmpty {
            for index in words.indices.prefix(TextSearch.jointWordLimit) {
                words[index].joint = try search.jointCount(of: Array(words[index].word.utf8), slots)
            }
            words.sort { $0.joint != $1.joint ? $0.joint > $1.joint : ($1.count, $0.word) < ($0.count, $1.word) }
        }
        return try words.prefix(max(0, limit)).map { try Self.indexed($0.word, $0.count, search, rows) }
    }

    // MARK: - Corrections

    /// Returns corrections for a misspelled word: the closest words first, then those in the most documents. Empty if
    /// the word itself is in the index, unless only a few documents contain it and a similar word is far more frequent.
    ///
    /// - Throws: the errors of ``completions(of:limit:)``.
    /// - Complexity: reads every word with the same first letter, looks up the words with other first letters, and
    ///   reads a few documents for each returned word.
    public func suggestions(for word: String, limit: Int = 5) throws -> [IndexedWord] {
        let rows = try reader()
        let search = try textSearch(in: rows)
        guard let term = Self.lastTerm(of: word, search.index) else { return [] }
        return try Self.suggestions(for: term, limit: limit, search, rows)
    }

    /// Returns the words of a search that no document contains, or hardly any, with similar words: "did you mean".
    /// Words without similar ones are left out.
    ///
    /// - Parameters:
    ///   - text: the input of a user, as for ``searchBox(_:isTyping:)``. Only the first eight words are examined.
    ///   - limit: the maximum number of suggestions for each word.
    /// - Throws: the errors of ``completions(of:limit:)``.
    /// - Complexity: that of ``suggestions(for:limit:)`` for each word that is rare.
    public func corrections(of text: String, limit: Int = 5) throws -> [Correction] {
        let rows = try reader()
        let search = try textSearch(in: rows)
        var corrections: [Correction] = []
        for word in SearchBox(text).words.prefix(Self.correctedWordLimit) {
            guard let term = Self.lastTerm(of: word, search.index) else { continue }
            // Another form of the word may be frequent.
            guard try search.bound(search.resolved(.word(word))) <= TextSearch.rareWordLimit else { continue }
            let suggestions = try Self.suggestions(for: term, limit: limit, search, rows)
            if suggestions.isEmpty { continue }
            corrections.append(
                Correction(
                    word: word, documentCount: try search.documentFrequency(of: term), suggestions: suggestions))
        }
        return corrections
    }

    private static func suggestions(
        for term: [UInt8], limit: Int, _ search: TextSearch, _ rows: RowReader
    ) throws -> [IndexedWord] {
        try search.similarWords(to: term).prefix(max(0, limit)).map {
            try indexed($0.word, $0.documentCount, search, rows)
        }
    }

    // MARK: - Similar documents

    /// Returns the documents most similar to a document, best first, without the document itself. Looks for the words
    /// most characteristic of it.
    ///
    /// - Parameters:
    ///   - id: the ID of the document.
    ///   - limit: the maximum number of results.
    ///   - wordCount: the number of words to look for: words that occur often in the document and in few
    ///     others.
    /// - Returns: an empty array if the document does not exist or contains no words.
    /// - Throws: the errors of ``search(_:where:limit:)-(String,_,_)``.
    public func similar(to id: DocumentID, limit: Int = 10, wordCount: Int = 20) throws -> [Hit] {
        let rows = try reader()
        let search = try textSearch(in: rows)
        guard let row = try rows.row(of: id) else { return [] }
        let query = try search.characteristicWords(of: try rows.document(row).content, count: wordCount)
        return try search.top(query, limit: limit) { $0 != row }.map {
            Hit(document: try rows.document($0.row), score: Double($0.score) / BM25.unit)
        }
    }

    // MARK: - Forms

    /// Returns the last word of a string as a term of the first field with a word tokenizer, or of the first field if
    /// none has one.
    private static func lastTerm(of text: String, _ index: TextIndex) -> [UInt8]? {
        let analyzers = index.fields.map(\.analyzer)
        guard let analyzer = analyzers.first(where: \.hasWords) ?? analyzers.first else { return nil }
        return switch AnalysisChain(analyzer).tokens(of: text, isExact: true, keepsStopWords: true).last?.form {
        case nil: nil
        case .term(let term), .prefix(let term): term
        }
    }

    /// Returns a word of the index as documents write it.
    static func indexed(
        _ word: String, _ documentCount: Int, _ search: TextSearch, _ rows: RowReader
    ) throws -> IndexedWord {
        let term = Array(word.utf8)
        var forms = WrittenForms()
        for row in try search.rows(withTerm: term, limit: WrittenForms.documentLimit) {
            forms.add(try rows.document(row).content, term, search.index)
        }
        return IndexedWord(word: word, written: forms.best ?? word, documentCount: documentCount)
    }
}

/// The forms in which documents write a term.
private struct WrittenForms {
    /// The number of documents to look at.
    static let documentLimit = 5
    /// Longer strings are not searched for the form of a word.
    private static let byteLimit = 1 << 14

    /// The forms with their counts, by the form in lowercase.
    private var forms: [String: [String: Int]] = [:]

    mutating func add(_ document: DocumentObject, _ term: [UInt8], _ index: TextIndex) {
        for field in index.fields {
            field.path.forEachElement(in: document) { value in
                guard case .string(let text) = value, text.utf8.count <= Self.byteLimit else { return }
                for token in TextTokens(text, field.analyzer).tokens where token.terms.contains(term) {
                    let form = String(text[token.range])
                    forms[form.lowercased(), default: [:]][form, default: 0] += 1
                }
            }
        }
    }

    /// The most frequent form. A capital is left out if the word also occurs without one: it begins a sentence then.
    var best: String? {
        let most = forms.max { ($0.value.values.reduce(0, +), $1.key) < ($1.value.values.reduce(0, +), $0.key) }
        return most?.value.keys.min {
            let (first, second) = ($0.count(where: \.isUppercase), $1.count(where: \.isUppercase))
            return first != second ? first < second : $0 < $1
        }
    }
}
