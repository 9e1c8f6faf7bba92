internal import Synchronization

/// The databases that this process has open, by device and inode of their directories and of their `LOCK` files.
///
/// LevelDB looks into its own table only after it has opened `LOCK` a second time, and closing that descriptor drops
/// the process's lock (`util/env_posix.cc`, `LockFile`); and it compares paths as text, so two spellings of one path
/// give two live handles. This table is asked before any call of LevelDB.
///
/// A copy of a directory made of hard links shares its `LOCK` with the original: opening and closing it there would
/// drop the lock as well. So the file counts, wherever it is found.
enum OpenDatabases {
    private struct Table {
        /// The `LOCK` file of each directory, once it is there.
        var locks: [FileIdentity: FileIdentity?] = [:]

        func hasLock(_ lock: FileIdentity?) -> Bool {
            guard let lock else { return false }
            return locks.values.contains(lock)
        }
    }

    /// What keeps a database from being opened.
    enum Obstacle: Error {
        /// This process has it open.
        case isOpen
        /// This process has a database open that has the same `LOCK` file.
        case sharesLock
    }

    private static let table = Mutex(Table())

    /// Enters a database that is about to be opened.
    static func insert(_ directory: FileIdentity, lock: FileIdentity?) throws(Obstacle) {
        try table.withLock { (table) throws(Obstacle) in
            if table.locks[directory] != nil { throw .isOpen }
            if table.hasLock(lock) { throw .sharesLock }
            table.locks[directory] = .some(lock)
        }
    }

    /// Enters the `LOCK` file that was made when a database was opened.
    static func didMakeLock(_ lock: FileIdentity, of directory: FileIdentity) {
        table.withLock { $0.locks[directory] = lock }
    }

    /// Takes a database out, after LevelDB has closed it.
    static func remove(_ directory: FileIdentity) {
        table.withLock { _ = $0.locks.removeValue(forKey: directory) }
    }

    /// How many databases this process has open.
    static var count: Int { table.withLock(\.locks.count) }

    /// Runs `body`, which opens and closes the `LOCK` file of a directory, while this process neither has the database
    /// open nor another one that uses the file, and keeps it from opening one meanwhile.
    ///
    /// - Returns: what `body` returns; `nil` if the file is in use here.
    static func whileUnused<R: Sendable>(_ directory: FileIdentity, lock: FileIdentity, _ body: () -> R) -> R? {
        table.withLock { table in table.locks[directory] != nil || table.hasLock(lock) ? nil : body() }
    }
}

extension OpenDatabases.Obstacle {
    /// The error for the database at a path.
    func error(path: String) -> LevelError {
        switch self {
        case .isOpen:
            LevelError(.locked, "\(path) is already open in this process; use that handle, or close it first")
        case .sharesLock:
            LevelError(
                .locked,
                "\(path)/LOCK is the same file as that of a database that is open in this process, as in a copy made of "
                    + "links; close that database, or delete this LOCK, which holds nothing")
        }
    }
}
