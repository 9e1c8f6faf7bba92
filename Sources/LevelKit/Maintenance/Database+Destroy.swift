internal import LevelFiles

extension Database {
    /// Deletes the database in a directory, and the directory if nothing else is in it.
    ///
    /// Deletes only files with LevelDB's names, and only in a recognizable database: one with a `CURRENT` file that
    /// names a readable manifest. Other files are kept, and so is the directory `lost` that a repair leaves.
    ///
    /// - Returns: the names that remain; empty if the directory was deleted.
    /// - Throws: ``LevelError``: `databaseNotFound`, also for a directory of other files; `locked` if the database is
    ///   open in this or another process; `corruption` if the manifest is corrupt; `io`. Nothing is deleted in these
    ///   cases, except with `io`.
    @discardableResult
    public static func destroy(at path: String) throws(LevelError) -> [String] {
        let directory = try DatabaseDirectory(path)
        guard try directory.content() == .database else { throw try directory.missingDatabase() }
        // Before locking, so that a foreign directory is not touched. Repeated under the lock.
        _ = try directory.readManifest()
        let access = try ExclusiveAccess(to: directory)
        _ = try directory.readManifest()
        let names = try directory.names()
        do throws(SystemError) {
            // `CURRENT` and the manifest are deleted last, so that an interrupted deletion can be repeated.
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

    /// Returns the position of a file in the order of deletion, or `nil` if it is not one of LevelDB's.
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
