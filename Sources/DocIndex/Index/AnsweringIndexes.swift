/// The indexes of a collection that answer, made once for each catalog rather than for each query.
final class AnsweringIndexes: Sendable {
    let all: [any DocumentIndex]
    let values: [ValueIndex]
    let locations: [GeoIndex]
    /// The text index; `nil` if there is none.
    let text: TextIndex?

    init(_ entries: [Catalog.IndexEntry]) {
        all = entries.filter(\.isReady).map(\.index)
        values = all.compactMap { $0 as? ValueIndex }
        locations = all.compactMap { $0 as? GeoIndex }
        text = all.lazy.compactMap { $0 as? TextIndex }.first
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
