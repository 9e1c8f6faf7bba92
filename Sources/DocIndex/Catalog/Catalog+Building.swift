/// The states of an index, and the changes between them. Each change is one new catalog, which takes effect when it is
/// stored.
///
///     declared ──▶ building ──▶ ready ──▶ retiring ──▶ dropped ──▶ (keys deleted)
///                     │           a successor with the same name is building
///                     ▼
///                   failed        empty; answers no queries
///
/// | state | ``Catalog/IndexEntry`` | answers queries |
/// |---|---|---|
/// | building | neither `isReady` nor `failure` | no |
/// | ready | `isReady` | yes |
/// | retiring | `isReady` and `isRetiring` | yes, until its successor is ready |
/// | failed | `failure` | no |
/// | dropped | in ``Catalog/dropped`` | no |
extension Catalog {
    /// Makes indexes ready, and drops the retiring indexes that no index being built replaces.
    mutating func finishBuilding(_ complete: Set<UInt32>, in collection: UInt32) {
        guard let position = collections.firstIndex(where: { $0.number == collection }) else { return }
        var indexes = collections[position].indexes
        for index in indexes.indices where indexes[index].isBuilding && complete.contains(indexes[index].number) {
            indexes[index].isReady = true
        }
        let replaced = indexes.filter { entry in
            entry.isRetiring
                && !indexes.contains { !$0.isReady && $0.definition.name.hasSameBytes(as: entry.definition.name) }
        }
        indexes.removeAll { entry in replaced.contains { $0.number == entry.number } }
        collections[position].indexes = indexes
        dropped += replaced.map { DroppedIndex(number: $0.number, kind: $0.definition.kind) }
    }

    /// Marks an index as failed. It gets a new number, and the entries under its old number are dropped.
    ///
    /// - Throws: ``DocIndexError`` with `invalidSchema` if the store has run out of numbers.
    mutating func abandonBuilding(_ number: UInt32, in collection: UInt32, reason: String) throws {
        guard let position = collections.firstIndex(where: { $0.number == collection }),
            let index = collections[position].indexes.firstIndex(where: { $0.number == number })
        else { return }
        let kind = collections[position].indexes[index].definition.kind
        collections[position].indexes[index].number = try Self.take(&nextIndex)
        collections[position].indexes[index].failure = reason
        dropped.append(DroppedIndex(number: number, kind: kind))
    }
}
