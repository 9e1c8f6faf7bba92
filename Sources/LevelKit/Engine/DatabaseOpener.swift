internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The steps of opening a database, ordered so that a failure leaves no trace.
///
/// LevelDB creates the directory, renames `LOG` and opens `LOCK` before it knows whether it can open the database.
/// Everything that can be checked without LevelDB is therefore checked first.
struct DatabaseOpener {
    let directory: DatabaseDirectory
    let options: DatabaseOptions

    /// Opens the database. While it is locked, retries until the timeout in the options.
    func run() throws(LevelError) -> DatabaseCore {
        let deadline = ContinuousClock.now + options.lockTimeout
        while true {
            do throws(LevelError) {
                return try attempt()
            } catch {
                guard error.code == .locked, ContinuousClock.now < deadline else { throw error }
                usleep(20_000)
            }
        }
    }

    private func attempt() throws(LevelError) -> DatabaseCore {
        let content = try directory.content()
        try check(content)
        var leftovers: Leftovers?
        if content == .missing || content == .empty { leftovers = try prepare(isMissing: content == .missing) }
        guard let identity = FileStatus(path: directory.path)?.identity else {
            leftovers?.made?.remove()
            throw LevelError(
                .io, "could not read \(directory.path); check its permissions", cause: SystemError.last.text)
        }
        let lock = FileStatus(path: directory.file("LOCK"))?.identity
        do throws(OpenDatabases.Obstacle) {
            try OpenDatabases.insert(identity, lock: lock)
        } catch {
            leftovers?.made?.remove()
            throw error.error(path: directory.path)
        }
        do throws(LevelError) {
            let folder = try EngineFolder(directory)
            try folder.check()
            try folder.checkMessages()
            if let pid = LockFile.foreignHolder(in: directory) {
                throw LockFile.heldError(path: directory.path, pid: pid)
            }
            let manifest = content == .database ? try checkFiles(listedIn: folder) : nil
            let splitKeys = manifest.map { SplitKeys.states(of: $0, in: directory, order: options.order) } ?? []
            let engine = try EngineDatabase.open(path: directory.path, options: EngineOptions(options))
            if let manifest, try isFirst(after: manifest) { try mend(splitKeys, in: engine) }
            if let made = FileStatus(path: directory.file("LOCK"))?.identity, made != lock {
                OpenDatabases.didMakeLock(made, of: identity)
            }
            return DatabaseCore(directory: directory, engine: engine, identity: identity, options: options)
        } catch {
            // A database that another process created in the meantime must not be deleted.
            if error.code != .locked { leftovers?.remove() }
            OpenDatabases.remove(identity)
            throw error
        }
    }

    /// Creates the directory if it is missing.
    ///
    /// Other users must be unable to replace the directory, because LevelDB uses it by path. The place of the directory
    /// is checked before it is created, and the directory itself afterwards, because another user may have created a
    /// part of the path in between.
    private func prepare(isMissing: Bool) throws(LevelError) -> Leftovers {
        let action = "create a database in"
        var made: MadeDirectories?
        if isMissing {
            try directory.requireClosedPlace(to: action)
            made = try MadeDirectories(directory)
        }
        do throws(LevelError) {
            try directory.requireClosed(to: action)
        } catch {
            made?.remove()
            throw error
        }
        do throws(SystemError) {
            let handle = try DirectoryHandle.at(resolved: directory.path).readable()
            return Leftovers(directory: handle, made: made, namesBefore: try handle.names())
        } catch {
            made?.remove()
            throw error.levelError("open the directory \(directory.path)")
        }
    }

    private func check(_ content: DatabaseDirectory.Content) throws(LevelError) {
        let path = directory.path
        switch content {
        case .missing, .empty:
            guard options.createIfMissing else {
                throw LevelError(
                    .databaseNotFound, "no database at \(path); check the path, or allow it to be created")
            }
        case .database:
            guard !options.errorIfExists else {
                throw LevelError(
                    .databaseExists, "a database already exists at \(path); open it, or choose another path")
            }
        case .databaseWithoutCurrent:
            throw LevelError(
                .corruption,
                "the database at \(path) has lost its CURRENT file; restore a backup, or salvage the data with repair, "
                    + "because creating a new one here would delete its tables")
        case .foreign:
            throw LevelError(
                .databaseNotFound,
                "\(path) is not a LevelDB database and contains other files; choose another directory")
        case .notADirectory:
            throw LevelError(.databaseNotFound, "\(path) is not a directory; a LevelDB database is a directory")
        }
    }

    /// Checks the files, and retries if another process opens the database at the same time.
    ///
    /// Nothing is locked yet, so another process may open and close the database during the check. Each open replaces
    /// files by files with new numbers, so an error counts only if the names are unchanged.
    ///
    /// - Parameter folder: the directory, just listed.
    private func checkFiles(listedIn folder: EngineFolder) throws(LevelError) -> Manifest {
        var folder = folder
        while true {
            do throws(LevelError) {
                return try lookAtFiles(listedIn: folder)
            } catch {
                if let pid = LockFile.foreignHolder(in: directory) {
                    throw LockFile.heldError(path: directory.path, pid: pid)
                }
                let now = try EngineFolder(directory)
                if now.names == folder.names { throw error }
                try now.check()
                try now.checkMessages()
                folder = now
            }
        }
    }

    /// Checks LevelDB's assumptions: the log named by the manifest exists, the writes in the logs are consecutive, and
    /// no table file is forged. LevelDB finds other corruption itself when it reads. If corruption is tolerated, the
    /// logs are checked only for content that would end the process. LevelDB tolerates none in a manifest.
    private func lookAtFiles(listedIn folder: EngineFolder) throws(LevelError) -> Manifest {
        var follower: ManifestFollower?
        let manifest = try ManifestFollower.follow(&follower, in: directory)
        try inspection.check(follower?.version ?? Version())
        try folder.checkNewFiles(after: manifest)
        try checkOrderOfLogs(of: manifest)
        let unchecked = try inspection.check(tablesOf: manifest, options.checksEveryBlock ? .everything : .outline)
        guard options.integrity == .strict else { return manifest }
        try checkLog(of: manifest)
        for table in unchecked where TableFile.isForged(table, in: directory) {
            throw LevelError(
                .corruption,
                "the database at \(directory.path) is damaged: the footer of table \(table.number) refers to blocks beyond "
                    + "the end of the file; restore a backup, or salvage the data with repair")
        }
        return manifest
    }

    /// Returns whether no other process opened the database between the reading of the manifest and this open. Each
    /// open starts a manifest with the next number.
    private func isFirst(after manifest: Manifest) throws(LevelError) -> Bool {
        try directory.currentManifestName() == EngineFileName.manifest(named: manifest.nextFileNumber)
    }

    /// Rewrites split keys. If that fails, closes the database.
    private func mend(_ keys: [SplitKeys.State], in engine: EngineDatabase) throws(LevelError) {
        do throws(LevelError) {
            try SplitKeys.mend(keys, in: engine)
        } catch {
            engine.close()
            throw error
        }
    }

    /// Checks that the log named by the manifest exists.
    ///
    /// LevelDB creates a log before the manifest names it, and deletes the previous one only afterwards. A missing log
    /// therefore means that the log or the end of the manifest was lost. LevelDB would take the last readable state as
    /// the newest, and delete the table files created after it.
    private func checkLog(of manifest: Manifest) throws(LevelError) {
        let number = manifest.logNumber
        let name = EngineFileName.log(named: number)
        guard number != 0, FileStatus(path: directory.file(name)) == nil else { return }
        throw LevelError(
            .corruption,
            "the database at \(directory.path) has lost \(name), or the end of its manifest; restore a backup, or "
                + "salvage the data with repair")
    }

    /// Checks that the writes in the logs are consecutive and that LevelDB can have assigned their numbers; see
    /// ``BatchOrder``.
    private func checkOrderOfLogs(of manifest: Manifest) throws(LevelError) {
        let logs = try directory.names().compactMap { name -> (name: String, number: UInt64)? in
            guard case .log(let number) = EngineFileName(name), manifest.needsLog(number) else { return nil }
            return (name, number)
        }
        try inspection.check(manifest)
        var order = BatchOrder(after: manifest.newestBound)
        for log in logs.sorted(by: { $0.number < $1.number }) {
            let file: OpenFile
            do throws(SystemError) {
                file = try OpenFile(reading: directory.file(log.name), followsLink: false)
            } catch let error where error.isMissingFile {
                // Another process opened and closed the database at this moment and moved the log into a table file.
                continue
            } catch {
                throw error.levelError("read \(directory.file(log.name))")
            }
            try inspection.check(file, log.name, &order)
        }
    }

    private var inspection: StoreInspection {
        StoreInspection(
            directory: directory, order: options.order, toleratesDamage: options.integrity == .relaxed)
    }

    /// What a failed open may have left in a directory without a database.
    private struct Leftovers {
        let directory: DirectoryHandle
        let made: MadeDirectories?
        let namesBefore: [String]

        /// Deletes LevelDB's files, if no database was created, and new directories.
        func remove() {
            LockFile.removing(in: directory) {
                guard let names = try? directory.names(), !names.contains("CURRENT") else { return false }
                for name in names where name != "LOCK" && !namesBefore.contains(name) {
                    if DatabaseDirectory.isEngineFile(name) || DatabaseDirectory.isEngineName(name) {
                        try? directory.removeFile(name)
                    }
                }
                return true
            }
            made?.remove()
        }
    }
}
