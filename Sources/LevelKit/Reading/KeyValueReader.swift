/// What can be read from: a ``Database`` (its newest state) or a ``Snapshot`` (the state at one moment).
public protocol KeyValueReader: Sendable {
    /// Calls `body` with the value of a key, lent for the time of the call and not copied.
    ///
    /// - Returns: what `body` returns; `nil` if there is no such key.
    /// - Throws: ``LevelError``: `corruption` where the value or a table is damaged or gone (never absence), `io`,
    ///   `closed`; and what `body` throws.
    /// - Complexity: one seek in each level of tables; see `bloomFilterBitsPerKey` for misses.
    func withValue<R>(
        forKey key: [UInt8], _ body: (Span<UInt8>) throws(LevelError) -> R
    ) throws(LevelError) -> R?

    /// A cursor over a range of keys.
    ///
    /// - Parameters:
    ///   - range: the keys to visit.
    ///   - reverse: whether the largest key comes first.
    ///   - fillsCache: whether blocks that are read stay in the cache; say `false` for a long scan.
    func cursor(in range: KeyRange, reverse: Bool, fillsCache: Bool) throws(LevelError) -> Cursor
}

extension KeyValueReader {
    /// The value of a key; `nil` if there is no such key.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`.
    public func value(forKey key: [UInt8]) throws(LevelError) -> [UInt8]? {
        try withValue(forKey: key) { (bytes) throws(LevelError) in bytes.copied() }
    }

    /// The value of a key that is a text; `nil` if there is no such key.
    public func value(forKey key: String) throws(LevelError) -> [UInt8]? {
        try value(forKey: Array(key.utf8))
    }

    /// Whether there is such a key.
    public func contains(_ key: [UInt8]) throws(LevelError) -> Bool {
        try withValue(forKey: key) { (_) throws(LevelError) in true } ?? false
    }

    /// A cursor over a range of keys in rising order.
    public func cursor(in range: KeyRange = .all) throws(LevelError) -> Cursor {
        try cursor(in: range, reverse: false, fillsCache: true)
    }

    /// A cursor over a range of keys; with `reverse` the largest key comes first.
    public func cursor(in range: KeyRange = .all, reverse: Bool) throws(LevelError) -> Cursor {
        try cursor(in: range, reverse: reverse, fillsCache: true)
    }

    /// The value of a key of which the engine said that it is absent.
    ///
    /// `leveldb_get` reports a table file that is gone as "not found", like a key that is not there. Where a table may
    /// have gone, an iterator confirms the miss, because it reports an error instead.
    func confirmMiss<R>(
        _ key: UnsafeBufferPointer<UInt8>, core: DatabaseCore, reading: OpaquePointer,
        _ body: (Span<UInt8>) throws(LevelError) -> R
    ) throws(LevelError) -> R? {
        if core.tables.isUnchanged { return nil }
        core.tables.look { core.engine.property("leveldb.sstables") }
        let iterator = unsafe core.engine.makeIterator(reading: reading)
        defer { iterator.destroy() }
        unsafe iterator.seek(key)
        let isValid = iterator.isValid
        if let error = iterator.error { throw .engine(error, action: "read a key from \(core.path)") }
        guard isValid else { return nil }
        let isSame = unsafe core.order.compare(Span(_unsafeElements: iterator.key), Span(_unsafeElements: key)) == 0
        guard isSame else { return nil }
        return try body(unsafe Span(_unsafeElements: iterator.value))
    }
}

extension Database: KeyValueReader {
    /// As ``KeyValueReader/withValue(forKey:_:)``, from the newest state.
    public func withValue<R>(
        forKey key: [UInt8], _ body: (Span<UInt8>) throws(LevelError) -> R
    ) throws(LevelError) -> R? {
        try core.enter()
        defer { core.leave() }
        let reading = unsafe core.engine.options.reading
        return try unsafe key.withUnsafeBufferPointer { (key) throws(LevelError) in
            if let result = try unsafe core.engine.get(key, reading: reading, body) { return result }
            return try unsafe confirmMiss(key, core: core, reading: reading, body)
        }
    }

    /// As ``KeyValueReader/cursor(in:reverse:fillsCache:)``, over the state at this moment.
    public func cursor(in range: KeyRange, reverse: Bool, fillsCache: Bool) throws(LevelError) -> Cursor {
        try core.enter()
        defer { core.leave() }
        let options = core.engine.options
        return unsafe Cursor(
            core: core, iterator: core.engine.makeIterator(reading: fillsCache ? options.reading : options.scanning),
            range: range, reverse: reverse)
    }

    /// The state of the database at this moment, which later writes do not change.
    public func snapshot() throws(LevelError) -> Snapshot {
        try core.enter()
        defer { core.leave() }
        return Snapshot(core: core)
    }
}

extension Span<UInt8> {
    /// The bytes as an array of their own.
    public func copied() -> [UInt8] {
        unsafe withUnsafeBufferPointer { unsafe Array($0) }
    }
}
