internal import LevelKit

extension Catalog: TextIndexDirectory {
    var textIndexes: [TextIndexSource] {
        collections.flatMap { collection in collection.indexes.compactMap { collection.textIndex($0) } }
    }

    func textIndex(numbered number: UInt32) -> TextIndexSource? {
        for collection in collections {
            for entry in collection.indexes where entry.number == number { return collection.textIndex(entry) }
        }
        return nil
    }
}

extension Catalog.CollectionEntry {
    /// Returns a text index with its documents; `nil` for an index of another kind.
    func textIndex(_ entry: Catalog.IndexEntry) -> TextIndexSource? {
        guard let index = entry.index as? TextIndexAdapter else { return nil }
        return source(of: index.text, isCurrent: entry.hasTheseRules)
    }

    func source(of index: TextIndex, isCurrent: Bool = true) -> TextIndexSource {
        TextIndexSource(index: index, isCurrent: isCurrent) { row, reader in
            try RowReader.document(row, collection: self, in: reader)?.content
        }
    }
}
