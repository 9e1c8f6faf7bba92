internal import LevelFiles

extension Database {
    /// Deletes the database in a directory, and the directory if nothing else is in it.
    ///
    /// Only what has a name that LevelDB gives is deleted, and only where there is a database that can be recognised: a
    /// `CURRENT` file that names a manifest that can be read. Files of others, and the directory `lost` that a repair
    /// leaves, stay.
    ///
    /// - Returns: the names that are left; empty if the directory is gone.
    /// - Throws: ``LevelError``: `databaseNotFound`, also for a directory of other files; `locked` if it is open here
    ///   or elsewhere; `corruption` if the manifest is damaged; `io`. Nothing is deleted then, except with `io`.
    @discardableResult
    public static func destroy(at path: String) throws(LevelError) -> [String] {
        let directory = try DatabaseDirectory(path)
        guard try directory.content() == .database else { throw try directory.missingDatabase() }
        // Before the lock, so that a foreign directory is not touched, and again under it.
        _ = try directory.readManifest()
        let access = try ExclusiveAccess(to: directory)
        _ = try directory.readManifest()
        let names = try directory.names()
        do throws(SystemError) {
            // What makes it a database goes last, so that a deletion that was interrupted can be repeated.
            for rank in 0...3 {
                for name in names where Self.rank(of: name) == rank {
                    try FileOperations.remove(directory.file(name))
                }
            }
            let left = names.filter { Self.rank(of: $0) == nil }.sorted()
            if left.isEmpty { try FileOperations.removeDirectory(directory.path) }
            _ = consume access
            return left
        } catch {
            throw error.levelError("delete the database at \(directory.path)")
        }
    }

    /// When a file is deleted; `nil` for one that is not LevelDB's.
    private static func rank(of name: String) -> Int? {
        switch EngineFileName(name) {
        case .table, .log, .temporary, .messages: 0
        case .current: 1
        case .manifest: 2
        case .lock: 3
        case nil: nil
        }
    }
}
