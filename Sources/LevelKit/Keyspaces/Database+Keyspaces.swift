extension Database {
    /// Opens a keyspace, and records it if there is none of the name.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes of any text. Renaming is not possible: a keyspace of another name is another one.
    ///   - key: what its keys are.
    ///   - value: what its values are.
    /// - Throws: ``LevelError``: `schemaMismatch` if the keyspace is recorded with another schema or codec, or if other
    ///   keys lie where keyspaces are kept; `invalidArgument` for the name; `notSupported` if the database is not in
    ///   ``KeyOrder/bytewise`` order, or was written by a later version; `corruption`, `io`, `closed`.
    /// - Complexity: two reads; a synced write if the keyspace is new.
    public func keyspace<Key, Value>(
        _ name: String, key: KeySchema<Key>, value: ValueCodec<Value>
    ) throws(LevelError) -> Keyspace<Key, Value> {
        let description = KeyspaceDescription(
            name: name, keyDefinition: key.definition, keyFingerprint: key.fingerprint, codecName: value.name,
            codecVersion: value.version)
        let number = try KeyspaceCatalog(database: self).open(description)
        let layout = KeyspaceLayout(
            name: name, schema: key, codec: value, prefix: KeyspaceCatalog.subspace(number: number).prefix)
        return Keyspace(database: self, description: description, layout: layout)
    }

    /// Opens a keyspace that has the name of its key schema, as `keyspace(_:key:value:)` does.
    public func keyspace<Key, Value>(
        _ key: KeySchema<Key>, value: ValueCodec<Value>
    ) throws(LevelError) -> Keyspace<Key, Value> {
        try keyspace(key.name, key: key, value: value)
    }

    /// Opens a keyspace whose keys are single values in rising order.
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

    /// What the database records of its keyspaces, in the order of the UTF-8 of their names; empty if it has none.
    ///
    /// - Throws: ``LevelError``: `schemaMismatch` if other keys lie where keyspaces are kept; `notSupported`,
    ///   `corruption`, `io`, `closed`.
    public func keyspaces() throws(LevelError) -> [KeyspaceDescription] {
        try KeyspaceCatalog(database: self).records().map(\.description)
    }

    /// Removes a keyspace with all its entries. Its name may then be used for another one.
    ///
    /// Not one unit: a crash in between leaves the keyspace with fewer entries, and removing it again goes on. Do not
    /// write to a ``Keyspace`` that was opened before: nobody would find the entries again.
    ///
    /// - Returns: whether there was a keyspace of the name.
    /// - Throws: ``LevelError``: as ``keyspaces()``.
    /// - Complexity: O(*n*) in the entries.
    @discardableResult
    public func removeKeyspace(_ name: String) throws(LevelError) -> Bool {
        try KeyspaceCatalog(database: self).remove(name)
    }
}
