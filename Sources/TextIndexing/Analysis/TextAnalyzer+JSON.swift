extension TextAnalyzer {
    /// The values of the member `case`.
    package enum LetterCase: String, CaseIterable { case fold, keep }
    /// The values of the member `cjk`.
    package enum Ideographs: String, CaseIterable { case single, pairs }

    /// The names of predefined analyzers: the tokenizers, `cjk`, and the languages.
    package static let names = Tokenizer.allCases.map(\.rawValue) + ["cjk"] + Language.allCases.map(\.rawValue)

    /// Creates the predefined analyzer with a name; `nil` if there is none.
    package init?(name: String) {
        if name.hasSameBytes(as: "cjk") {
            self = .cjk
        } else if let tokenizer = Tokenizer.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) }) {
            self.init(tokenizer)
        } else if let language = Language.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) }) {
            self = .language(language)
        } else {
            return nil
        }
    }

    /// The analyzer in a schema: its name if it is predefined, otherwise an object without members that have default
    /// values.
    package var jsonValue: DocumentValue {
        if let name = Self.names.first(where: { TextAnalyzer(name: $0) == self }) { return .string(name) }
        var object: DocumentObject = ["tokenizer": .string(tokenizer.rawValue)]
        if let language { object["language"] = .string(language.rawValue) }
        if !foldsCase { object["case"] = .string(LetterCase.keep.rawValue) }
        if accents != .fold { object["accents"] = .string(accents.rawValue) }
        if pairsIdeographs { object["cjk"] = .string(Ideographs.pairs.rawValue) }
        if gramLength != 3 { object["length"] = .int(Int64(gramLength)) }
        switch stopWords {
        case .none: break
        case .ofLanguage: object["stopWords"] = true
        case .words(let words): object["stopWords"] = .array(words.map { .string($0) })
        }
        if !synonyms.isEmpty {
            object["synonyms"] = .array(synonyms.map { .array($0.map { .string($0) }) })
        }
        return .object(object)
    }
}
