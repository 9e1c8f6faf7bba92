internal import LevelFiles

extension Database {
    /// Deletes the database in a directory, and the directory if nothing else is in it.
    ///
    /// Deletes only files with LevelDB's names and the directories `attachments` and `renditions` of a document store,
    /// and only in a recognizable database: one with a `CURRENT` file that names a readable manifest. Other files are
    /// kept, and so is the directory `lost` that a repair leaves.
    ///
    /// - Returns: the names that remain; empty if the directory was deleted.
    /// - Throws: ``LevelError``: `databaseNotFound`, including for a directory of other files; `locked` if the database
    ///   is open in this or another process; `corruption` if the manifest is corrupt; `io`. Nothing is deleted in these
    ///   cases, except with `io`.
    @discardableResult
    public static func destroy(at path: String) throws(LevelError) -> [String] {
        let directory = try DatabaseDirectory(toChange: path)
        guard try directory.content() == .database else { throw try directory.missingDatabase() }
        let handles: (parent: DirectoryHandle, directory: DirectoryHandle)
        // Before locking, so that a foreign directory is not touched. Repeated under the lock.
        _ = try directory.readManifest()
        do throws(SystemError) {
            // From here on, replacing the directory or one of its parents by a link does not redirect the deletion.
            handles = try directory.openWithParent()
        } catch {
            throw error.levelError("open \(directory.path)")
        }
        let access = try ExclusiveAccess(to: directory, openAs: handles.directory)
        _ = try directory.readManifest()
        do throws(SystemError) {
            let names = try handles.directory.names()
            ContentDirectory.clear(in: handles.directory)
            DerivedDirectory.clear(in: handles.directory)
            // `CURRENT` and the manifest are deleted last, so that an interrupted deletion can be repeated.
            for rank in 0...3 {
                for name in names where Self.rank(of: name) == rank {
                    try handles.directory.removeFile(name)
                }
            }
            let left = try handles.directory.names().sorted()
            if left.isEmpty { try handles.parent.removeDirectory(directory.name, openAs: handles.directory) }
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
