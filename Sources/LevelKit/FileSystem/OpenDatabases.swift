internal import Synchronization

/// The databases that this process has open, identified by device and inode of their directories and `LOCK` files.
///
/// LevelDB checks its own table only after opening `LOCK` a second time, and closing that descriptor drops the
/// process's lock (`util/env_posix.cc`, `LockFile`). It also compares paths as strings, so two spellings of a path give
/// two live handles. This table is therefore checked before any call to LevelDB.
///
/// A copy of a directory made of hard links shares the `LOCK` file of the original. Opening and closing the file there
/// would drop the lock too, so the file counts wherever it is found.
enum OpenDatabases {
    private struct Table {
        /// The `LOCK` file of each directory, once it exists.
        var locks: [FileIdentity: FileIdentity?] = [:]

        func hasLock(_ lock: FileIdentity?) -> Bool {
            guard let lock else { return false }
            return locks.values.contains(lock)
        }
    }

    /// The reason that a database cannot be opened.
    enum Obstacle: Error {
        /// This process already has it open.
        case isOpen
        /// This process has another database open with the same `LOCK` file.
        case sharesLock
    }

    private static let table = Mutex(Table())

    /// Registers a database that is about to be opened.
    static func insert(_ directory: FileIdentity, lock: FileIdentity?) throws(Obstacle) {
        try table.withLock { (table) throws(Obstacle) in
            if table.locks[directory] != nil { throw .isOpen }
            if table.hasLock(lock) { throw .sharesLock }
            table.locks[directory] = .some(lock)
        }
    }

    /// Registers the `LOCK` file that was created when a database was opened.
    static func didMakeLock(_ lock: FileIdentity, of directory: FileIdentity) {
        table.withLock { $0.locks[directory] = lock }
    }

    /// Unregisters a database after LevelDB has closed it.
    static func remove(_ directory: FileIdentity) {
        table.withLock { _ = $0.locks.removeValue(forKey: directory) }
    }

    /// The number of databases that this process has open.
    static var count: Int { table.withLock(\.locks.count) }

    /// Runs `body`, which opens and closes the `LOCK` file of a directory, unless this process has the database or
    /// another one with the same file open. Prevents this process from opening a database during the call.
    ///
    /// - Returns: the result of `body`, or `nil` if this process uses the file.
    static func whileUnused<R: Sendable>(_ directory: FileIdentity, lock: FileIdentity, _ body: () -> R) -> R? {
        table.withLock { table in table.locks[directory] != nil || table.hasLock(lock) ? nil : body() }
    }
}

extension OpenDatabases.Obstacle {
    /// Returns the error for the database at a path.
    func error(path: String) -> LevelError {
        switch self {
        case .isOpen:
            LevelError(.locked, "\(path) is already open in this process; use that handle, or close it first")
        case .sharesLock:
            LevelError(
                .locked,
                "\(path)/LOCK is the same file as the LOCK of a database that is open in this process, as in a copy made of hard "
                    + "links; close that database, or delete this LOCK, which contains no data")
        }
    }
}
