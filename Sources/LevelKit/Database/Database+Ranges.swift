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
    ///   ``compact(from:to:includingDeepestLevel:)``.
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
