/// An ordered map from keys to values, both plain bytes, kept in a directory by LevelDB.
///
/// One process at a time has a database open; within it, any number of threads may use the same `Database`. Every read
/// sees all writes that returned before it. ``Snapshot`` gives a view that later writes do not change.
///
/// ```swift
/// let database = try Database.open(at: "photos.db")
/// try database.put("sunset", forKey: "photo/1")
/// let value = try database.value(forKey: "photo/1")
/// try database.close()
/// ```
public final class Database: Sendable {
    let core: DatabaseCore

    private init(core: DatabaseCore) {
        self.core = core
    }

    /// The absolute path of the directory.
    public var path: String { core.path }

    /// The order of the keys.
    public var order: KeyOrder { core.order }

    // MARK: - Opening and closing

    /// Opens the database in a directory.
    ///
    /// Where opening fails, nothing is left behind that was not there before. A directory that holds other files, or
    /// tables without a `CURRENT` file, is never taken for an empty one.
    ///
    /// - Parameters:
    ///   - path: the directory; made absolute, so that a later `chdir` changes nothing.
    ///   - options: see ``DatabaseOptions``.
    ///   - mode: `readOnly` to read the database as it is at this moment, without a lock and without a change to any byte
    ///     in its directory; see <doc:OpeningADatabase>. Nothing is created then.
    /// - Throws: ``LevelError``: `databaseNotFound`, `databaseExists`, `locked` (with the process that holds it),
    ///   `corruption`, `comparatorMismatch`, `notSupported` for tables that another program compressed,
    ///   `invalidArgument`, `io`; for reading also `busy`, if another process changes the database faster than its files can
    ///   be opened.
    /// - Complexity: reads the log of the last session, up to two write buffers, and the indexes of tables, up to
    ///   some mebibytes. For reading, tables that other users can change are copied and read whole. With
    ///   ``DatabaseOptions/checksEveryBlock`` all tables are read whole.
    public static func open(
        at path: String, options: DatabaseOptions = DatabaseOptions(), mode: Mode = .readWrite
    ) throws(LevelError) -> Database {
        ForkGeneration.install()
        try options.validate()
        let directory = try DatabaseDirectory(path)
        try ForkGeneration.requireEngine(for: directory.path)
        if mode == .readOnly {
            return Database(core: try ReadOnlyOpening(directory: directory, options: options).run())
        }
        var opening = Opening(directory: directory, options: options)
        return Database(core: try opening.run())
    }

    /// Closes the database: waits for calls of other threads, releases snapshots, lets the directory go. Later calls on
    /// this database, its snapshots and its cursors throw `closed`. Closing twice does nothing.
    ///
    /// A database that is not closed is closed when the last reference to it goes.
    ///
    /// - Throws: ``LevelError`` with `cursorsAlive` if a cursor of the calling thread stands on an entry, whose bytes may
    ///   be in use, or one of another thread that has not taken its next step within two seconds or more; the directory is
    ///   then let go when that cursor goes out of scope. A cursor that has come to its end, or has not been moved, keeps nothing.
    public func close() throws(LevelError) {
        try core.close()
    }

    // MARK: - Writing

    /// Stores a value under a key, in place of the one that was there.
    ///
    /// - Throws: ``LevelError``: `tooLarge`, `io`, `closed`.
    public func put(
        _ value: Span<UInt8>, forKey key: Span<UInt8>, durability: Durability = .buffered
    ) throws(LevelError) {
        try SizeLimit.check(keyByteCount: key.count, valueByteCount: value.count)
        try core.write(
            key.count + value.count + 20, durability,
            forEachKey: { body in body(key) }
        ) { (synced) throws(LevelError) in
            try core.engine.put(key, value, synced: synced)
        }
    }

    /// Stores a value under a key; see ``put(_:forKey:durability:)-(Span<UInt8>,_,_)``.
    public func put(
        _ value: [UInt8], forKey key: [UInt8], durability: Durability = .buffered
    ) throws(LevelError) {
        try put(value.span, forKey: key.span, durability: durability)
    }

    /// Stores a text under a key that is a text, both as UTF-8.
    public func put(_ value: String, forKey key: String, durability: Durability = .buffered) throws(LevelError) {
        try put(Array(value.utf8), forKey: Array(key.utf8), durability: durability)
    }

    /// Removes a key and its value. A key that is not there is no error.
    ///
    /// - Throws: ``LevelError``: `io`, `closed`.
    public func delete(_ key: Span<UInt8>, durability: Durability = .buffered) throws(LevelError) {
        try SizeLimit.check(keyByteCount: key.count, valueByteCount: 0)
        try core.write(
            key.count + 20, durability,
            forEachKey: { body in body(key) }
        ) { (synced) throws(LevelError) in
            try core.engine.delete(key, synced: synced)
        }
    }

    /// Removes a key and its value; see ``delete(_:durability:)-(Span<UInt8>,_)``.
    public func delete(_ key: [UInt8], durability: Durability = .buffered) throws(LevelError) {
        try delete(key.span, durability: durability)
    }

    /// Removes a key that is a text.
    public func delete(_ key: String, durability: Durability = .buffered) throws(LevelError) {
        try delete(Array(key.utf8), durability: durability)
    }

    /// Writes what `body` puts into a batch, as one unit. If `body` throws, nothing is written.
    ///
    /// ```swift
    /// try database.write { batch in
    ///     try batch.put("1", forKey: "a")
    ///     try batch.delete("b")
    /// }
    /// ```
    ///
    /// - Returns: what `body` returns.
    public func write<R>(durability: Durability = .buffered, _ body: (WriteBatch) throws -> R) throws -> R {
        let batch = WriteBatch()
        let result = try body(batch)
        try write(batch, durability: durability)
        return result
    }

    /// Writes a batch as one unit: after a crash all of it is there or nothing. The batch keeps its content and may be
    /// written again. An empty batch is not written.
    ///
    /// - Throws: ``LevelError``: `tooLarge`, `io`, `closed`.
    public func write(_ batch: WriteBatch, durability: Durability = .buffered) throws(LevelError) {
        guard batch.count > 0 else {
            // LevelDB appends 19 bytes to its log for each empty batch and never starts a new log for them.
            try core.requireWritable()
            try core.enter()
            core.leave()
            return
        }
        try core.write(batch.byteCount, durability, forEachKey: batch.engine.forEachKey) {
            (synced) throws(LevelError) in
            try core.engine.write(batch.engine, synced: synced)
        }
    }

    /// Makes everything written so far survive the loss of power; see ``Durability/flushed``.
    public func flush() throws(LevelError) {
        try core.write(0, .flushed, forEachKey: { _ in }) { (_) throws(LevelError) in }
    }

    // MARK: - Maintenance

    /// Writes everything in memory to tables and merges the tables of a key range, down to the deepest level that holds any
    /// of it.
    ///
    /// Tables that are on the deepest level already stay as they are, with what was overwritten or deleted in them, unless
    /// `includingDeepestLevel` is set: then all of the range is written anew, and nothing is left of what was deleted. That
    /// needs as much room again while it runs.
    ///
    /// With the whole range this is also the strongest durability there is: what was written before is in tables that
    /// are on the disk.
    ///
    /// - Complexity: reads and writes every table that overlaps the range.
    public func compact(
        from lower: [UInt8]? = nil, to upper: [UInt8]? = nil, includingDeepestLevel: Bool = false
    ) throws(LevelError) {
        try core.requireWritable()
        if includingDeepestLevel { try core.coverTables(from: lower, to: upper) }
        try core.admitted { () throws(LevelError) in core.compact(from: lower, to: upper) }
    }

    /// Bytes that the tables hold for keys from `lower` up to, not including, `upper`. What is still in memory does not
    /// count.
    public func approximateByteCount(from lower: [UInt8], to upper: [UInt8]) throws(LevelError) -> UInt64 {
        try core.admitted { () throws(LevelError) in core.engine.approximateByteCount(from: lower, to: upper) }
    }

    /// The text of one of the engine's properties, such as `leveldb.stats`; `nil` if it knows none of that name.
    public func property(_ name: String) throws(LevelError) -> String? {
        try core.admitted { () throws(LevelError) in core.engine.property(name) }
    }
}
