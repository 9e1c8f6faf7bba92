extension Database {
    /// The name of the order of the keys of the database in a directory, read without opening it. Another process may
    /// have it open.
    ///
    /// - Throws: ``LevelError``: `databaseNotFound`, `corruption`, `io`.
    public static func comparatorName(at path: String) throws(LevelError) -> String {
        try Manifest(ofDatabaseAt: path).comparatorName
    }

    /// Whether there is a database in a directory: its `CURRENT` file names a manifest that can be read. Nothing on
    /// disk changes, and another process may have it open.
    ///
    /// - Throws: ``LevelError``: `corruption` for a database that is damaged, `io`.
    public static func exists(at path: String) throws(LevelError) -> Bool {
        do throws(LevelError) {
            _ = try Manifest(ofDatabaseAt: path)
            return true
        } catch let error where error.code == .databaseNotFound {
            return false
        }
    }
}
