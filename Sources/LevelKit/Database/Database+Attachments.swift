extension ContentDirectory {
    /// Names the directory of a database; creates and opens nothing.
    package convenience init(of database: Database) {
        self.init(at: database.path, isReadOnly: database.mode == .readOnly)
    }
}

extension Database {
    /// Returns the state of the oldest snapshot or cursor in use, or `nil` if none is in use.
    package func oldestSnapshot() -> Snapshot? {
        core.views.retainOldest().map { Snapshot(core: core, retained: $0) }
    }
}
