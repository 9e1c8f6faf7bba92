internal import LevelFiles

/// Finds keys whose versions are split over two files of one level, and reads their state before LevelDB is started.
///
/// A compaction that runs during the lifetime of a LevelDB snapshot keeps the old value of a deleted key, and may end a
/// file between the tombstone and the value. LevelDB 1.23 may later compact the file with the tombstone without the
/// other file, which resurrects the deleted key (google/leveldb#320, fixed after that release). LevelKit uses no
/// LevelDB snapshots, but other programs do, and LevelKit did before ``ReadViews`` existed.
///
/// The newest version of such a key is read from the files and written again once LevelDB has started. An entry above
/// all files stays correct whatever is compacted below it.
struct SplitKeys {
    /// The state of a key: a value, or `nil` if it was deleted.
    struct State {
        let key: [UInt8]
        let value: [UInt8]?
    }

    /// Returns the keys with which a table ends and the next table of its level starts. Tables of level 0 overlap by
    /// design.
    static func keys(in manifest: Manifest, order: KeyOrder) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for tables in Dictionary(grouping: manifest.tables.filter { $0.level > 0 }, by: \.level).values {
            let sorted = tables.sorted { order.compare($0.smallestKey.span, $1.smallestKey.span) < 0 }
            for (first, second) in zip(sorted, sorted.dropFirst())
            where order.compare(first.largestKey.span, second.smallestKey.span) == 0 {
                found.append(first.largestKey)
            }
        }
        return found
    }

    /// Returns the state of the split keys of a database. Omits a key if one of its files is unreadable, because other
    /// checks report that.
    static func states(of manifest: Manifest, in directory: DatabaseDirectory, order: KeyOrder) -> [State] {
        // The file reader compares bytes, so it would treat keys that compare equal but differ in bytes as different
        // keys.
        guard order.distinguishesBytes else { return [] }
        let keys = keys(in: manifest, order: order)
        guard !keys.isEmpty, let files = try? DatabaseFiles(at: directory.path) else { return [] }
        return keys.compactMap { key in
            let history = KeyHistory(of: key, in: files)
            guard history.faults.isEmpty, let newest = history.versions.first(where: \.isCurrent) else { return nil }
            return State(key: key, value: newest.kind == .put ? newest.value : nil)
        }
    }

    /// Writes the state of split keys again.
    static func mend(_ states: [State], in engine: EngineDatabase) throws(LevelError) {
        if states.isEmpty { return }
        let batch = EngineBatch()
        for state in states {
            if let value = state.value { batch.put(state.key.span, value.span) } else { batch.delete(state.key.span) }
        }
        try engine.write(batch, synced: false)
    }
}
