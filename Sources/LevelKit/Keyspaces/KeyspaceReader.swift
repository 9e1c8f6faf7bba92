/// What a keyspace can be read from: a ``Keyspace`` (its newest state) or a ``KeyspaceView`` (the state of a snapshot).
///
/// All reads throw ``LevelError``: `malformedEntry` where a key or value is not what the keyspace is recorded to hold;
/// and what the reads of a ``KeyValueReader`` throw.
public protocol KeyspaceReader<Key, Value>: Sendable {
    /// The type of the keys.
    associatedtype Key: Sendable
    /// The type of the values.
    associatedtype Value

    /// What the reads go through.
    var view: KeyspaceView<Key, Value> { get }
}

/// A keyspace to read from: the newest state of a database, or that of a snapshot.
public struct KeyspaceView<Key: Sendable, Value>: KeyspaceReader {
    let reader: any KeyValueReader
    let layout: KeyspaceLayout<Key, Value>

    init(reader: any KeyValueReader, layout: KeyspaceLayout<Key, Value>) {
        self.reader = reader
        self.layout = layout
    }

    /// The view itself.
    public var view: KeyspaceView { self }
}

// MARK: - Single entries

extension KeyspaceReader {
    /// The value of a key; `nil` if there is no such key.
    ///
    /// - Throws: ``LevelError``: `malformedEntry`, `corruption`, `io`, `closed`.
    public func value(forKey key: Key) throws(LevelError) -> Value? {
        let layout = view.layout
        return try view.reader.withValue(forKey: layout.pack(key)) { (bytes) throws(LevelError) in
            try layout.value(bytes)
        }
    }

    /// Whether there is such a key. The value is not decoded.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`.
    public func contains(_ key: Key) throws(LevelError) -> Bool {
        try view.reader.contains(view.layout.pack(key))
    }

    /// The entry with the first key of a range, in the order of keys; `nil` if the range has none.
    ///
    /// - Throws: ``LevelError``: `malformedEntry`, `corruption`, `io`, `closed`.
    public func first(in range: TypedKeyRange<Key> = .all) throws(LevelError) -> (key: Key, value: Value)? {
        var cursor = try cursor(in: range)
        return try cursor.next()
    }

    /// The entry with the last key of a range, in the order of keys; `nil` if the range has none.
    ///
    /// - Throws: ``LevelError``: `malformedEntry`, `corruption`, `io`, `closed`.
    public func last(in range: TypedKeyRange<Key> = .all) throws(LevelError) -> (key: Key, value: Value)? {
        var cursor = try cursor(in: range, reverse: true)
        return try cursor.next()
    }
}

// MARK: - Ranges

extension KeyspaceReader {
    /// A cursor over a range of keys.
    ///
    /// - Parameters:
    ///   - range: the keys to visit.
    ///   - reverse: whether the last key comes first.
    ///   - fillsCache: whether blocks that are read stay in the cache; say `false` for a long scan.
    /// - Throws: ``LevelError`` with `closed`.
    public func cursor(
        in range: TypedKeyRange<Key> = .all, reverse: Bool = false, fillsCache: Bool = true
    ) throws(LevelError) -> KeyspaceCursor<Key, Value> {
        let layout = view.layout
        return KeyspaceCursor(
            try view.reader.cursor(in: layout.range(range), reverse: reverse, fillsCache: fillsCache), layout)
    }

    /// The entries of a range in memory, for a `for` loop.
    ///
    /// - Parameter limit: the most entries to read; `nil` for all.
    /// - Throws: ``LevelError``: `malformedEntry`, `corruption`, `io`, `closed`.
    /// - Complexity: O(*n*) in time and memory; a ``cursor(in:reverse:fillsCache:)`` holds one entry at a time.
    public func entries(
        in range: TypedKeyRange<Key> = .all, reverse: Bool = false, limit: Int? = nil
    ) throws(LevelError) -> [(key: Key, value: Value)] {
        var entries: [(key: Key, value: Value)] = []
        var cursor = try cursor(in: range, reverse: reverse)
        while entries.count < limit ?? .max, let entry = try cursor.next() { entries.append(entry) }
        return entries
    }

    /// How many keys a range has. Neither keys nor values are decoded.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`.
    /// - Complexity: O(*n*) in the keys of the range.
    public func count(in range: TypedKeyRange<Key> = .all) throws(LevelError) -> Int {
        try view.reader.count(in: view.layout.range(range))
    }
}
