/// A separate ordered map within a database, with typed keys and values.
///
/// ```swift
/// let ratings = try database.keyspace("ratings", key: String.self, value: .json(Rating.self))
///
/// try ratings.put(Rating(stars: 5), forKey: "IMG_0231")
/// let rating = try ratings.value(forKey: "IMG_0231")
///
/// var cursor = try ratings.cursor(in: .range("IMG_02"..<"IMG_03"))
/// while try cursor.advance() {
///     print(try cursor.key, try cursor.value.stars)
/// }
/// ```
///
/// The database records the name of a keyspace together with the schema of its keys and the codec of its values. A
/// keyspace cannot be opened with another ``KeySchema`` or ``ValueCodec``. Keyspaces share no keys with one another,
/// nor with tuples and strings that are written to the database without a keyspace.
///
/// A keyspace is a small value that any number of threads may use. Opening the same one again is cheap. Read with the
/// methods of ``KeyspaceReader``; a ``WriteBatch`` writes to several keyspaces atomically.
public struct Keyspace<Key: Sendable, Value>: Sendable {
    /// The database that contains the keyspace.
    public let database: Database
    /// The recorded description of the keyspace.
    public let description: Database.KeyspaceDescription
    /// The view that reads the newest state.
    public let view: KeyspaceView<Key, Value>

    init(database: Database, description: Database.KeyspaceDescription, layout: KeyspaceLayout<Key, Value>) {
        self.database = database
        self.description = description
        view = KeyspaceView(reader: database, layout: layout)
    }

    /// The name of the keyspace.
    public var name: String { view.layout.name }

    /// The schema of its keys.
    public var schema: KeySchema<Key> { view.layout.schema }

    /// The codec of its values.
    public var codec: ValueCodec<Value> { view.layout.codec }

    /// The subspace of the database that contains the keys; for compactions, sizes and tools.
    public var subspace: Subspace { Subspace(prefix: view.layout.prefix) }

    /// Returns the bytes of a key in the database.
    public func packed(_ key: Key) -> [UInt8] { view.layout.pack(key) }

    /// Returns the byte range of a range of keys in the database.
    public func keyRange(_ range: TypedKeyRange<Key>) -> KeyRange { view.layout.range(range) }
}

extension Keyspace: KeyspaceReader {
    /// Returns a read-only view of the keyspace in the state of a snapshot.
    ///
    /// - Throws: ``LevelError`` with `invalidArgument` if the snapshot is of another database.
    public func at(_ snapshot: Snapshot) throws(LevelError) -> KeyspaceView<Key, Value> {
        guard snapshot.core === database.core else {
            throw LevelError(
                .invalidArgument,
                "the keyspace \(name) belongs to \(database.path), but the snapshot is of \(snapshot.core.path); "
                    + "use a snapshot of the same database")
        }
        return KeyspaceView(reader: snapshot, layout: view.layout)
    }
}

// MARK: - Writing

extension Keyspace {
    /// Stores a value under a key, replacing any existing value.
    ///
    /// - Throws: ``LevelError``: `invalidArgument` if the codec cannot encode the value; `tooLarge`, `io`, `closed`.
    public func put(_ value: Value, forKey key: Key, durability: Durability = .buffered) throws(LevelError) {
        try database.put(view.layout.encode(value), forKey: packed(key), durability: durability)
    }

    /// Deletes a key and its value. A missing key is not an error.
    ///
    /// - Throws: ``LevelError``: `io`, `closed`.
    public func delete(_ key: Key, durability: Durability = .buffered) throws(LevelError) {
        try database.delete(packed(key), durability: durability)
    }

    /// Deletes all keys in a range, in batches of bounded size. Not atomic; see
    /// ``Database/deleteRange(_:batchByteCount:durability:)``.
    ///
    /// - Returns: the number of deleted keys.
    /// - Complexity: O(*n*) in the number of keys in the range.
    @discardableResult
    public func deleteRange(
        _ range: TypedKeyRange<Key>, durability: Durability = .buffered
    ) throws(LevelError) -> Int {
        try database.deleteRange(keyRange(range), durability: durability)
    }
}

extension Keyspace where Value == Void {
    /// Stores a key without a value.
    ///
    /// - Throws: ``LevelError``: `tooLarge`, `io`, `closed`.
    public func insert(_ key: Key, durability: Durability = .buffered) throws(LevelError) {
        try put((), forKey: key, durability: durability)
    }
}
