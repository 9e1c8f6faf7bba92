/// Writes to one or several keyspaces atomically.
///
/// ```swift
/// try database.write { batch in
///     try batch.put(photo, forKey: id, in: photos)
///     try batch.insert((photo.taken, id), in: photosByDate)
/// }
/// ```
///
/// The keyspaces must belong to the database that the batch is written to.
extension WriteBatch {
    /// Adds a put to a keyspace.
    ///
    /// - Throws: ``LevelError``: `invalidArgument` if the codec cannot encode the value; `tooLarge`. The batch is then
    ///   unchanged.
    public func put<Key, Value>(
        _ value: Value, forKey key: Key, in keyspace: Keyspace<Key, Value>
    ) throws(LevelError) {
        try put(keyspace.view.layout.encode(value), forKey: keyspace.packed(key))
    }

    /// Adds a put of a key to a keyspace without values.
    ///
    /// - Throws: ``LevelError`` with `tooLarge`. The batch is then unchanged.
    public func insert<Key>(_ key: Key, in keyspace: Keyspace<Key, Void>) throws(LevelError) {
        try put((), forKey: key, in: keyspace)
    }

    /// Adds a deletion from a keyspace.
    ///
    /// - Throws: ``LevelError`` with `tooLarge`. The batch is then unchanged.
    public func delete<Key, Value>(_ key: Key, in keyspace: Keyspace<Key, Value>) throws(LevelError) {
        try delete(keyspace.packed(key))
    }
}
