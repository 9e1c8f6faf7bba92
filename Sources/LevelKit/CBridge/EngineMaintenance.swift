import CLevelDB

/// LevelDB's functions on a directory that is not open. They take no lock and ask nothing; see `Database.repair` for
/// what has to be known before.
enum EngineMaintenance {
    /// Makes a database out of whatever tables and logs are in a directory. The corresponding C function is
    /// `leveldb_repair_db`.
    static func repair(path: String, options: EngineOptions) throws(LevelError) {
        let (_, error) = unsafe EngineErrorSlot.capture { unsafe leveldb_repair_db(options.options, path, $0) }
        if let error { throw .engine(error, action: "repair the database at \(path)") }
    }
}

extension EngineDatabase {
    /// A new iterator that checks every block it reads, whatever the database was opened with, and leaves the cache
    /// alone. The caller destroys it before the database is closed.
    func makeVerifyingIterator() -> EngineIterator {
        let reading = unsafe EngineOptions.makeReadOptions(verifiesChecksums: true, fillsCache: false)
        // The iterator has a copy of the options.
        defer { unsafe leveldb_readoptions_destroy(reading) }
        return unsafe makeIterator(reading: reading)
    }
}
