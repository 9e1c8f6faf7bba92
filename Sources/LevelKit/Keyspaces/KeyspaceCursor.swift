/// A position that moves over the entries of a keyspace, in order.
///
/// A new cursor is before the first entry. It sees the keyspace as it was when the cursor was created, or in the state
/// of the snapshot.
///
/// ```swift
/// var cursor = try ratings.cursor(direction: .descending)
/// while try cursor.advance() {
///     print(try cursor.key, try cursor.value.stars)
/// }
/// ```
///
/// Keys and values are decoded on each access. If decoding throws, the cursor stays at the entry and can still be
/// advanced.
public struct KeyspaceCursor<Key: Sendable, Value>: ~Copyable {
    private var cursor: Cursor
    private let layout: KeyspaceLayout<Key, Value>

    init(_ cursor: consuming Cursor, _ layout: KeyspaceLayout<Key, Value>) {
        self.cursor = cursor
        self.layout = layout
    }

    /// Moves to the next entry in the cursor's direction.
    ///
    /// - Returns: whether a next entry exists. Once `false`, it stays `false` until ``seek(to:)``.
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`. Every later call throws the same error again.
    public mutating func advance() throws(LevelError) -> Bool {
        try cursor.advance()
    }

    /// Moves to the next entry and returns it, or `nil` at the end.
    ///
    /// - Throws: ``LevelError``: `malformedEntry`, and the errors of ``advance()``.
    public mutating func next() throws(LevelError) -> (key: Key, value: Value)? {
        guard try advance() else { return nil }
        return (try key, try value)
    }

    /// Makes the next ``advance()`` start at `key`: at the first key that does not sort before it, or in descending direction at the
    /// last key that does not sort after it. With a key outside the range, it starts at the near end of the range, or
    /// finds nothing.
    public mutating func seek(to key: Key) {
        cursor.seek(to: layout.pack(key))
    }

    /// The key at the position.
    ///
    /// - Precondition: the last ``advance()`` returned `true`.
    public var key: Key {
        get throws(LevelError) { try layout.key(cursor.key) }
    }

    /// The value at the position.
    ///
    /// - Precondition: the last ``advance()`` returned `true`.
    public var value: Value {
        get throws(LevelError) { try layout.value(cursor.value) }
    }

    /// The bytes of the key at the position as stored in the database, including the prefix of the keyspace.
    ///
    /// - Precondition: the last ``advance()`` returned `true`.
    public var keyBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { cursor.key }
    }

    /// The bytes of the value at the position.
    ///
    /// - Precondition: the last ``advance()`` returned `true`.
    public var valueBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { cursor.value }
    }
}

@available(*, unavailable)
extension KeyspaceCursor: Sendable {}
