/// A position that moves over the entries of a keyspace, in order.
///
/// A new cursor stands before the first entry. It sees the keyspace as it was when the cursor was made, or at the
/// moment of the snapshot.
///
/// ```swift
/// var cursor = try ratings.cursor(reverse: true)
/// while try cursor.advance() {
///     print(try cursor.key, try cursor.value.stars)
/// }
/// ```
///
/// Keys and values are decoded when they are asked for, each time anew. One that cannot be read throws and stops
/// nothing: the cursor still stands there and may go on.
public struct KeyspaceCursor<Key: Sendable, Value>: ~Copyable {
    private var cursor: Cursor
    private let layout: KeyspaceLayout<Key, Value>

    init(_ cursor: consuming Cursor, _ layout: KeyspaceLayout<Key, Value>) {
        self.cursor = cursor
        self.layout = layout
    }

    /// Moves to the next entry in the cursor's direction.
    ///
    /// - Returns: whether there is one. Once `false`, it stays `false` until ``seek(to:)``.
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`. Once thrown, it is thrown again by every later call.
    public mutating func advance() throws(LevelError) -> Bool {
        try cursor.advance()
    }

    /// Moves to the next entry and reads it; `nil` if there is none.
    ///
    /// - Throws: ``LevelError``: `malformedEntry`, and what ``advance()`` throws.
    public mutating func next() throws(LevelError) -> (key: Key, value: Value)? {
        guard try advance() else { return nil }
        return (try key, try value)
    }

    /// Makes the next ``advance()`` begin at `key`: at the first key that does not come before it, or in reverse at the
    /// last key that does not come after it. A key outside the range begins at the near end of the range, or finds
    /// nothing.
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

    /// The key at the position as the database has it, in bytes, with the prefix of the keyspace.
    ///
    /// - Precondition: the last ``advance()`` returned `true`.
    public var keyBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { cursor.key }
    }

    /// The value at the position, in bytes.
    ///
    /// - Precondition: the last ``advance()`` returned `true`.
    public var valueBytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { cursor.value }
    }
}

@available(*, unavailable)
extension KeyspaceCursor: Sendable {}
