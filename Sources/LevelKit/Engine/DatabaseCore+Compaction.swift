internal import Synchronization

/// Compactions of a key range, and the writes that let one reach the deepest level.
extension DatabaseCore {
    /// Compacts the keys between two bounds.
    func compact(from lower: [UInt8]?, to upper: [UInt8]?) {
        // LevelDB starts a new log, beside writes of other threads, and writes the memtable to a table file.
        log.withLock { $0.willForceLog() }
        engine.compact(from: lower, to: upper)
        log.withLock { $0.didForceLog() }
        held.didWriteTable()
    }

    /// Rewrites the first and the last key of all table files in a range, so that a compaction has an input above the
    /// deepest level that overlaps all of them.
    func coverTables(from lower: [UInt8]?, to upper: [UInt8]?) throws(LevelError) {
        let tables = try admitted { () throws(LevelError) in
            log.withLock { $0.willForceLog() }
            engine.flushMemoryTable()
            log.withLock { $0.didForceLog() }
            return try Manifest(ofDatabaseAt: path).tables
        }
        let overlapping = tables.filter { table in
            (lower.map { order.compare(table.largestKey.span, $0.span) >= 0 } ?? true)
                && (upper.map { order.compare(table.smallestKey.span, $0.span) <= 0 } ?? true)
        }
        let keys = overlapping.flatMap { [$0.smallestKey, $0.largestKey] }
            .sorted { order.compare($0.span, $1.span) < 0 }
        guard let first = keys.first, let last = keys.last else { return }
        try putAgain([first, last])
    }

    /// Writes the current state of some keys again, a value or a deletion.
    private func putAgain(_ keys: [[UInt8]]) throws(LevelError) {
        // The content does not change, so no view needs to know of these keys.
        try write(0, count: LogState.unknownCount, .buffered, forEachKey: { _ in }) { (synced) throws(LevelError) in
            let batch = EngineBatch()
            for key in keys {
                let isThere = try readValue(forKey: key.span) { value in
                    batch.put(key.span, value)
                }
                if !isThere { batch.delete(key.span) }
            }
            try engine.write(batch, synced: synced)
        }
    }
}
