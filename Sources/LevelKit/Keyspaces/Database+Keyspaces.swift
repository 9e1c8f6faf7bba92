extension Database {
    /// Opens a keyspace, and records it if it does not exist yet.
    ///
    /// - Parameters:
    ///   - name: any string of 1 to 255 UTF-8 bytes. Keyspaces cannot be renamed: another name is another keyspace.
    ///   - key: the schema of its keys.
    ///   - value: the codec of its values.
    /// - Throws: ``LevelError``: `schemaMismatch` if the keyspace is recorded with a different schema or codec, or if
    ///   other keys occupy the region of the keyspaces; `invalidArgument` for the name; `notSupported` if the database
    ///   is not in ``KeyOrder/bytewise`` order, or was written by a later version; `corruption`, `io`, `closed`.
    /// - Complexity: two reads, plus a synced write if the keyspace is new.
    public func keyspace<Key, Value>(
        _ name: String, key: KeySchema<Key>, value: ValueCodec<Value>
    ) throws(LevelError) -> Keyspace<Key, Value> {
        let description = Database.KeyspaceDescription(
            name: name, keyDefinition: key.definition, keyFingerprint: key.fingerprint, codecName: value.name,
            codecVersion: value.version)
        let number = try KeyspaceCatalog(database: self).open(description)
        let layout = KeyspaceLayout(
            name: name, schema: key, codec: value, prefix: KeyspaceCatalog.subspace(number: number).prefix)
        return Keyspace(database: self, description: description, layout: layout)
    }

    /// Opens a keyspace with the name of its key schema; see `keyspace(_:key:value:)`.
    public func keyspace<Key, Value>(
        _ key: KeySchema<Key>, value: ValueCodec<Value>
    ) throws(LevelError) -> Keyspace<Key, Value> {
        try keyspace(key.name, key: key, value: value)
    }

    /// Opens a keyspace whose keys are single values in ascending order.
    ///
    /// Its schema is recorded as `key v1 (key: …)` with the type of the keys.
    ///
    /// ```swift
    /// let ratings = try database.keyspace("ratings", key: String.self, value: .json(Rating.self))
    /// ```
    public func keyspace<Key: KeyElementCodable, Value>(
        _ name: String, key: Key.Type, value: ValueCodec<Value>
    ) throws(LevelError) -> Keyspace<Key, Value> {
        try keyspace(name, key: KeySchema("key", KeyComponent<Key>("key")), value: value)
    }

    /// Returns the recorded keyspaces, sorted by the UTF-8 bytes of their names. Empty if the database has none.
    ///
    /// - Throws: ``LevelError``: `schemaMismatch` if other keys occupy the region of the keyspaces; `notSupported`,
    ///   `corruption`, `io`, `closed`.
    public func keyspaces() throws(LevelError) -> [Database.KeyspaceDescription] {
        try KeyspaceCatalog(database: self).records().map(\.description)
    }

    /// Deletes a keyspace with all its entries. Its name may then be reused.
    ///
    /// The deletion is not atomic. A crash may leave the keyspace with fewer entries, and calling this again deletes
    /// the rest. Do not write to a ``Keyspace`` that was opened before the deletion: its entries can no longer be
    /// found.
    ///
    /// - Returns: whether the keyspace existed.
    /// - Throws: ``LevelError``: like ``keyspaces()``.
    /// - Complexity: O(*n*) in the entries.
    @discardableResult
    public func removeKeyspace(_ name: String) throws(LevelError) -> Bool {
        try KeyspaceCatalog(database: self).remove(name)
    }
}
