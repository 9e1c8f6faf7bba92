extension Database: KeyValueReader {
    /// Reads the newest state; see ``KeyValueReader/readValue(forKey:_:)``.
    public func readValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(LevelError) -> Void
    ) throws(LevelError) -> Bool {
        try core.readValue(forKey: key, body)
    }

    /// Returns a cursor over the current state; see ``KeyValueReader/cursor(in:direction:cache:)``.
    public func cursor(
        in range: KeyRange, direction: KeyDirection, cache: Cursor.CacheUse
    ) throws(LevelError) -> Cursor {
        try core.enter()
        defer { core.leave() }
        return Cursor(
            core: core, iterator: core.makeIterator(fillsCache: cache == .fill), range: range, direction: direction)
    }

    /// Returns a snapshot of the current state, which later writes do not change.
    public func snapshot() throws(LevelError) -> Snapshot {
        try core.enter()
        defer { core.leave() }
        return Snapshot(core: core)
    }
}
