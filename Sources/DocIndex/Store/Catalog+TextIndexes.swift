internal import LevelKit

extension Catalog: TextIndexDirectory {
    var textIndexes: [TextIndexSource] {
        collections.flatMap { collection in collection.indexes.compactMap { collection.textIndex($0.index) } }
    }

    func textIndex(numbered number: UInt32) -> TextIndexSource? {
        for collection in collections {
            for entry in collection.indexes where entry.number == number { return collection.textIndex(entry.index) }
        }
        return nil
    }
}

extension Catalog.CollectionEntry {
    /// Returns a text index with its documents; `nil` for an index of another kind.
    func textIndex(_ index: any DocumentIndex) -> TextIndexSource? {
        guard let index = index as? TextIndexAdapter else { return nil }
        return source(of: index.text)
    }

    func source(of index: TextIndex) -> TextIndexSource {
        TextIndexSource(index: index) { row, reader in
            try RowReader.document(row, collection: self, in: reader)?.content
        }
    }
}
