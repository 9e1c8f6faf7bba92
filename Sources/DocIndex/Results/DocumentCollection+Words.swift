extension DocumentCollection {
    /// A word in the text index.
    public struct IndexedWord: Sendable, Hashable {
        /// The word as stored in the index: without case and accents.
        public let word: String
        /// The number of documents that contain it.
        public let documentCount: Int
    }

    /// Returns the words with this prefix, those in the most documents first, for completion during typing.
    ///
    /// - Throws: ``DocIndexError``: `unknownIndex`, `corruption`.
    /// - Complexity: reads every word with the prefix, and no postings.
    public func completions(of beginning: String, limit: Int = 10) throws -> [IndexedWord] {
        let search = try textSearch(in: try reader())
        guard let prefix = Self.lastTerm(of: beginning, search.index) else { return [] }
        return try Self.words(search, from: prefix).sorted {
            $0.documentCount != $1.documentCount ? $0.documentCount > $1.documentCount : $0.word < $1.word
        }.prefix(max(0, limit)).map { $0 }
    }

    /// Returns corrections for a misspelled word: the closest words first, then those in the most documents. Empty if
    /// the word itself is in the index.
    ///
    /// - Throws: the errors of ``completions(of:limit:)``.
    /// - Complexity: reads every word with the same first letter, and no postings.
    public func suggestions(for word: String, limit: Int = 5) throws -> [IndexedWord] {
        let search = try textSearch(in: try reader())
        guard let term = Self.lastTerm(of: word, search.index) else { return [] }
        let letters = Array(String(decoding: term, as: UTF8.self).unicodeScalars)
        guard let first = letters.first, letters.count > 1 else { return [] }
        let reference = EditDistance(term, limit: letters.count < 5 ? 1 : 2)
        var found: [(distance: Int, word: IndexedWord)] = []
        for candidate in try Self.words(search, from: Array(String(first).utf8)) {
            guard let distance = reference.distance(to: Array(candidate.word.utf8)) else { continue }
            if distance == 0 { return [] }
            found.append((distance, candidate))
        }
        found.sort {
            ($0.distance, -$0.word.documentCount, $0.word.word) < ($1.distance, -$1.word.documentCount, $1.word.word)
        }
        return found.prefix(max(0, limit)).map(\.word)
    }

    private static func words(_ search: TextSearch, from prefix: [UInt8]) throws -> [IndexedWord] {
        try search.terms(from: prefix).map { IndexedWord(word: $0.word, documentCount: $0.documentCount) }
    }

    /// Returns the documents most similar to a document, best first, without the document itself. Looks for the words
    /// most characteristic of it.
    ///
    /// - Parameters:
    ///   - id: the ID of the document.
    ///   - limit: the maximum number of results.
    ///   - wordCount: the number of words to look for: words that occur often in the document and in few
    ///     others.
    /// - Returns: an empty array if the document does not exist or contains no words.
    /// - Throws: the errors of ``search(_:where:limit:)-(TextQuery,_,_)``.
    public func similar(to id: DocumentID, limit: Int = 10, wordCount: Int = 20) throws -> [Hit] {
        let rows = try reader()
        let search = try textSearch(in: rows)
        guard let row = try rows.row(of: id) else { return [] }
        let query = try search.characteristicWords(of: try rows.document(row).content, count: wordCount)
        return try search.top(query, limit: limit) { $0 != row }.map {
            Hit(document: try rows.document($0.row), score: Double($0.score) / BM25.unit)
        }
    }

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
}
