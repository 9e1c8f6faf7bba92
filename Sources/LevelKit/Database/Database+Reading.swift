extension Database: KeyValueReader {
    /// As ``KeyValueReader/readValue(forKey:_:)``, from the newest state.
    public func readValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(LevelError) -> Void
    ) throws(LevelError) -> Bool {
        try core.readValue(forKey: key, body)
    }

    /// As ``KeyValueReader/cursor(in:reverse:fillsCache:)``, over the state at this moment.
    public func cursor(in range: KeyRange, reverse: Bool, fillsCache: Bool) throws(LevelError) -> Cursor {
        try core.enter()
        defer { core.leave() }
        return Cursor(core: core, iterator: core.makeIterator(fillsCache: fillsCache), range: range, reverse: reverse)
    }

    /// The state of the database at this moment, which later writes do not change.
    public func snapshot() throws(LevelError) -> Snapshot {
        try core.enter()
        defer { core.leave() }
        return Snapshot(core: core)
    }
}
