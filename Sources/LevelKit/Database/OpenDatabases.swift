internal import Synchronization

/// The databases that this process has open, by device and inode.
///
/// LevelDB looks into its own table only after it has opened `LOCK` a second time, and closing that descriptor drops
/// the process's lock (`util/env_posix.cc`, `LockFile`); and it compares paths as text, so two spellings of one path
/// give two live handles. This table is asked before any call of LevelDB.
enum OpenDatabases {
    private static let identities = Mutex<Set<FileIdentity>>([])

    /// Enters a database; `false` if it is there already.
    static func insert(_ identity: FileIdentity) -> Bool {
        identities.withLock { $0.insert(identity).inserted }
    }

    /// Takes a database out, after LevelDB has closed it.
    static func remove(_ identity: FileIdentity) {
        _ = identities.withLock { $0.remove(identity) }
    }

    /// How many databases this process has open.
    static var count: Int { identities.withLock(\.count) }

    /// Whether this process has the database open.
    static func contains(_ identity: FileIdentity) -> Bool {
        identities.withLock { $0.contains(identity) }
    }

    /// Runs `body` while this process does not have the database open, and keeps it from opening it meanwhile.
    ///
    /// - Returns: what `body` returns; `nil` if the database is open here.
    static func whileClosed<R: Sendable>(_ identity: FileIdentity, _ body: () -> R) -> R? {
        identities.withLock { identities in identities.contains(identity) ? nil : body() }
    }
}
