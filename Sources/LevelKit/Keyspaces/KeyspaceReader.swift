/// A source of reads from a keyspace: a ``Keyspace`` (its newest state) or a ``KeyspaceView`` (the state of a
/// snapshot).
///
/// All reads throw ``LevelError``: `malformedEntry` if a key or value does not match the recorded schema or codec, and
/// the errors of ``KeyValueReader``.
public protocol KeyspaceReader<Key, Value>: Sendable {
    /// The type of the keys.
    associatedtype Key: Sendable
    /// The type of the values.
    associatedtype Value

    /// The view through which reads go.
    var view: KeyspaceView<Key, Value> { get }
}

/// A readable view of a keyspace: the newest state of a database, or the state of a snapshot.
public struct KeyspaceView<Key: Sendable, Value>: KeyspaceReader {
    let reader: any KeyValueReader
    let layout: KeyspaceLayout<Key, Value>

    init(reader: any KeyValueReader, layout: KeyspaceLayout<Key, Value>) {
        self.reader = reader
        self.layout = layout
    }

    /// This view.
    public var view: KeyspaceView { self }
}

// MARK: - Single entries

extension KeyspaceReader {
    /// Returns the value of a key, or `nil` if the key does not exist.
    ///
    /// - Throws: ``LevelError``: `malformedEntry`, `corruption`, `io`, `closed`.
    public func value(forKey key: Key) throws(LevelError) -> Value? {
        let layout = view.layout
        return try view.reader.withValue(forKey: layout.pack(key)) { (bytes) throws(LevelError) in
            try layout.value(bytes)
        }
    }

    /// Returns whether a key exists. The value is not decoded.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`.
    public func contains(_ key: Key) throws(LevelError) -> Bool {
        try view.reader.contains(view.layout.pack(key))
    }

    /// Returns the entry with the first key of a range, in key order, or `nil` if the range is empty.
    ///
    /// - Throws: ``LevelError``: `malformedEntry`, `corruption`, `io`, `closed`.
    public func first(in range: TypedKeyRange<Key> = .all) throws(LevelError) -> (key: Key, value: Value)? {
        var cursor = try cursor(in: range)
        return try cursor.next()
    }

    /// Returns the entry with the last key of a range, in key order, or `nil` if the range is empty.
    ///
    /// - Throws: ``LevelError``: `malformedEntry`, `corruption`, `io`, `closed`.
    public func last(in range: TypedKeyRange<Key> = .all) throws(LevelError) -> (key: Key, value: Value)? {
        var cursor = try cursor(in: range, direction: .descending)
        return try cursor.next()
    }
}

// MARK: - Ranges

extension KeyspaceReader {
    /// Returns a cursor over a range of keys.
    ///
    /// - Parameters:
    ///   - range: the keys to visit.
    ///   - direction: whether the first or the last key of the key order comes first.
    ///   - cache: whether the blocks read are added to the cache.
    /// - Throws: ``LevelError`` with `closed`.
    public func cursor(
        in range: TypedKeyRange<Key> = .all, direction: KeyDirection = .ascending, cache: Cursor.CacheUse = .fill
    ) throws(LevelError) -> KeyspaceCursor<Key, Value> {
        let layout = view.layout
        return KeyspaceCursor(
            try view.reader.cursor(in: layout.range(range), direction: direction, cache: cache), layout)
    }

    /// Returns the entries of a range as an array, for a `for` loop.
    ///
    /// - Parameters:
    ///   - range: the keys to read.
    ///   - direction: the order of the entries.
    ///   - limit: the maximum number of entries to read; `nil` for all.
    /// - Throws: ``LevelError``: `malformedEntry`, `corruption`, `io`, `closed`.
    /// - Complexity: O(*n*) in time and memory. A ``cursor(in:direction:cache:)`` keeps only one entry at a time.
    public func entries(
        in range: TypedKeyRange<Key> = .all, direction: KeyDirection = .ascending, limit: Int? = nil
    ) throws(LevelError) -> [(key: Key, value: Value)] {
        var entries: [(key: Key, value: Value)] = []
        var cursor = try cursor(in: range, direction: direction)
        while entries.count < limit ?? .max, let entry = try cursor.next() { entries.append(entry) }
        return entries
    }

    /// Returns the number of keys in a range. Neither keys nor values are decoded.
    ///
    /// - Throws: ``LevelError``: `corruption`, `io`, `closed`.
    /// - Complexity: O(*n*) in the number of keys in the range.
    public func count(in range: TypedKeyRange<Key> = .all) throws(LevelError) -> Int {
        try view.reader.count(in: view.layout.range(range))
    }
}
