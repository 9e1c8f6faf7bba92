/// The indexes of a collection that can answer queries, created once per catalog rather than per query.
final class ReadableIndexes: Sendable {
    let all: [LoadedIndex]
    /// The value indexes, except indexes from earlier versions, whose entries lack the content of arrays and objects or
    /// fold strings by other rules.
    let values: [ValueIndex]
    /// The geo indexes, except indexes built by other rules for what counts as a location.
    let locations: [GeoIndex]
    /// The text index; `nil` if there is none.
    let text: TextIndexAdapter?
    /// Whether the text index was built with a different stemmer than that of this process, so that words might not be
    /// found.
    let textHasOtherStemmer: Bool
    /// Whether the text index was built by the rules of this version of the library.
    let textHasTheseRules: Bool
    /// Whether an index that is kept up to date was built with another build of a stemmer.
    let hasOtherStemmers: Bool

    init(_ entries: [Catalog.IndexEntry]) {
        let ready = entries.filter(\.isReady)
        all = ready.map { LoadedIndex($0) }
        values = zip(ready, all).compactMap { entry, index in
            entry.hasContent && (!entry.definition.foldsValues || entry.hasTheseRules) ? index.valueIndex : nil
        }
        locations = zip(ready, all).compactMap { entry, index in entry.hasTheseRules ? index.geoIndex : nil }
        let text = all.lazy.compactMap(\.textIndex).first
        self.text = text
        textHasOtherStemmer = entries.contains { $0.number == text?.number && !$0.answersWithThisStemmer }
        textHasTheseRules = entries.allSatisfy { $0.number != text?.number || $0.hasTheseRules }
        hasOtherStemmers = entries.contains {
            $0.definition.languages.count > 0 && !$0.stemmers.isEmpty && !$0.isCurrent
        }
    }

    /// Returns the index with a name; `nil` if there is none or it is not built yet.
    func index(named name: String) -> LoadedIndex? {
        all.first { $0.definition.name.hasSameBytes(as: name) }
    }
}
