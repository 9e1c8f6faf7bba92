internal import Synchronization

/// The records of a database's keyspaces, and the layout of their keys.
///
/// Stored on disk, never change. All keys start with `fe 4b 53` (`fe`, "KS"). Tuples never start with `fe`, and UTF-8
/// never contains it, so tuple and string keys cannot collide with these keys. A tuple follows the prefix:
///
/// | key | value |
/// |---|---|
/// | `fe 4b 53` null | tuple: format (1), the number of the next keyspace |
/// | `fe 4b 53` name | ``KeyspaceRecord`` of the keyspace |
/// | `fe 4b 53` number key… | the values of the keyspace |
///
/// Nothing is written before the first keyspace is opened, and then only if the region contains no other key. Numbers
/// increase and are never reused. A keyspace that is deleted and created again therefore never sees old keys, not even
/// those that LevelDB 1.23 resurrects (google/leveldb#887).
struct KeyspaceCatalog {
    /// The subspace of all keys that LevelKit itself writes.
    static let root = Subspace(prefix: [0xfe, 0x4b, 0x53])
    private static let headerKey = root.pack([nil])
    private static let format: Int64 = 1
    /// Held while a keyspace is looked up and recorded, so that two threads do not assign two numbers to a name.
    private static let registration = Mutex(())

    let database: Database

    /// Returns the subspace of a keyspace's keys.
    static func subspace(number: Int64) -> Subspace { root[.int(number)] }

    private static func recordKey(_ name: String) -> [UInt8] { root.pack([.string(name)]) }
}

// MARK: - Opening and removing

extension KeyspaceCatalog {
    /// Returns the number of a keyspace. Records the keyspace if it does not exist.
    ///
    /// - Throws: ``LevelError``: `schemaMismatch` if the recorded description differs; `invalidArgument`,
    ///   `notSupported`, `corruption`.
    func open(_ given: Database.KeyspaceDescription) throws(LevelError) -> Int64 {
        try requireOrder()
        guard !given.name.isEmpty, given.name.utf8.count <= 255 else {
            throw LevelError(
                .invalidArgument,
                "the name of a keyspace has \(given.name.utf8.count) bytes; use 1 to 255 bytes")
        }
        return try Self.registration.withLock { (_) throws(LevelError) in
            let next = try nextNumber()
            if let record = try record(given.name) {
                guard record.description == given else { throw mismatch(record.description, given) }
                return record.number
            }
            let number = next ?? 1
            let batch = WriteBatch()
            try batch.put(Tuple([.int(Self.format), .int(number + 1)]).packed(), forKey: Self.headerKey)
            try batch.put(
                KeyspaceRecord(description: given, number: number).encoded(), forKey: Self.recordKey(given.name))
            // Synced, so that no value of the keyspace survives without the record that describes it.
            try database.write(batch, durability: .synced)
            return number
        }
    }

    /// Returns the records of all keyspaces, sorted by name.
    func records() throws(LevelError) -> [KeyspaceRecord] {
        try requireOrder()
        guard try nextNumber() != nil else { return [] }
        var records: [KeyspaceRecord] = []
        // Covers all strings. Their type code directly follows the code of byte strings, which no key here uses.
        let range = KeyRange.prefix(Self.root.prefix + [TupleCode.string])
        var cursor = try database.cursor(in: range)
        while try cursor.advance() {
            guard let name = try? Self.root.unpack(cursor.key), name.count == 1, case .string(let name) = name[0] else {
                throw damaged("a record of a keyspace has no name")
            }
            records.append(try KeyspaceRecord(cursor.value.copied(), name: name, path: database.path))
        }
        return records
    }

    /// Deletes the keys of a keyspace, and then its record.
    ///
    /// - Returns: whether the keyspace existed.
    func remove(_ name: String) throws(LevelError) -> Bool {
        try requireOrder()
        guard try nextNumber() != nil, let record = try record(name) else { return false }
        // Outside the lock, which all databases share, because this may take long.
        try database.deleteRange(Self.subspace(number: record.number).range)
        return try Self.registration.withLock { (_) throws(LevelError) in
            // Another thread may have deleted the keyspace, and even created it again.
            guard try self.record(name) == record else { return false }
            try database.delete(Self.recordKey(name), durability: .synced)
            return true
        }
    }

    private func record(_ name: String) throws(LevelError) -> KeyspaceRecord? {
        guard let value = try database.value(forKey: Self.recordKey(name)) else { return nil }
        return try KeyspaceRecord(value, name: name, path: database.path)
    }

    /// Returns the number for the next keyspace, or `nil` if the database never had one.
    private func nextNumber() throws(LevelError) -> Int64? {
        guard let value = try database.value(forKey: Self.headerKey) else {
            var cursor = try database.cursor(in: .prefix(Self.root.prefix))
            guard try cursor.advance() else { return nil }
            throw LevelError(
                .schemaMismatch,
                "\(database.path) contains other keys that start with \(hexadecimal(Self.root.prefix)), where "
                    + "keyspaces are stored; move them to other keys, or use keyspaces in another database")
        }
        guard let header = try? Tuple(packed: value), case .int(let format)? = header.first else {
            throw damaged("the header of the keyspaces is unreadable")
        }
        guard format == Self.format else {
            throw LevelError(
                .notSupported,
                "the keyspaces of \(database.path) have format \(format), but this version of LevelKit supports only format "
                    + "\(Self.format); use a later version")
        }
        guard header.count == 2, case .int(let number) = header[1], number > 0, number < .max else {
            throw damaged("the header of the keyspaces is unreadable")
        }
        return number
    }

    /// Throws unless the database is in bytewise order. Keyspaces order keys by their bytes, and their ranges are
    /// meaningless in another order.
    private func requireOrder() throws(LevelError) {
        guard database.order == .bytewise else {
            throw LevelError(
                .notSupported,
                "\(database.path) is ordered by \(database.order.name), but keyspaces require \(KeyOrder.bytewise.name); "
                    + "use descending components instead of a custom order of the database")
        }
    }
}

// MARK: - The messages

extension KeyspaceCatalog {
    private func damaged(_ cause: String) -> LevelError {
        KeyspaceRecord.damaged(path: database.path, cause)
    }

    private func mismatch(_ stored: Database.KeyspaceDescription, _ given: Database.KeyspaceDescription) -> LevelError {
        var differences: [String] = []
        if stored.keyDefinition != given.keyDefinition {
            differences.append(
                "its keys are \(stored.keyDefinition) [\(stored.keyFingerprint)], but were given as "
                    + "\(given.keyDefinition) [\(given.keyFingerprint)]")
        }
        if stored.codec != given.codec {
            differences.append("its values are \(stored.codec), but were given as \(given.codec)")
        }
        return LevelError(
            .schemaMismatch,
            "could not open the keyspace \(given.name) of \(database.path): \(differences.joined(separator: "; ")). "
                + "Open it as recorded, or copy its entries to another keyspace")
    }
}
