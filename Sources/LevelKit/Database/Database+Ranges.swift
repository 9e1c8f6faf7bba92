extension KeyValueReader {
    /// How many keys a range has.
    ///
    /// - Complexity: O(*n*) in the keys of the range.
    public func count(in range: KeyRange = .all) throws(LevelError) -> Int {
        var count = 0
        var cursor = try cursor(in: range, reverse: false, fillsCache: false)
        while try cursor.advance() { count += 1 }
        return count
    }
}

extension Database {
    /// Removes every key of a range, in batches of bounded size.
    ///
    /// Not one unit: a crash in between leaves the rest of the range, and keys that others put into it meanwhile may
    /// stay. Run again, it goes on.
    ///
    /// - Parameter batchByteCount: bytes of keys in one batch.
    /// - Returns: how many keys were removed.
    /// - Complexity: O(*n*) in the keys of the range. The space on disk comes back with compactions; see
    ///   ``compact(from:to:)``.
    @discardableResult
    public func deleteRange(
        _ range: KeyRange, batchByteCount: Int = 1 << 20, durability: Durability = .buffered
    ) throws(LevelError) -> Int {
        var count = 0
        let batch = WriteBatch()
        var cursor = try cursor(in: range, reverse: false, fillsCache: false)
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
