extension TextAnalyzer.Language {
    /// The language of a name or code: `german`, `de`, `deu`, `ger`, `de-AT`, in any case.
    ///
    /// - Returns: `nil` if it names no language with a stemmer.
    public init?(naming text: String) {
        let code = text.lowercased().prefix { $0 != "-" && $0 != "_" }
        guard let language = Self.languages[String(code)] else { return nil }
        self = language
    }

    private static let languages: [String: TextAnalyzer.Language] = {
        var languages: [String: TextAnalyzer.Language] = [:]
        for language in allCases {
            languages[language.rawValue] = language
            for code in language.codes.split(separator: " ") { languages[String(code)] = language }
        }
        return languages
    }()

    /// The codes of ISO 639.
    private var codes: String {
        switch self {
        case .arabic: "ar ara"
        case .armenian: "hy hye arm"
        case .basque: "eu eus baq"
        case .catalan: "ca cat"
        case .danish: "da dan"
        case .dutch: "nl nld dut"
        case .english: "en eng"
        case .finnish: "fi fin"
        case .french: "fr fra fre"
        case .german: "de deu ger"
        case .greek: "el ell gre"
        case .hindi: "hi hin"
        case .hungarian: "hu hun"
        case .indonesian: "id ind"
        case .irish: "ga gle"
        case .italian: "it ita"
        case .lithuanian: "lt lit"
        case .nepali: "ne nep"
        case .norwegian: "no nor nb nob nn nno"
        case .portuguese: "pt por"
        case .romanian: "ro ron rum"
        case .russian: "ru rus"
        case .serbian: "sr srp"
        case .spanish: "es spa"
        case .swedish: "sv swe"
        case .tamil: "ta tam"
        case .turkish: "tr tur"
        case .yiddish: "yi yid"
        }
    }
}
