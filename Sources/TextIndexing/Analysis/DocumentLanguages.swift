/// The field of a document that names its language, and the languages that a text index distinguishes.
package struct DocumentLanguages: Sendable, Hashable {
    let path: FieldPath
    let languages: [TextAnalyzer.Language]

    package init(path: FieldPath, languages: [TextAnalyzer.Language]) {
        self.path = path
        self.languages = languages
    }

    /// The maximum number of languages of an index. A searched word is stemmed in each of them.
    package static let limit = 8

    /// Returns the language of a document; `nil` if the document names none of the languages.
    package func language(of document: DocumentObject) -> TextAnalyzer.Language? {
        var found: TextAnalyzer.Language?
        path.forEachElement(in: document) { value in
            guard found == nil, case .string(let text) = value, let language = TextAnalyzer.Language(naming: text)
            else {
                return
            }
            if languages.contains(language) { found = language }
        }
        return found
    }
}

extension TextAnalyzer {
    /// Returns the analyzer for documents in a language: the language replaces that of the analyzer, if it has one.
    package func inLanguage(_ language: Language?) -> TextAnalyzer {
        guard let language, self.language != nil else { return self }
        var analyzer = self
        analyzer.language = language
        // Not every language has stop words.
        if analyzer.stopWords == .ofLanguage, language.stopWords.isEmpty { analyzer.stopWords = .none }
        return analyzer
    }
}
