internal import LevelFiles

/// A database that no process has open, read from its files. LevelDB is not started, so nothing changes.
///
/// For checks that must come before LevelDB opens a database for writing, because LevelDB then replaces files.
package struct ClosedDatabase {
    private let files: DatabaseFiles
    private let directory: DatabaseDirectory

    /// Lists the files. Returns `nil` if there is no database, if a process has it open, or if its files are not what
    /// LevelDB writes. Opening it tells which.
    package init?(at path: String) {
        guard let directory = try? DatabaseDirectory(path), (try? directory.content()) == .database,
            LockFile.holder(in: directory) == nil, let folder = try? EngineFolder(directory),
            (try? folder.check()) != nil, let files = try? DatabaseFiles(at: directory.path),
            files.manifest?.version.isBytewise == true
        else { return nil }
        self.files = files
        self.directory = directory
    }

    /// Returns the newest value of a key, or `nil` if there is none, or if a file is damaged.
    ///
    /// - Complexity: reads the logs, and at most two blocks of each table whose range contains the key.
    package func value(forKey key: [UInt8]) -> [UInt8]? {
        let history = KeyHistory(of: key, in: files, includesObsolete: false)
        guard history.faults.isEmpty, let newest = history.versions.first(where: \.isCurrent), newest.kind == .put
        else { return nil }
        return newest.value
    }

    /// Whether no process has opened the database since it was listed. Opening replaces files.
    package var isUnchanged: Bool {
        LockFile.holder(in: directory) == nil && (try? DatabaseFiles(at: directory.path))?.files == files.files
    }
}
