extension IndexDefinition {
    /// A description of everything that the bytes of the index depend on: the canonical JSON form, and the versions of
    /// the rules that may change independently of the declaration.
    ///
    /// Its hash is stored. If the hash differs, the index is rebuilt.
    var fingerprintText: String {
        var versions: [String] = []
        if foldsValues || kind == .text {
            versions.append(TextFolding.version)
        }
        if components.contains(where: { $0.collation == .natural }) { versions.append("natural-1") }
        if components.contains(where: { !$0.dateFormats.isEmpty }) { versions.append("dates-1") }
        if components.contains(where: { $0.part != nil }) { versions.append("date-parts-1") }
        if components.contains(where: { $0.separator != nil }) { versions.append("levels-1") }
        if kind == .geo { versions.append("geo-2") }
        if kind == .vector { versions.append("vector-1") }
        versions += analysis
        return ([withoutSynonyms.jsonValue.json] + versions).joined(separator: " ")
    }

    /// Whether a component stores strings without case or accents.
    var foldsValues: Bool { components.contains { $0.collation != .binary } }

    /// The names and versions of the text analysis rules of the fields, except for folding; empty if all fields use the
    /// default.
    var analysis: [String] {
        var versions: [String] = []
        for component in components {
            let analyzers = [component.analyzer] + documentLanguages.map { component.analyzer.inLanguage($0) }
            for version in analyzers.flatMap(\.versions) where !versions.contains(version) { versions.append(version) }
        }
        if languageField != nil { versions.append("language-field-1") }
        return versions
    }

    /// The distinct languages used for stemming.
    var languages: [TextAnalyzer.Language] {
        var languages: [TextAnalyzer.Language] = []
        for component in components {
            guard component.analyzer.hasWords, let language = component.analyzer.language else { continue }
            for language in [language] + documentLanguages where !languages.contains(language) {
                languages.append(language)
            }
        }
        return languages
    }

    /// The part of the definition that determines what is stored.
    private var withoutSynonyms: IndexDefinition {
        var definition = self
        for index in definition.components.indices {
            definition.components[index].analyzer = components[index].analyzer.withoutSynonyms
        }
        return definition
    }

    /// Returns whether both definitions give the same entries, whatever their names. Compares bytes, so two Unicode
    /// spellings of a string differ.
    func storesSame(as other: IndexDefinition) -> Bool {
        withoutSynonyms.jsonValue == other.withoutSynonyms.jsonValue
    }

    /// The fingerprint of the definition and the rules it depends on: the 64-bit FNV-1a hash of ``fingerprintText``, as
    /// sixteen hexadecimal digits.
    var fingerprint: String {
        let digits = String(FNV1a.hash(fingerprintText.utf8), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

}
