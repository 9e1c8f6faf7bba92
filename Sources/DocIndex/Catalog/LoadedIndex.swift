/// An index of a collection, by its kind. This is the only place that decides which type implements a kind.
enum LoadedIndex: Sendable {
    case value(ValueIndex)
    case text(TextIndexAdapter)
    case geo(GeoIndex)
    case vector(VectorIndex)

    init(_ entry: Catalog.IndexEntry) {
        self =
            switch entry.definition.kind {
            case .value: .value(ValueIndex(number: entry.number, definition: entry.definition))
            case .text: .text(TextIndexAdapter(number: entry.number, definition: entry.definition))
            case .geo: .geo(GeoIndex(number: entry.number, definition: entry.definition))
            case .vector: .vector(VectorIndex(number: entry.number, definition: entry.definition))
            }
    }

    /// The index, whatever its kind.
    var index: any DocumentIndex {
        switch self {
        case .value(let index): index
        case .text(let index): index
        case .geo(let index): index
        case .vector(let index): index
        }
    }

    /// The declaration.
    var definition: IndexDefinition {
        switch self {
        case .value(let index): index.definition
        case .text(let index): index.definition
        case .geo(let index): index.definition
        case .vector(let index): index.definition
        }
    }

    /// The value index; `nil` for other kinds.
    var valueIndex: ValueIndex? { if case .value(let index) = self { index } else { nil } }
    /// The text index; `nil` for other kinds.
    var textIndex: TextIndexAdapter? { if case .text(let index) = self { index } else { nil } }
    /// The index of locations; `nil` for other kinds.
    var geoIndex: GeoIndex? { if case .geo(let index) = self { index } else { nil } }
    /// The vector index; `nil` for other kinds.
    var vectorIndex: VectorIndex? { if case .vector(let index) = self { index } else { nil } }
}

extension Catalog.IndexEntry {
    /// The index that implements the definition.
    var index: any DocumentIndex { LoadedIndex(self).index }
}
