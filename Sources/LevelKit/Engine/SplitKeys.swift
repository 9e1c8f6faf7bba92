internal import LevelFiles

/// Finds keys of which the versions lie in two files of one level, and what they have, before the engine is started.
///
/// A compaction that runs while one of LevelDB's snapshots lives keeps the old value of a deleted key, and may end a file
/// between the deletion and the value. LevelDB 1.23 then merges the file with the deletion without the other, and the
/// deleted key is there again (google/leveldb#320; mended after the release). LevelKit uses no such snapshots, but other
/// programs do, and LevelKit did before it had ``ReadViews``.
///
/// The newest version of such a key is read from the files and written once more when the engine has started: what stands
/// above all files is right whatever is merged below it.
struct SplitKeys {
    /// What a key has: a value, or nothing.
    struct State {
        let key: [UInt8]
        let value: [UInt8]?
    }

    /// The keys at which a table ends and the next table of its level begins. Level 0 has tables that overlap by design.
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

    /// What the split keys of a database have. A key of which a file cannot be read is left to those who look for damage.
    static func states(of manifest: Manifest, in directory: DatabaseDirectory, order: KeyOrder) -> [State] {
        // Keys that are equal and have other bytes would be other keys to the reader of files.
        guard order.distinguishesBytes else { return [] }
        let keys = keys(in: manifest, order: order)
        guard !keys.isEmpty, let files = try? DatabaseFiles(at: directory.path) else { return [] }
        return keys.compactMap { key in
            let history = KeyHistory(of: key, in: files)
            guard history.faults.isEmpty, let newest = history.versions.first(where: \.isCurrent) else { return nil }
            return State(key: key, value: newest.kind == .put ? newest.value : nil)
        }
    }

    /// Writes once more what split keys have.
    static func mend(_ states: [State], in engine: EngineDatabase) throws(LevelError) {
        if states.isEmpty { return }
        let batch = EngineBatch()
        for state in states {
            if let value = state.value { batch.put(state.key.span, value.span) } else { batch.delete(state.key.span) }
        }
        try engine.write(batch, synced: false)
    }
}
