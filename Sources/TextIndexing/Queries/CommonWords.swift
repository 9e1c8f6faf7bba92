/// How much a word of a search says about what is searched for.
package enum CommonWord: Sendable, Hashable {
    /// It is an ordinary word.
    case none
    /// It is a stop word of a language that is not declared for any field; it counts as one where it is frequent.
    case ifFrequent
    /// It is a stop word.
    case always

    /// The words of questions, which are frequent in searches and rare in documents.
    private static let ofEnglishQuestions = """
        a about am an and any are as at be been being but by can could did do does for from had has have he her here him \
        his how i if in into is it its me my of on or our she should so some than that the their them then there these \
        they this those to us was we were what when where which who whom whose why will with would you your
        """

    private static let english = Set(
        ofEnglishQuestions.split(separator: " ").map(String.init) + TextAnalyzer.Language.english.stopWords)
    private static let anyLanguage = Set(TextAnalyzer.Language.allCases.flatMap(\.stopWords))

    /// Returns what a word is in fields of these languages.
    ///
    /// - Parameter languages: the languages of the fields. Without any, English is assumed.
    package init(_ word: String, languages: [TextAnalyzer.Language]) {
        let word = TextFolding.folded(word, case: true, accents: true)
        let isEnglish = languages.isEmpty || languages.contains(.english)
        if isEnglish && Self.english.contains(word) || languages.contains(where: { $0.stopWords.contains(word) }) {
            self = .always
        } else {
            self = languages.isEmpty && Self.anyLanguage.contains(word) ? .ifFrequent : .none
        }
    }
}
