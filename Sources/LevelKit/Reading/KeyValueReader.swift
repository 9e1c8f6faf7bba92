/// A source of reads: a ``Database`` (its newest state) or a ``Snapshot`` (the state at one moment).
public protocol KeyValueReader: Sendable {
    /// Calls `body` with the value of a key, lent for the duration of the call and not copied. Does not call `body` if
    /// the key does not exist.
    ///
    /// - Returns: whether the key exists.
    /// - Throws: ``LevelError``: `corruption` if the value or a table file is corrupt or missing (never reported as
    ///   absence), `io`, `closed`; and the errors of `body`.
    /// - Complexity: one seek per level; see `bloomFilterBitsPerKey` for missing keys.
    func readValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(LevelError) -> Void
    ) throws(LevelError) -> Bool

    /// Returns a cursor over a range of keys.
    ///
    /// - Parameters:
    ///   - range: the keys to visit.
    ///   - direction: whether the smallest or the largest key comes first.
    ///   - cache: whether the blocks read are added to the cache.
    func cursor(in range: KeyRange, direction: KeyDirection, cache: Cursor.CacheUse) throws(LevelError) -> Cursor
}

extension KeyValueReader {
    /// Calls `body` with the value of a key, lent for the duration of the call and not copied.
    ///
    /// The database cannot be closed in `body`, because closing waits for the call to end.
    ///
    /// - Returns: the result of `body`, or `nil` if the key does not exist.
    /// - Throws: like ``readValue(forKey:_:)``.
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
        forKey key: some ByteRepresentable, _ body: (Span<UInt8>) throws(LevelError) -> R
    ) throws(LevelError) -> R? {
        try key.withBytes { (key) throws(LevelError) in try withValue(forKey: key, body) }
    }

    /// Returns the value of a key, or `nil` if the key does not exist.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`.
    @inlinable
    public func value(forKey key: Span<UInt8>) throws(LevelError) -> [UInt8]? {
        var result: [UInt8]?
        _ = try readValue(forKey: key) { (value) throws(LevelError) in result = value.copied() }
        return result
    }

    /// Returns the value of a key, or `nil` if the key does not exist.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`.
    @inlinable
    public func value(forKey key: some ByteRepresentable) throws(LevelError) -> [UInt8]? {
        try key.withBytes { (key) throws(LevelError) in try value(forKey: key) }
    }

    /// Returns the value of a key as a string or data, or `nil` if the key does not exist.
    ///
    /// ```swift
    /// let title = try database.value(forKey: "photo/1", as: String.self)
    /// ```
    ///
    /// - Throws: ``LevelError``: `malformedEntry` if the value is not of that type, such as a string that is not UTF-8;
    ///   `corruption`, `io`, `closed`.
    @inlinable
    public func value<Value: ByteRepresentable>(
        forKey key: some ByteRepresentable, as type: Value.Type
    ) throws(LevelError) -> Value? {
        try withValue(forKey: key) { (value) throws(LevelError) in try Value(copying: value) }
    }

    /// Returns whether a key exists.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`.
    public func contains(_ key: Span<UInt8>) throws(LevelError) -> Bool {
        try readValue(forKey: key) { _ in }
    }

    /// Returns whether a key exists.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`.
    @inlinable
    public func contains(_ key: some ByteRepresentable) throws(LevelError) -> Bool {
        try key.withBytes { (key) throws(LevelError) in try contains(key) }
    }

    /// Returns a cursor over a range of keys, which adds the blocks that it reads to the cache.
    public func cursor(
        in range: KeyRange = .all, direction: KeyDirection = .ascending
    ) throws(LevelError) -> Cursor {
        try cursor(in: range, direction: direction, cache: .fill)
    }

    /// Returns a cursor over a range of keys in ascending order.
    ///
    /// - Parameters:
    ///   - range: the keys to read.
    ///   - cache: whether the blocks read are added to the cache.
    public func cursor(in range: KeyRange = .all, cache: Cursor.CacheUse) throws(LevelError) -> Cursor {
        try cursor(in: range, direction: .ascending, cache: cache)
    }
}
