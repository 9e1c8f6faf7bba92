extension KeyValueReader {
    /// Returns the number of keys in a range.
    ///
    /// - Complexity: O(*n*) in the number of keys in the range.
    public func count(in range: KeyRange = .all) throws(LevelError) -> Int {
        var count = 0
        var cursor = try cursor(in: range, cache: .bypass)
        while try cursor.advance() { count += 1 }
        return count
    }
}

extension Database {
    /// Returns the approximate number of bytes that table files use for the keys in a range, compressed and including
    /// overwritten and deleted entries. Entries in memory do not count.
    ///
    /// In an order other than bytewise, an unbounded end is the first or the last key, so the block with the last key
    /// does not count.
    ///
    /// The corresponding C function is `leveldb_approximate_sizes`, which knows the positions of blocks, not of keys.
    ///
    /// - Complexity: reads the index of each table file that contains an end of the range.
    public func approximateByteCount(in range: KeyRange) throws(LevelError) -> UInt64 {
        let isBytewise = order == .bytewise
        let lower: [UInt8]
        switch range.lower {
        // Bytewise, no key lies between a key and the same key with a zero byte.
        case .excluded(let key) where isBytewise: lower = key + [0]
        case .included(let key), .excluded(let key): lower = key
        case .unbounded: lower = isBytewise ? [] : try end(.ascending)
        }
        let upper: [UInt8]
        switch range.upper {
        case .included(let key) where isBytewise: upper = key + [0]
        case .included(let key), .excluded(let key): upper = key
        case .unbounded: upper = isBytewise ? Self.behindAllKeys(lower) : try end(.descending)
        }
        return try core.admitted { () throws(LevelError) in core.engine.approximateByteCount(from: lower, to: upper) }
    }

    /// A key behind practically all keys from `lower` on.
    private static func behindAllKeys(_ lower: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0xff, count: lower.count + 64)
    }

    /// The first key in a direction; empty if there is none.
    private func end(_ direction: KeyDirection) throws(LevelError) -> [UInt8] {
        var cursor = try cursor(in: .all, direction: direction, cache: .bypass)
        return try cursor.advance() ? cursor.key.copied() : []
    }

    /// Deletes all keys in a range, in batches of bounded size.
    ///
    /// The deletion is not atomic. A crash may leave a part of the range, and keys that are inserted during the call
    /// may remain. Calling it again deletes the rest.
    ///
    /// - Parameters:
    ///   - range: the keys to delete.
    ///   - batchByteCount: the bytes of keys in a batch.
    ///   - durability: when the deletions survive a loss of power.
    /// - Returns: the number of deleted keys.
    /// - Complexity: O(*n*) in the number of keys in the range. Compactions reclaim the disk space; see
    ///   ``compact(in:includingDeepestLevel:)``.
    @discardableResult
    public func deleteRange(
        _ range: KeyRange, batchByteCount: Int = 1 << 20, durability: Durability = .buffered
    ) throws(LevelError) -> Int {
        var count = 0
        let batch = WriteBatch()
        var cursor = try cursor(in: range, cache: .bypass)
        while try cursor.advance() {
            try batch.delete(cursor.key.copied())
            count += 1
            if batch.byteCount >= batchByteCount {
                try write(batch, durability: durability)
                batch.removeAll()
            }
        }
        try write(batch, durability: durability)
        return count
    }
}
