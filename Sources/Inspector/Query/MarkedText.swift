internal import DocIndex

/// A text with the words of a search marked.
struct MarkedText: Sendable {
    struct Part: Sendable, Hashable {
        let text: String
        let isMatch: Bool
    }

    let parts: [Part]

    /// Whether a word is marked.
    var hasMatch: Bool { parts.contains(where: \.isMatch) }

    // Private characters, which are removed from texts before they are marked.
    private static let begin: Unicode.Scalar = "\u{f0001}"
    private static let end: Unicode.Scalar = "\u{f0002}"
    private static let marking = TextMarking(before: String(begin), after: String(end)) { character in
        guard character.unicodeScalars.contains(where: { $0 == begin || $0 == end }) else { return nil }
        var rest = String.UnicodeScalarView()
        rest.append(contentsOf: character.unicodeScalars.filter { $0 != begin && $0 != end })
        return String(rest)
    }

    /// Marks the part of a string that matches a query best.
    init(snippetOf text: String, for query: TextQuery, analyzer: TextAnalyzer) {
        // Only the beginning of very long strings is analyzed.
        let text = CellText.cut(text, 20_000)
        let marked = Self.marking.snippet(of: text, for: query, analyzer: analyzer)
        var parts: [Part] = []
        var current = String.UnicodeScalarView()
        var isMatch = false
        for scalar in marked.unicodeScalars {
            guard scalar == Self.begin || scalar == Self.end else {
                current.append(scalar)
                continue
            }
            if !current.isEmpty { parts.append(Part(text: String(current), isMatch: isMatch)) }
            current = String.UnicodeScalarView()
            isMatch = scalar == Self.begin
        }
        if !current.isEmpty { parts.append(Part(text: String(current), isMatch: isMatch)) }
        self.parts = parts
    }

    /// Returns the passages of a document that contain words of a search, from the fields of the text index.
    static func snippets(
        of document: DocumentObject, for query: TextQuery, in definition: CollectionDefinition, limit: Int = 4
    ) -> [(field: String, text: MarkedText)] {
        var snippets: [(String, MarkedText)] = []
        guard let index = definition.indexes.first(where: { $0.kind == .text }) else { return [] }
        for component in index.components {
            component.path.forEachElement(in: document) { value in
                guard snippets.count < limit, let text = value.stringValue else { return }
                let analyzer = index.analyzer(of: component, for: document)
                let marked = MarkedText(snippetOf: text, for: query, analyzer: analyzer)
                if marked.hasMatch { snippets.append((component.path.description, marked)) }
            }
        }
        return snippets
    }
}
