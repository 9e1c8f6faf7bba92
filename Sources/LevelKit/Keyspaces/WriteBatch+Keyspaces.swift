/// Entries of keyspaces, of one or of several, in one unit.
///
/// ```swift
/// try database.write { batch in
///     try batch.put(photo, forKey: id, in: photos)
///     try batch.insert((photo.taken, id), in: photosByDate)
/// }
/// ```
///
/// The keyspaces must be of the database that the batch is written to.
extension WriteBatch {
    /// Adds a put into a keyspace.
    ///
    /// - Throws: ``LevelError``: `invalidArgument` if the codec has no bytes for the value; `tooLarge`. The batch is as
    ///   before.
    public func put<Key, Value>(
        _ value: Value, forKey key: Key, in keyspace: Keyspace<Key, Value>
    ) throws(LevelError) {
        try put(keyspace.view.layout.encode(value), forKey: keyspace.packed(key))
    }

    /// Adds a put of a key into a keyspace that has nothing but keys.
    ///
    /// - Throws: ``LevelError`` with `tooLarge`; the batch is as before.
    public func insert<Key>(_ key: Key, in keyspace: Keyspace<Key, Void>) throws(LevelError) {
        try put((), forKey: key, in: keyspace)
    }

    /// Adds a deletion from a keyspace.
    ///
    /// - Throws: ``LevelError`` with `tooLarge`; the batch is as before.
    public func delete<Key, Value>(_ key: Key, in keyspace: Keyspace<Key, Value>) throws(LevelError) {
        try delete(keyspace.packed(key))
    }
}
