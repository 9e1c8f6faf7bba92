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
///
/// Each rule is in a type of its own: ``Admission`` counts the calls in flight, ``CursorRegistry`` decides when LevelDB
/// may be closed, ``LogState`` when writes are refused, ``TableCacheWitness`` and ``TableDirectoryMonitor`` when a
/// not-found result is trusted, and ``ReadViews`` what snapshots see.
final class DatabaseCore: Sendable {
    /// The objects that closing ends or removes. The lock is taken when cursors are created or destroyed, never for a
    /// read or a write.
    struct Dependents {
        var cursors = CursorRegistry()
        /// Whether the directory is deleted when the database is closed.
        var isTemporary = false
        /// Called on close for the layer that manages the database, or `nil` if no layer does.
        var onClose: (@Sendable () -> Void)?
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
    let maxFileByteCount: Int
    let identity: FileIdentity
    let dependents = Mutex(Dependents())
    let admission = Admission()
    /// Held during each write, so that no write follows a failed one.
    let log = Mutex(LogState())

    /// The fork generation in which the database was opened. LevelDB's background thread does not exist in a forked
    /// process.
    private let forkGeneration = ForkGeneration.current

    init(
        directory: DatabaseDirectory, engine: EngineDatabase, identity: FileIdentity, options: DatabaseOptions,
        readOnlyFiles: ReadOnlyFiles? = nil
    ) {
        path = directory.path
        self.readOnlyFiles = readOnlyFiles
        self.directory = directory
        writeBufferByteCount = options.writeBufferByteCount
        maxFileByteCount = options.maxFileByteCount
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
    var isClosed: Bool { admission.isStopped }

    /// The error of every call after ``close()``.
    var closedError: LevelError {
        LevelError(.closed, "the database at \(path) is closed; open it again")
    }

    /// Whether this process opened the database. In a forked process LevelDB must not be called at all, not even to
    /// free memory: other threads may have held its locks at the time of the fork.
    @inline(__always)
    var isOwnedByThisProcess: Bool { forkGeneration == ForkGeneration.current }

    /// The error of every call in a forked process.
    var forkedError: LevelError {
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
        guard admission.enter() else { throw closedError }
    }

    /// Ends an admitted call.
    @inline(__always)
    func leave() {
        admission.leave()
    }

    /// Runs `body` as an admitted call.
    @inline(__always)
    func admitted<R: ~Copyable>(_ body: () throws(LevelError) -> R) throws(LevelError) -> R {
        try enter()
        defer { leave() }
        return try body()
    }
}
