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
    ///   - reverse: whether the largest key comes first.
    ///   - fillsCache: whether the blocks read are added to the cache. Pass `false` for a long scan.
    func cursor(in range: KeyRange, reverse: Bool, fillsCache: Bool) throws(LevelError) -> Cursor
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
        forKey key: [UInt8], _ body: (Span<UInt8>) throws(LevelError) -> R
    ) throws(LevelError) -> R? {
        try withValue(forKey: key.span, body)
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
    public func value(forKey key: [UInt8]) throws(LevelError) -> [UInt8]? {
        try value(forKey: key.span)
    }

    /// Returns the value of a string key, or `nil` if the key does not exist.
    public func value(forKey key: String) throws(LevelError) -> [UInt8]? {
        try value(forKey: key.utf8Span.span)
    }

    /// Returns whether a key exists.
    public func contains(_ key: Span<UInt8>) throws(LevelError) -> Bool {
        try readValue(forKey: key) { _ in }
    }

    /// Returns whether a key exists.
    public func contains(_ key: [UInt8]) throws(LevelError) -> Bool {
        try contains(key.span)
    }

    /// Returns a cursor over a range of keys in ascending order.
    public func cursor(in range: KeyRange = .all) throws(LevelError) -> Cursor {
        try cursor(in: range, reverse: false, fillsCache: true)
    }

    /// Returns a cursor over a range of keys. With `reverse` the largest key comes first.
    public func cursor(in range: KeyRange = .all, reverse: Bool) throws(LevelError) -> Cursor {
        try cursor(in: range, reverse: reverse, fillsCache: true)
    }
}

extension Span<UInt8> {
    /// Returns the bytes as an array.
    @inlinable
    public func copied() -> [UInt8] {
        unsafe withUnsafeBufferPointer { unsafe Array($0) }
    }
}
