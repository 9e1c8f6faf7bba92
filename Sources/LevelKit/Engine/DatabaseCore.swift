internal import LevelFiles
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// What a database, its snapshots and its cursors share: the engine's handle and the rules of when it may be called.
///
/// LevelDB aborts the process when it is closed under a live iterator and reads freed memory when it is used after
/// that. So every call passes through ``enter()``; closing stops admission, waits for the calls that were admitted,
/// releases the snapshots, and closes the engine when the last cursor is gone.
final class DatabaseCore: Sendable {
    /// Everything that is told apart under the lock. Taken when children come and go, never for a read or a write.
    private struct Children {
        var cursors: [UInt64: LiveCursor] = [:]
        var nextCursor: UInt64 = 0
        /// Whether the database is closed and no call is in flight.
        var isDrained = false
        var isReleased = false
        /// Whether the directory goes when the database is closed.
        var isTemporary = false
        /// What the layer that manages the database alone wants called when it is closed; `nil` if there is none.
        var adoption: (@Sendable () -> Void)?

        /// Ends the cursors that stand on no entry.
        mutating func endRestingCursors() {
            for (id, cursor) in cursors where cursor.take() { cursors[id] = nil }
        }
    }

    let path: String
    let engine: EngineDatabase
    let order: KeyOrder
    let tables: TableWatch
    let views: ReadViews
    let held: HeldTables
    /// What is read in place of the directory; `nil` if the database was opened for writing.
    let readOnlyFiles: ReadOnlyFiles?
    let directory: DatabaseDirectory
    let writeBufferByteCount: Int
    private let identity: FileIdentity
    private let children = Mutex(Children())
    /// Calls in flight; the highest bit says that admission has stopped.
    private let admission = Atomic<UInt64>(0)
    /// Held during each write, so that no write follows a failed one.
    let writing = Mutex(Writing())

    /// The process that opened the database; LevelDB's background thread does not follow into a fork.
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
        held = HeldTables(
            writeBufferByteCount: options.writeBufferByteCount, maxOpenFileCount: options.maxOpenFileCount,
            areFixed: readOnlyFiles != nil)
        tables = TableWatch(directory, identity: identity)
        self.engine = engine
        order = options.order
        views = ReadViews(engine: engine, order: options.order)
        self.identity = identity
    }

    deinit {
        // Cursors and snapshots keep the core alive, so none is left here.
        release()
    }

    // MARK: - Admission

    /// Whether the database was closed.
    var isClosed: Bool { admission.load(ordering: .relaxed) & Self.closedBit != 0 }

    /// The error of every call after ``close()``.
    var closedError: LevelError {
        LevelError(.closed, "the database at \(path) is closed; open it again")
    }

    /// Whether this is the process that opened the database. In one that was forked off it, LevelDB must not be called
    /// at all, not even to free something: other threads may have held its locks when the process was copied.
    @inline(__always)
    var isOwnedByThisProcess: Bool { forkGeneration == ForkGeneration.current }

    /// The error of every call in a process that was forked off.
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

    /// Admits one call; each is paired with ``leave()``.
    @inline(__always)
    func enter() throws(LevelError) {
        // Asked first so that calls on a closed database do not keep `close()` waiting by coming and going.
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

    /// Runs `body` as one admitted call.
    @inline(__always)
    func admitted<R: ~Copyable>(_ body: () throws(LevelError) -> R) throws(LevelError) -> R {
        try enter()
        defer { leave() }
        return try body()
    }

    // MARK: - Reading

    /// Calls `body` with the newest value of a key, after the call of the engine has ended: it may close the database.
    ///
    /// - Returns: whether there is such a key.
    func readValue(
        forKey key: Span<UInt8>, _ body: (Span<UInt8>) throws(LevelError) -> Void
    ) throws(LevelError) -> Bool {
        guard let value = try value(forKey: key) else { return false }
        try body(value.bytes)
        return true
    }

    /// Calls `body` with the value that a key has in a view; see ``readValue(forKey:_:)``.
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

    /// The value of a key in a view that is held by an iterator.
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

    /// An iterator of the newest state; the caller destroys it before the database is closed.
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
        // `leveldb_get` reports a table file that is gone as "not found", like a key that is not there. Where a table
        // may have gone, an iterator confirms the miss, because it reports an error instead.
        if held.isTrusted { return nil }
        held.look(list: { engine.property("leveldb.sstables") }, open: openAllTables)
        if tables.isUnchanged { return nil }
        return try findValue(forKey: key)
    }

    /// Has the engine open every table.
    ///
    /// - Returns: whether it could.
    private func openAllTables() -> Bool {
        guard let manifest = try? Manifest(ofDatabaseAt: path) else { return false }
        let iterator = makeIterator(fillsCache: false)
        defer { iterator.destroy() }
        // The tables of level 0 are opened with the iterator, of the other levels the one that a key is in.
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

    // MARK: - Children

    /// Compacts the keys between two bounds.
    func compact(from lower: [UInt8]?, to upper: [UInt8]?) {
        engine.compact(from: lower, to: upper)
        held.didWriteTable()
    }

    /// Writes the first and the last key of all tables in a range once more, so that a compaction finds something above
    /// the deepest level that covers all of them, and merges them with it.
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

    /// Writes what some keys have once more, or that they have nothing.
    private func putAgain(_ keys: [[UInt8]]) throws(LevelError) {
        // No view can tell the difference, so none is told of the keys.
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

    /// Enters a cursor.
    func register(_ cursor: LiveCursor) -> UInt64 {
        children.withLock { children in
            let id = children.nextCursor
            children.nextCursor += 1
            children.cursors[id] = cursor
            return id
        }
    }

    /// Takes a cursor out whose iterator was destroyed; the last one of a closed database lets the engine go.
    func unregisterCursor(_ id: UInt64) {
        let isLast = children.withLock { children in
            children.cursors.removeValue(forKey: id)
            // While calls are still in flight, `close()` waits for them and releases the engine itself.
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
        // Cursors of other threads end at their next step. Those of this thread cannot while it waits here.
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
                "the database at \(path) is closed, but \(alive) of its cursors still "
                    + (alive == 1 ? "stands on an entry; " : "stand on entries; ")
                    + "its lock is released when the last of them goes out of scope")
        }
        release()
    }

    /// Enters the layer that manages the database alone from now on.
    ///
    /// - Parameter onClose: called once when the database is closed, before anything else is done.
    /// - Returns: whether there was none yet.
    func adopt(onClose: @escaping @Sendable () -> Void) -> Bool {
        children.withLock { children in
            if children.adoption != nil { return false }
            children.adoption = onClose
            return true
        }
    }

    /// Takes out the layer that managed the database.
    func disown() { children.withLock { $0.adoption = nil } }

    /// Makes the directory go with the database.
    func removesDirectory() {
        children.withLock { $0.isTemporary = true }
    }

    /// Lets the engine go: views first, then the database, then its place in the table of this process.
    private func release() {
        // In a forked process LevelDB would wait for a thread that is not there; its memory goes with the process.
        guard isOwnedByThisProcess else { return }
        children.withLock { children in
            guard !children.isReleased, children.cursors.isEmpty else { return }
            children.isReleased = true
            views.closeAll()
            engine.close()
            if let readOnlyFiles { return readOnlyFiles.remove() }
            OpenDatabases.remove(identity)
            // Another database may be in its place by now.
            guard children.isTemporary, FileStatus(path: path)?.identity == identity else { return }
            (try? DatabaseDirectory(path))?.remove()
        }
    }
}
