/// What can be read from: a ``Database`` (its newest state) or a ``Snapshot`` (the state at one moment).
public protocol KeyValueReader: Sendable {
    /// Calls `body` with the value of a key, lent for the time of the call and not copied; not if there is no such key.
    ///
    /// - Returns: whether there is such a key.
    /// - Throws: ``LevelError``: `corruption` where the value or a table is damaged or gone (never absence), `io`,
    ///   `closed`; and what `body` throws.
    /// - Complexity: one seek in each level of tables; see `bloomFilterBitsPerKey` for misses.
    func readValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(LevelError) -> Void
    ) throws(LevelError) -> Bool

    /// A cursor over a range of keys.
    ///
    /// - Parameters:
    ///   - range: the keys to visit.
    ///   - reverse: whether the largest key comes first.
    ///   - fillsCache: whether blocks that are read stay in the cache; say `false` for a long scan.
    func cursor(in range: KeyRange, reverse: Bool, fillsCache: Bool) throws(LevelError) -> Cursor
}

extension KeyValueReader {
    /// Calls `body` with the value of a key, lent for the time of the call and not copied.
    ///
    /// The database cannot be closed in `body`: closing waits for the call to end.
    ///
    /// - Returns: what `body` returns; `nil` if there is no such key.
    /// - Throws: as ``readValue(forKey:_:)``.
    @inlinable
    public func withValue<R>(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(LevelError) -> R
    ) throws(LevelError) -> R? {
        var result: R?
        _ = try readValue(forKey: key) { (value) throws(LevelError) in result = try body(value) }
        return result
    }

    /// Calls `body` with the value of a key; see ``withValue(forKey:_:)-(Span<UInt8>,_)``.
    @inlinable
    public func withValue<R>(
        forKey key: [UInt8], _ body: (Span<UInt8>) throws(LevelError) -> R
    ) throws(LevelError) -> R? {
        try withValue(forKey: key.span, body)
    }

    /// The value of a key; `nil` if there is no such key.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`.
    @inlinable
    public func value(forKey key: Span<UInt8>) throws(LevelError) -> [UInt8]? {
        var result: [UInt8]?
        _ = try readValue(forKey: key) { (value) throws(LevelError) in result = value.copied() }
        return result
    }

    /// The value of a key; `nil` if there is no such key.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`.
    @inlinable
    public func value(forKey key: [UInt8]) throws(LevelError) -> [UInt8]? {
        try value(forKey: key.span)
    }

    /// The value of a key that is a text; `nil` if there is no such key.
    public func value(forKey key: String) throws(LevelError) -> [UInt8]? {
        try value(forKey: key.utf8Span.span)
    }

    /// Whether there is such a key.
    public func contains(_ key: Span<UInt8>) throws(LevelError) -> Bool {
        try readValue(forKey: key) { _ in }
    }

    /// Whether there is such a key.
    public func contains(_ key: [UInt8]) throws(LevelError) -> Bool {
        try contains(key.span)
    }

    /// A cursor over a range of keys in rising order.
    public func cursor(in range: KeyRange = .all) throws(LevelError) -> Cursor {
        try cursor(in: range, reverse: false, fillsCache: true)
    }

    /// A cursor over a range of keys; with `reverse` the largest key comes first.
    public func cursor(in range: KeyRange = .all, reverse: Bool) throws(LevelError) -> Cursor {
        try cursor(in: range, reverse: reverse, fillsCache: true)
    }
}

extension Span<UInt8> {
    /// The bytes as an array of their own.
    @inlinable
    public func copied() -> [UInt8] {
        unsafe withUnsafeBufferPointer { unsafe Array($0) }
    }
}
