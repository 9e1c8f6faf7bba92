/// A part of a database with keys and values of given types: an ordered map of its own.
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
/// A keyspace has a name in its database, and what its keys and values are is recorded under that name: it cannot be
/// opened with another ``KeySchema`` or another ``ValueCodec``. No two keyspaces share a key, and none meets the tuples
/// and texts that are written to the database without a keyspace.
///
/// A keyspace is a small value that any number of threads may use; opening the same one again is cheap. Reads are those
/// of ``KeyspaceReader``, and a ``WriteBatch`` writes to several keyspaces as one unit.
public struct Keyspace<Key: Sendable, Value>: Sendable {
    /// The database that the keyspace is a part of.
    public let database: Database
    /// What is recorded of the keyspace.
    public let description: KeyspaceDescription
    /// What reads of the newest state go through.
    public let view: KeyspaceView<Key, Value>

    init(database: Database, description: KeyspaceDescription, layout: KeyspaceLayout<Key, Value>) {
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

    /// Where the keys of the keyspace lie in the database; for compactions, sizes and tools.
    public var subspace: Subspace { Subspace(prefix: view.layout.prefix) }

    /// The bytes under which the database has a key.
    public func packed(_ key: Key) -> [UInt8] { view.layout.pack(key) }

    /// The bytes of a range of keys in the database.
    public func keyRange(_ range: TypedKeyRange<Key>) -> KeyRange { view.layout.range(range) }
}

extension Keyspace: KeyspaceReader {
    /// The keyspace as it was when a snapshot was made. It cannot be written to.
    ///
    /// - Throws: ``LevelError`` with `invalidArgument` if the snapshot is of another database.
    public func at(_ snapshot: Snapshot) throws(LevelError) -> KeyspaceView<Key, Value> {
        guard snapshot.core === database.core else {
            throw LevelError(
                .invalidArgument,
                "the keyspace \(name) is a part of \(database.path), and the snapshot is of \(snapshot.core.path); "
                    + "make one of the same database")
        }
        return KeyspaceView(reader: snapshot, layout: view.layout)
    }
}

// MARK: - Writing

extension Keyspace {
    /// Stores a value under a key, in place of the one that was there.
    ///
    /// - Throws: ``LevelError``: `invalidArgument` if the codec has no bytes for the value; `tooLarge`, `io`, `closed`.
    public func put(_ value: Value, forKey key: Key, durability: Durability = .buffered) throws(LevelError) {
        try database.put(view.layout.encode(value), forKey: packed(key), durability: durability)
    }

    /// Removes a key and its value. A key that is not there is no error.
    ///
    /// - Throws: ``LevelError``: `io`, `closed`.
    public func delete(_ key: Key, durability: Durability = .buffered) throws(LevelError) {
        try database.delete(packed(key), durability: durability)
    }

    /// Removes every key of a range, in batches of bounded size, as
    /// ``Database/deleteRange(_:batchByteCount:durability:)`` does: not as one unit.
    ///
    /// - Returns: how many keys were removed.
    /// - Complexity: O(*n*) in the keys of the range.
    @discardableResult
    public func deleteRange(
        _ range: TypedKeyRange<Key>, durability: Durability = .buffered
    ) throws(LevelError) -> Int {
        try database.deleteRange(keyRange(range), durability: durability)
    }
}

extension Keyspace where Value == Void {
    /// Stores a key, which is all that an entry of this keyspace is.
    ///
    /// - Throws: ``LevelError``: `tooLarge`, `io`, `closed`.
    public func insert(_ key: Key, durability: Durability = .buffered) throws(LevelError) {
        try put((), forKey: key, durability: durability)
    }
}
