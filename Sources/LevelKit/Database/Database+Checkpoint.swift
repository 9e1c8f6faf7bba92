extension Database {
    /// Takes a checkpoint of this database, while it is read and written; see ``Checkpoint``.
    ///
    /// The checkpoint contains every write that returned before the call. The checkpoint of a read-only database
    /// contains the state that the database reads, even if another process has changed the original since then; its
    /// table files are copied.
    ///
    /// - Throws: like ``Checkpoint/take(of:to:tables:tryLimit:)``, and `closed`.
    @discardableResult
    public func checkpoint(
        to destination: String, tables: Checkpoint.Tables = .linked
    ) throws(LevelError) -> Checkpoint {
        try core.admitted { () throws(LevelError) in
            guard core.isReadOnly else {
                return try Checkpoint.take(of: path, to: destination, tables: tables, tryLimit: 20)
            }
            let taking = try CheckpointBuilder(
                source: DatabaseDirectory(core.enginePath), destination: DatabaseDirectory(toChange: destination),
                tables: .copied, tryLimit: 20, original: DatabaseDirectory(path))
            do throws(LevelError) {
                return try taking.run()
            } catch {
                throw LevelError(
                    error.code, ScratchPaths.translated(error.message),
                    cause: error.cause.map { ScratchPaths.translated($0) }, file: error.file, offset: error.offset)
            }
        }
    }
}
