extension Database {
    /// Returns the name of the key order of the database in a directory, without opening the database. Another process
    /// may have it open.
    ///
    /// - Throws: ``LevelError``: `databaseNotFound`, `corruption`, `io`.
    public static func comparatorName(at path: String) throws(LevelError) -> String {
        try Manifest(ofDatabaseAt: path).comparatorName
    }

    /// Returns whether a directory contains a database, that is, whether its `CURRENT` file names a readable manifest.
    /// Nothing on the disk changes, and another process may have the database open.
    ///
    /// - Throws: ``LevelError``: `corruption` if the database is corrupt, `io`.
    public static func exists(at path: String) throws(LevelError) -> Bool {
        do throws(LevelError) {
            _ = try Manifest(ofDatabaseAt: path)
            return true
        } catch let error where error.code == .databaseNotFound {
            return false
        }
    }
}
