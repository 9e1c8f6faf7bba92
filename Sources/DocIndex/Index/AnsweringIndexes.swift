/// The indexes of a collection that answer, made once for each catalog rather than for each query.
final class AnsweringIndexes: Sendable {
    let all: [any DocumentIndex]
    /// Without those of earlier versions, whose entries say too little of arrays and objects.
    let values: [ValueIndex]
    let locations: [GeoIndex]
    /// The text index; `nil` if there is none.
    let text: TextIndex?
    /// Whether the text index was made with a stemmer that differs from the one of this process, so that words would not be
    /// found.
    let textHasOtherStemmer: Bool
    /// Whether a text index that is kept up to date was made with another build of the stemmer.
    let hasOtherStemmers: Bool

    init(_ entries: [Catalog.IndexEntry]) {
        all = entries.filter(\.isReady).map(\.index)
        let withContent = Set(entries.filter(\.hasContent).map(\.number))
        values = all.compactMap { $0 as? ValueIndex }.filter { withContent.contains($0.number) }
        locations = all.compactMap { $0 as? GeoIndex }
        let text = all.lazy.compactMap { $0 as? TextIndex }.first
        self.text = text
        textHasOtherStemmer = entries.contains { $0.number == text?.number && !$0.answersWithThisStemmer }
        hasOtherStemmers = entries.contains {
            $0.definition.languages.count > 0 && !$0.stemmers.isEmpty && !$0.isCurrent
        }
    }

    /// The index of a name; `nil` if there is none, or it is not built yet.
    func index(named name: String) -> (any DocumentIndex)? {
        all.first { $0.definition.name.hasSameBytes(as: name) }
    }
}

extension AnsweringIndexes: Hashable {
    /// True: they follow from the entries of the catalog, by which catalogs are compared.
    static func == (left: AnsweringIndexes, right: AnsweringIndexes) -> Bool { true }

    /// Feeds nothing into `hasher`.
    func hash(into hasher: inout Hasher) {}
}
