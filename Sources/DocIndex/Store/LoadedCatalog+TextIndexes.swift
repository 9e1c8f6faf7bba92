internal import LevelKit

extension LoadedCatalog: TextIndexDirectory {
    var textIndexes: [TextIndexSource] {
        collections.flatMap { collection in collection.indexes.compactMap(collection.textIndex) }
    }

    func textIndex(numbered number: UInt32) -> TextIndexSource? {
        for collection in collections {
            for entry in collection.indexes where entry.number == number { return collection.textIndex(entry) }
        }
        return nil
    }
}

extension LoadedCollection {
    /// Returns a text index with its documents; `nil` for an index of a different kind.
    fileprivate func textIndex(_ entry: Catalog.IndexEntry) -> TextIndexSource? {
        guard entry.definition.kind == .text else { return nil }
        return LoadedIndex(entry).textIndex.map { source(of: $0.text, isCurrent: entry.hasTheseRules) }
    }

    func source(of index: TextIndex, isCurrent: Bool = true) -> TextIndexSource {
        TextIndexSource(index: index, isCurrent: isCurrent) { row, reader in
            try RowReader.document(row, collection: self, in: reader)?.content
        }
    }
}
