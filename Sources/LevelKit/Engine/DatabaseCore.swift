internal import LevelFiles
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The state that a database, its snapshots and its cursors share: the LevelDB handle and the rules for calling it.
///
/// LevelDB aborts the process if it is closed under a live iterator, and reads freed memory if it is used afterwards.
/// Every call therefore passes through ``enter()``. Closing stops admission, waits for the admitted calls, releases the
/// snapshots, and closes LevelDB once the last cursor is gone.
final class DatabaseCore: Sendable {
    /// The state under the lock. The lock is taken when cursors are created or destroyed, never for a read or a write.
    private struct Children {
        var cursors: [UInt64: LiveCursor] = [:]
        var nextCursor: UInt64 = 0
        /// Whether the database is closed and no call is in flight.
        var isDrained = false
        var isReleased = false
        /// Whether the directory is deleted when the database is closed.
        var isTemporary = false
        /// Called on close for the layer that manages the database, or `nil` if no layer does.
        var adoption: (@Sendable () -> Void)?

        /// Ends the cursors that are not on an entry.
        mutating func endRestingCursors() {
            for (id, cursor) in cursors where cursor.take() { cursors[id] = nil }
        }
    }

    let path: String
    let engine: EngineDatabase
    let order: KeyOrder
    let tables: TableDirectoryMonitor
    let views: ReadViews
    let held: TableCacheWitness
    /// The files that are read in place of the directory, or `nil` if the database is open for writing.
    let readOnlyFiles: ReadOnlyFiles?
    let directory: DatabaseDirectory
    let writeBufferByteCount: Int
    private let identity: FileIdentity
    private let children = Mutex(Children())
    /// The number of calls in flight. The highest bit is set once admission has stopped.
    private let admission = Atomic<UInt64>(0)
    /// Held during each write, so that no write follows a failed one.
    let writing = Mutex(Writing())

    /// The fork generation in which the database was opened. LevelDB's background thread does not exist in a forked
    /// process.
    private let forkGeneration = ForkGeneration.current

    private static let closedBit: UInt64 = 1 << 63

    init(
        directory: DatabaseDirectory, engine: EngineDatabase, identity: FileIdentity, options: DatabaseOptions,
        readOnlyFiles: ReadOnlyFiles? = nil
    ) {
        path = directory.path
        self.readOnlyFiles = readOnlyFiles
        self.directory = directory
        writeBufferByteCount = options.writeBufferByteCount
        held = TableCacheWitness(
            writeBufferByteCount: options.writeBufferByteCount, maxOpenFileCount: options.maxOpenFileCount,
            areFixed: readOnlyFiles != nil)
        tables = TableDirectoryMonitor(directory, identity: identity)
        self.engine = engine
        order = options.order
        views = ReadViews(engine: engine, order: options.order)
        self.identity = identity
    }

    deinit {
        // Cursors and snapshots retain the core, so none exists here.
        release()
    }

    // MARK: - Admission

    /// Whether the database was closed.
    var isClosed: Bool { admission.load(ordering: .relaxed) & Self.closedBit != 0 }

    /// The error of every call after ``close()``.
    var closedError: LevelError {
        LevelError(.closed, "the database at \(path) is closed; open it again")
    }

    /// Whether this process opened the database. In a forked process LevelDB must not be called at all, not even to
    /// free memory: other threads may have held its locks at the time of the fork.
    @inline(__always)
    var isOwnedByThisProcess: Bool { forkGeneration == ForkGeneration.current }

    /// The error of every call in a forked process.
    private var forkedError: LevelError {
        LevelError(
            .forked,
            "the database at \(path) was opened before this process was forked and cannot be used in it; "
                + "fork before the first database is opened, or start a new program")
    }

    /// Throws if the database is closed or belongs to another process.
    @inline(__always)
    func requireOpen() throws(LevelError) {
        guard isOwnedByThisProcess else { throw forkedError }
        if isClosed { throw closedError }
    }

    /// Admits a call. Each call to ``enter()`` is paired with ``leave()``.
    @inline(__always)
    func enter() throws(LevelError) {
        // Checked first, so that repeated calls on a closed database do not delay `close()`.
        try requireOpen()
        if admission.add(1, ordering: .acquiring).newValue & Self.closedBit != 0 {
            leave()
            throw closedError
        }
    }

    /// Ends an admitted call.
    @inline(__always)
    func leave() {
        admission.subtract(1, ordering: .releasing)
    }

    /// Runs `body` as an admitted call.
    @inline(__always)
    func admitted<R: ~Copyable>(_ body: () throws(LevelError) -> R) throws(LevelError) -> R {
        try enter()
        defer { leave() }
        return try body()
    }

    // MARK: - Reading

    /// Calls `body` with the newest value of a key, after the LevelDB call has ended, so `body` may close the database.
    ///
    /// - Returns: whether the key exists.
    func readValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(LevelError) -> Void
    ) throws(LevelError) -> Bool {
        guard let value = try value(forKey: key) else { return false }
        try body(value.bytes)
        return true
    }

    /// Calls `body` with the value of a key in a view; see ``readValue(forKey:_:)``.
    func readValue(
        forKey key: Span<UInt8>, in view: ReadView, _ body: (Span<UInt8>) throws(LevelError) -> Void
    ) throws(LevelError) -> Bool {
        guard let value = try value(forKey: key, in: view) else { return false }
        try body(value.bytes)
        return true
    }

    @inline(__always)
    private func value(forKey key: Span<UInt8>) throws(LevelError) -> EngineValue? {
        try enter()
        defer { leave() }
        return try newestValue(forKey: key)
    }

    private func value(forKey key: Span<UInt8>, in view: ReadView) throws(LevelError) -> EngineValue? {
        try enter()
        defer { leave() }
        if views.isNewest(view) || view.stamps != nil {
            let value = try newestValue(forKey: key)
            if views.isNewest(view) || view.isUnchanged(key) { return value }
        }
        return try heldValue(forKey: key, in: view)
    }

    /// Returns the value of a key in a view that an iterator holds.
    private func heldValue(forKey key: Span<UInt8>, in view: ReadView) throws(LevelError) -> EngineValue? {
        var value: EngineValue?
        var error: String?
        let isOpen = views.withIterator(of: view, for: 0) { iterator, _ in
            iterator.seek(key)
            let isValid = iterator.isValid
            error = iterator.error
            if error == nil, isValid, unsafe order.compare(Span(_unsafeElements: iterator.key), key) == 0 {
                value = unsafe EngineValue(copying: iterator.value)
            }
            return false
        }
        guard isOpen else { throw closedError }
        if let error {
            throw .engine(error, action: "read a key of \(path)").located(
                near: key.copied(), order: order, in: enginePath)
        }
        return value
    }

    /// Returns an iterator over the newest state. The caller must destroy it before the database is closed.
    func makeIterator(fillsCache: Bool) -> EngineIterator {
        unsafe engine.makeIterator(reading: fillsCache ? engine.reading : engine.options.scanning)
    }

    @inline(__always)
    private func newestValue(forKey key: Span<UInt8>) throws(LevelError) -> EngineValue? {
        do throws(LevelError) {
            if let value = try unsafe engine.get(key, reading: engine.reading) { return value }
        } catch {
            throw error.located(near: key.copied(), order: order, in: enginePath)
        }
        // `leveldb_get` reports a missing table file as "not found", like a missing key. An iterator reports an error
        // instead, so it confirms the result where a table file may be missing. See `TableCacheWitness` for the sequence.
        if held.isTrusted { return nil }
        held.look(list: { engine.property("leveldb.sstables") }, open: openAllTables)
        if tables.isUnchanged { return nil }
        return try findValue(forKey: key)
    }

    /// Makes LevelDB open every table file.
    ///
    /// - Returns: whether it succeeded.
    private func openAllTables() -> Bool {
        guard let manifest = try? Manifest(ofDatabaseAt: path) else { return false }
        let iterator = makeIterator(fillsCache: false)
        defer { iterator.destroy() }
        // Creating an iterator opens the tables of level 0. On other levels, a seek opens the table that contains the
        // key.
        for table in manifest.tables where table.level > 0 {
            iterator.seek(table.smallestKey.span)
            if iterator.hasFailed { return false }
        }
        return !iterator.hasFailed
    }

    private func findValue(forKey key: Span<UInt8>) throws(LevelError) -> EngineValue? {
        tables.look { engine.property("leveldb.sstables") }
        let iterator = makeIterator(fillsCache: true)
        defer { iterator.destroy() }
        iterator.seek(key)
        let isValid = iterator.isValid
        if let error = iterator.error {
            throw .engine(error, action: "read a key of \(path)").located(
                near: key.copied(), order: order, in: enginePath)
        }
        guard isValid, unsafe order.compare(Span(_unsafeElements: iterator.key), key) == 0 else { return nil }
        return unsafe EngineValue(copying: iterator.value)
    }

    // MARK: - Compactions and cursors

    /// Compacts the keys between two bounds.
    func compact(from lower: [UInt8]?, to upper: [UInt8]?) {
        engine.compact(from: lower, to: upper)
        held.didWriteTable()
    }

    /// Rewrites the first and the last key of all table files in a range, so that a compaction has an input above the
    /// deepest level that overlaps all of them.
    func coverTables(from lower: [UInt8]?, to upper: [UInt8]?) throws(LevelError) {
        let tables = try admitted { () throws(LevelError) in
            engine.flushMemoryTable()
            return try Manifest(ofDatabaseAt: path).tables
        }
        let overlapping = tables.filter { table in
            (lower.map { order.compare(table.largestKey.span, $0.span) >= 0 } ?? true)
                && (upper.map { order.compare(table.smallestKey.span, $0.span) <= 0 } ?? true)
        }
        let keys = overlapping.flatMap { [$0.smallestKey, $0.largestKey] }
            .sorted { order.compare($0.span, $1.span) < 0 }
        guard let first = keys.first, let last = keys.last else { return }
        try putAgain([first, last])
    }

    /// Writes the current state of some keys again, a value or a deletion.
    private func putAgain(_ keys: [[UInt8]]) throws(LevelError) {
        // The content does not change, so no view needs to know of these keys.
        try write(0, .buffered, forEachKey: { _ in }) { (synced) throws(LevelError) in
            let batch = EngineBatch()
            for key in keys {
                let isThere = try readValue(forKey: key.span) { value in
                    batch.put(key.span, value)
                }
                if !isThere { batch.delete(key.span) }
            }
            try engine.write(batch, synced: synced)
        }
    }

    /// Registers a cursor.
    func register(_ cursor: LiveCursor) -> UInt64 {
        children.withLock { children in
            let id = children.nextCursor
            children.nextCursor += 1
            children.cursors[id] = cursor
            return id
        }
    }

    /// Unregisters a cursor whose iterator was destroyed. After the last cursor of a closed database, LevelDB is
    /// closed.
    func unregisterCursor(_ id: UInt64) {
        let isLast = children.withLock { children in
            children.cursors.removeValue(forKey: id)
            // While calls are in flight, `close()` waits for them and closes LevelDB itself.
            return children.isDrained && children.cursors.isEmpty
        }
        if isLast { release() }
    }

    // MARK: - Closing

    /// Closes the database. Calling it again does nothing.
    func close() throws(LevelError) {
        guard isOwnedByThisProcess else { throw forkedError }
        let old = admission.bitwiseOr(Self.closedBit, ordering: .acquiringAndReleasing).oldValue
        guard old & Self.closedBit == 0 else { return }
        if let adoption = children.withLock(\.adoption) { adoption() }
        while admission.load(ordering: .acquiring) != Self.closedBit { usleep(50) }
        children.withLock { $0.isDrained = true }
        // Cursors of other threads end at their next step. Those of this thread cannot, because it waits here.
        let here = ThreadIdentity.current
        var waits = 0
        func hasCursorsElsewhere() -> Bool {
            children.withLock { children in
                children.endRestingCursors()
                return children.cursors.values.contains { $0.thread != here }
            }
        }
        while hasCursorsElsewhere(), waits < 20_000 {
            usleep(100)
            waits += 1
        }
        let alive = children.withLock { $0.cursors.count }
        guard alive == 0 else {
            throw LevelError(
                .cursorsAlive,
                "the database at \(path) is closed, but \(alive) of its cursors "
                    + (alive == 1 ? "is still on an entry; " : "are still on entries; ")
                    + "its lock is released when the last of them goes out of scope")
        }
        release()
    }

    /// Registers the layer that manages the database exclusively from now on.
    ///
    /// - Parameter onClose: called once when the database is closed, before any other step.
    /// - Returns: `false` if another layer is already registered.
    func adopt(onClose: @escaping @Sendable () -> Void) -> Bool {
        children.withLock { children in
            if children.adoption != nil { return false }
            children.adoption = onClose
            return true
        }
    }

    /// Unregisters the layer that managed the database.
    func disown() { children.withLock { $0.adoption = nil } }

    /// Deletes the directory when the database is closed.
    func removesDirectory() {
        children.withLock { $0.isTemporary = true }
    }

    /// Closes LevelDB: first the views, then the database. Then removes it from the open databases of this process.
    private func release() {
        // In a forked process LevelDB would wait for a thread that does not exist. The process end frees its memory.
        guard isOwnedByThisProcess else { return }
        children.withLock { children in
            guard !children.isReleased, children.cursors.isEmpty else { return }
            children.isReleased = true
            views.closeAll()
            engine.close()
            if let readOnlyFiles { return readOnlyFiles.remove() }
            OpenDatabases.remove(identity)
            // Another database may have replaced it at this path.
            guard children.isTemporary, FileStatus(path: path)?.identity == identity else { return }
            (try? DatabaseDirectory(path))?.remove()
        }
    }
}
