extension Catalog.IndexEntry {
    /// The index that implements the definition.
    var index: any DocumentIndex {
        switch definition.kind {
        case .value: ValueIndex(number: number, definition: definition)
        case .text: TextIndexAdapter(number: number, definition: definition)
        case .geo: GeoIndex(number: number, definition: definition)
        }
    }
}
