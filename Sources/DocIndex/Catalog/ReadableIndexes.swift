internal import Synchronization

/// The indexes of a collection that can answer queries, created once per catalog rather than per query.
///
/// Whether an index was built by the rules of this version is found out when it is first needed: identifying the rules
/// for folding text takes a few milliseconds, more than opening a small store.
final class ReadableIndexes: Sendable {
    let all: [LoadedIndex]
    /// The geo indexes, except indexes built by other rules for what counts as a location.
    let locations: [GeoIndex]
    /// The vector indexes, except indexes with other codes.
    let vectors: [VectorIndex]
    /// The text index; `nil` if there is none.
    let text: TextIndexAdapter?
    /// Whether the text index was built with a different stemmer than that of this process, so that words might not be
    /// found.
    let textHasOtherStemmer: Bool
    private let foundValues: FoundOnce<[ValueIndex]>
    private let foundTextRules: FoundOnce<Bool>
    private let foundTextBuild: FoundOnce<Bool>
    private let foundOtherStemmers: FoundOnce<Bool>

    init(_ entries: [Catalog.IndexEntry]) {
        let ready = entries.filter(\.isReady)
        let all = ready.map { LoadedIndex($0) }
        self.all = all
        foundValues = FoundOnce {
            zip(ready, all).compactMap { entry, index in
                entry.hasContent && (!entry.definition.foldsValues || entry.hasTheseRules) ? index.valueIndex : nil
            }
        }
        locations = zip(ready, all).compactMap { entry, index in
            entry.definition.kind == .geo && entry.hasTheseRules ? index.geoIndex : nil
        }
        vectors = zip(ready, all).compactMap { entry, index in
            entry.definition.kind == .vector && entry.hasTheseRules ? index.vectorIndex : nil
        }
        let text = all.lazy.compactMap(\.textIndex).first
        self.text = text
        textHasOtherStemmer = entries.contains { $0.number == text?.number && !$0.answersWithThisStemmer }
        foundTextRules = FoundOnce { entries.allSatisfy { $0.number != text?.number || $0.hasTheseRules } }
        foundTextBuild = FoundOnce { entries.allSatisfy { $0.number != text?.number || $0.hasThisStemmerBuild } }
        foundOtherStemmers = FoundOnce {
            entries.contains { $0.definition.languages.count > 0 && !$0.stemmers.isEmpty && !$0.isCurrent }
        }
    }

    /// The value indexes, except indexes from earlier versions, whose entries lack the content of arrays and objects or
    /// fold strings by other rules.
    var values: [ValueIndex] { foundValues.value }

    /// Whether the text index was built by the rules of this version of the library.
    var textHasTheseRules: Bool { foundTextRules.value }

    /// Whether the text index was built with the build of the stemmer in this process. Another build may stem some
    /// words differently, although it agrees on the common ones.
    var textHasThisStemmerBuild: Bool { foundTextBuild.value }

    /// Whether an index that is kept up to date was built with a different build of a stemmer.
    var hasOtherStemmers: Bool { foundOtherStemmers.value }

    /// Returns the index with a name; `nil` if there is none or it is not built yet.
    func index(named name: String) -> LoadedIndex? {
        all.first { $0.definition.name.hasSameBytes(as: name) }
    }
}

/// A value that is computed when it is first used.
private final class FoundOnce<Value: Sendable>: Sendable {
    private let found = Mutex<Value?>(nil)
    private let find: @Sendable () -> Value

    init(_ find: @escaping @Sendable () -> Value) { self.find = find }

    var value: Value {
        found.withLock { found in
            if let found { return found }
            let value = find()
            found = value
            return value
        }
    }
}
