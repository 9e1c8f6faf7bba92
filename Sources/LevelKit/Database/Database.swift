/// An ordered map from keys to values, both byte strings, stored by LevelDB in a directory.
///
/// Only one process at a time can have a database open for writing. Within it, any number of threads may use the same
/// `Database`. Every read sees all writes that returned before it. A ``Snapshot`` is a view that later writes do not
/// change.
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
    /// An open that fails leaves no new files or directories. A directory that contains other files, or table files
    /// without a `CURRENT` file, is never treated as empty.
    ///
    /// - Parameters:
    ///   - path: the directory. The path is made absolute, so a later `chdir` has no effect. A `~` at its start is not
    ///     expanded but rejected.
    ///   - options: see ``DatabaseOptions``.
    ///   - mode: `readOnly` reads the database as it is at this moment, without a lock and without changing any byte in
    ///     its directory; see <doc:OpeningADatabase>. It creates nothing.
    /// - Throws: ``LevelError``: `databaseNotFound`, `databaseExists`, `locked` (with the process that holds the lock),
    ///   `corruption`, `comparatorMismatch`, `notSupported` for table files in a foreign compression format,
    ///   `invalidArgument`, `io`. For reading also `busy`, if another process changes the database faster than its
    ///   files can be opened.
    /// - Complexity: reads the log of the last session, up to two write buffers, and a few mebibytes of table
    ///   indexes. For reading, table files that other users can change are copied and read completely. With
    ///   ``DatabaseOptions/checksEveryBlock`` all table files are read completely.
    public static func open(
        at path: String, options: DatabaseOptions = DatabaseOptions(), mode: Mode = .readWrite
    ) throws(LevelError) -> Database {
        ForkGeneration.install()
        try options.validate()
        let directory = mode == .readOnly ? try DatabaseDirectory(path) : try DatabaseDirectory(toChange: path)
        try ForkGeneration.requireEngine(for: directory.path)
        if mode == .readOnly {
            return Database(core: try ReadOnlyDatabaseOpener(directory: directory, options: options).run())
        }
        return Database(core: try DatabaseOpener(directory: directory, options: options).run())
    }

    /// Closes the database: waits for calls on other threads, releases snapshots and releases the directory. Later
    /// calls on this database, its snapshots and its cursors throw `closed`. Closing again does nothing.
    ///
    /// A database that is never closed explicitly is closed when the last reference to it is released.
    ///
    /// - Throws: ``LevelError`` with `cursorsAlive` if a cursor of the calling thread is on an entry, whose bytes may
    ///   be in use, or if a cursor of another thread has not advanced for at least two seconds. The directory is then
    ///   released when that cursor goes out of scope. A cursor that has reached its end, or has not been moved, does
    ///   not prevent closing.
    public func close() throws(LevelError) {
        try core.close()
    }

    // MARK: - Writing

    /// Stores a value under a key, replacing any existing value.
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

    /// Stores bytes, a string or data under a key, which may be of a different type than the value.
    ///
    /// - Throws: ``LevelError``: `tooLarge`, `io`, `closed`.
    @inlinable
    public func put(
        _ value: some ByteRepresentable, forKey key: some ByteRepresentable, durability: Durability = .buffered
    ) throws(LevelError) {
        try value.withBytes { (value) throws(LevelError) in
            try key.withBytes { (key) throws(LevelError) in
                try put(value, forKey: key, durability: durability)
            }
        }
    }

    /// Deletes a key and its value. A missing key is not an error.
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

    /// Deletes a key and its value. A missing key is not an error.
    ///
    /// - Throws: ``LevelError``: `io`, `closed`.
    @inlinable
    public func delete(_ key: some ByteRepresentable, durability: Durability = .buffered) throws(LevelError) {
        try key.withBytes { (key) throws(LevelError) in try delete(key, durability: durability) }
    }

    /// Passes a new batch to `body` and writes it atomically. If `body` throws, nothing is written.
    ///
    /// ```swift
    /// try database.write { batch in
    ///     try batch.put("1", forKey: "a")
    ///     try batch.delete("b")
    /// }
    /// ```
    ///
    /// - Returns: the result of `body`.
    public func write<R>(durability: Durability = .buffered, _ body: (WriteBatch) throws -> R) throws -> R {
        let batch = WriteBatch()
        let result = try body(batch)
        try write(batch, durability: durability)
        return result
    }

    /// Writes a batch atomically: after a crash either all of it is present or nothing. The batch keeps its content and
    /// may be written again. An empty batch is not written.
    ///
    /// - Throws: ``LevelError``: `tooLarge`, `io`, `closed`.
    public func write(_ batch: WriteBatch, durability: Durability = .buffered) throws(LevelError) {
        guard batch.count > 0 else {
            // LevelDB appends 19 bytes to its log for each empty batch and never starts a new log because of them.
            try core.requireWritable()
            try core.enter()
            core.leave()
            return
        }
        try core.write(batch.byteCount, count: batch.count, durability, forEachKey: batch.engine.forEachKey) {
            (synced) throws(LevelError) in
            try core.engine.write(batch.engine, synced: synced)
        }
    }

    /// The approximate number of bytes that this process has written and that are in no table file yet, at most a write
    /// buffer.
    package var pendingByteCount: Int { core.memtableByteCount }

    /// Makes all writes so far survive a power loss; see ``Durability/flushed``.
    public func flush() throws(LevelError) {
        try core.write(0, .flushed, forEachKey: { _ in }) { (_) throws(LevelError) in }
    }

    // MARK: - Maintenance

    /// Writes the memtable to a table file and compacts a key range, down to the deepest level that overlaps it.
    ///
    /// Table files that are already on the deepest level stay unchanged, including their overwritten and deleted
    /// entries, unless `includingDeepestLevel` is set. If it is set, the whole range is rewritten, nothing remains of
    /// deleted entries, and the call temporarily needs as much free disk space as the range occupies.
    ///
    /// For the whole range this is also the strongest durability available: all earlier writes are in synced table
    /// files.
    ///
    /// - Complexity: reads and writes every table file that overlaps the range.
    public func compact(in range: KeyRange = .all, includingDeepestLevel: Bool = false) throws(LevelError) {
        try core.requireWritable()
        // A compaction processes whole table files, so it does not matter whether the ends are included.
        let (lower, upper) = (range.lower.key, range.upper.key)
        if includingDeepestLevel { try core.coverTables(from: lower, to: upper) }
        try core.admitted { () throws(LevelError) in core.compact(from: lower, to: upper) }
    }

    /// Returns the value of a LevelDB property such as `leveldb.stats`, or `nil` if the property is unknown.
    public func property(_ name: String) throws(LevelError) -> String? {
        try core.admitted { () throws(LevelError) in core.engine.property(name) }
    }
}
