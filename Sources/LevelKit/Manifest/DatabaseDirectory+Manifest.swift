internal import LevelFiles

extension DatabaseDirectory {
    /// Reads the manifest that `CURRENT` names.
    ///
    /// Only reads files. Retries if the process that has the database open replaces the manifest in between.
    func readManifest() throws(LevelError) -> Manifest {
        var follower: ManifestFollower?
        return try ManifestFollower.follow(&follower, in: self)
    }

    /// Returns the manifest name in `CURRENT`.
    ///
    /// - Throws: ``LevelError``: `databaseNotFound` if the file is missing, `corruption` if LevelDB would not accept
    ///   its content.
    func currentManifestName() throws(LevelError) -> String {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try OpenFile.content(of: file("CURRENT"), limit: EngineFileName.lengthLimit)
        } catch let error where error.isMissingFile {
            throw try missingDatabase()
        } catch {
            throw error.levelError("read \(file("CURRENT"))")
        }
        let name = String(decoding: bytes.dropLast(), as: UTF8.self)
        // Parsed as a file name, so that a malicious `CURRENT` cannot lead out of the directory.
        guard bytes.last == 0x0a, case .manifest = EngineFileName(name) else {
            throw LevelError(
                .corruption,
                "\(file("CURRENT")) does not name a manifest; restore a backup, or salvage the data with repair")
        }
        return name
    }

    /// Returns the error for a directory without `CURRENT`.
    func missingDatabase() throws(LevelError) -> LevelError {
        switch try content() {
        case .database, .missing, .empty:
            LevelError(.databaseNotFound, "no database at \(path); check the path")
        case .databaseWithoutCurrent:
            LevelError(
                .corruption,
                "the database at \(path) has lost its CURRENT file; restore a backup, or salvage the data with repair")
        case .foreign:
            LevelError(.databaseNotFound, "\(path) is not a LevelDB database; check the path")
        case .notADirectory:
            LevelError(.databaseNotFound, "\(path) is not a directory; a LevelDB database is a directory")
        }
    }
}
