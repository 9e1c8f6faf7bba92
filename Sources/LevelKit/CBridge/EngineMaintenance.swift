import CLevelDB

/// LevelDB's functions for a directory that is not open. They take no lock and check nothing; see `Database.repair` for
/// the necessary checks.
enum EngineMaintenance {
    /// Builds a database from all table files and logs in a directory. The corresponding C function is
    /// `leveldb_repair_db`.
    static func repair(path: String, options: EngineOptions) throws(LevelError) {
        let (_, error) = unsafe EngineErrorSlot.capture { unsafe leveldb_repair_db(options.options, path, $0) }
        if let error { throw .engine(error, action: "repair the database at \(path)") }
    }
}

extension EngineDatabase {
    /// Returns a new iterator that verifies every block, whatever the options of the database, and bypasses the cache.
    /// The caller must destroy it before the database is closed.
    func makeVerifyingIterator() -> EngineIterator {
        let reading = unsafe EngineOptions.makeReadOptions(verifiesChecksums: true, fillsCache: false)
        // The iterator has copied the options.
        defer { unsafe leveldb_readoptions_destroy(reading) }
        return unsafe makeIterator(reading: reading)
    }
}
