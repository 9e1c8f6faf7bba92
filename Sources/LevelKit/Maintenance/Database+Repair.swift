internal import LevelFiles

extension Database {
    /// Repairs a corrupt database so that it can be opened again.
    ///
    /// This is the last resort: corrupt data is lost, and recently deleted keys may come back. Restoring a backup is
    /// better. Before changing anything, the repair copies all files to a directory `<path>.before-repair-N`, which
    /// takes the same disk space again. Delete it once the result is satisfactory.
    ///
    /// - Parameters:
    ///   - path: the directory of the database.
    ///   - options: the options. The key order must be the order of the database.
    ///   - stage: called with each ``Database/RepairReport/Stage``; returns whether to continue. `false` cancels the
    ///     repair while nothing has been changed. Later it is ignored, because a half-repaired database is unusable.
    /// - Throws: ``LevelError``: `databaseNotFound`, including for a directory of other files; `locked` if the database
    ///   is open in this or another process; `comparatorMismatch`; `invalidArgument`, including if the directory or one
    ///   of its parents belongs to another user or is writable by everybody; `forked`; `io`; `cancelled` if `stage`
    ///   returned `false`. In these cases nothing was changed. `corruption` if LevelDB could not repair the database;
    ///   the error names the backup.
    /// - Complexity: reads every table file and log several times, and rewrites all table files once.
    public static func repair(
        at path: String, options: DatabaseOptions = DatabaseOptions(),
        stage: (Database.RepairReport.Stage) -> Bool = { _ in true }
    ) throws(LevelError) -> Database.RepairReport {
        ForkGeneration.install()
        try options.validate()
        try ForkGeneration.requireEngine(for: path)
        return try Repair(directory: DatabaseDirectory(toChange: path), options: options).run(stage)
    }
}

extension Database.RepairReport {
    /// The stage of a repair.
    public enum Stage: Sendable, Hashable {
        /// The files are being copied to the backup; nothing has been changed. Reported before each file.
        case backingUp
        /// The files are being changed. The original files are in the backup.
        case repairing(backupPath: String)
        /// The result is being read.
        case verifying(backupPath: String)
    }
}

/// A repair, including the checks that LevelDB's function omits.
///
/// `repair_db` takes no lock, creates a missing database, overwrites the stored comparator name, uses every table file
/// in the directory, even obsolete ones, and reads logs without verifying checksums.
private struct Repair {
    let directory: DatabaseDirectory
    let options: DatabaseOptions

    func run(_ stage: (Database.RepairReport.Stage) -> Bool) throws(LevelError) -> Database.RepairReport {
        switch try directory.content() {
        case .database, .databaseWithoutCurrent: break
        case .missing, .empty, .foreign, .notADirectory: throw try directory.missingDatabase()
        }
        let evidence = try RepairEvidence(directory)
        guard evidence.isDatabase else {
            throw LevelError(
                .databaseNotFound,
                "\(directory.path) contains files with LevelDB's names, but none that LevelDB wrote; check the path")
        }
        let names = evidence.comparatorNames
        if let stored = names.first, !names.contains(options.order.name) {
            throw LevelError(
                .comparatorMismatch,
                "could not repair \(directory.path): it is ordered by the comparator \(stored), but the options specify "
                    + "\(options.order.name); repair it with \(stored)")
        }
        try directory.requireClosed(to: "repair")
        try EngineFolder(directory).checkMessages()
        try requireFilesOfItsOwn()
        let archivedBefore = archivedNames()
        var privacy: RepairPrivacy?
        defer { privacy?.finish() }
        let outcome = try repairExclusively(&privacy, stage)
        _ = stage(.verifying(backupPath: outcome.backup))
        let (verification, losses) = try verify(outcome)
        let dropped = outcome.messages.reduce(outcome.droppedFromLogs &+ outcome.droppedFromTables) {
            $0 &+ ($1.droppedByteCount ?? 0)
        }
        return Database.RepairReport(
            backupPath: outcome.backup, isOrderChecked: evidence.comparatorNames.count == 1, losses: losses,
            droppedByteCount: max(dropped, losses.byteCount), messages: outcome.messages,
            obsoleteNames: outcome.scope.obsoleteNames,
            archivedNames: archivedNames().subtracting(archivedBefore).sorted(), verification: verification)
    }

    private struct Outcome {
        let backup: String
        let scope: RepairScope
        var droppedFromLogs: UInt64 = 0
        var droppedFromTables: UInt64 = 0
        var messages: [Database.EngineMessage] = []
    }

    private func repairExclusively(
        _ privacy: inout RepairPrivacy?, _ stage: (Database.RepairReport.Stage) -> Bool
    ) throws(LevelError) -> Outcome {
        let access = try ExclusiveAccess(to: directory)
        try requireReadableFiles()
        do throws(SystemError) {
            privacy = try RepairPrivacy(directory)
        } catch {
            throw error.levelError("read \(directory.path)")
        }
        let scope = try RepairScope(directory)
        var outcome = Outcome(backup: try RepairBackup(of: directory).make { stage(.backingUp) }, scope: scope)
        _ = stage(.repairing(backupPath: outcome.backup))
        do throws(LevelError) {
            try removeObsoleteFiles(scope)
            outcome.droppedFromLogs = try cleanLogs()
            outcome.droppedFromTables = try ForgedTables(
                directory: directory, scope: scope, order: options.order
            ).disarm()
            var options = options
            // Without strict checks, LevelDB would use blocks with wrong checksums, and keys out of order would abort
            // the process.
            options.integrity = .strict
            try EngineMaintenance.repair(path: directory.path, options: EngineOptions(options))
            outcome.messages = try Database.EngineMessage.losses(inFileAt: directory.file("LOG"))
        } catch {
            throw keeping(outcome.backup, error)
        }
        _ = consume access
        return outcome
    }

    /// Throws if LevelDB would write through a link to a file of another directory.
    private func requireFilesOfItsOwn() throws(LevelError) {
        for name in try directory.names() where EngineFileName(name) != nil || name == "lost" {
            guard let status = FileStatus(linkAt: directory.file(name)) else { continue }
            guard name == "lost" ? status.isDirectory : status.isRegularFile else {
                throw LevelError(
                    .corruption,
                    "\(directory.file(name)) is a link or a special file, which LevelDB never creates; check the path, "
                        + "or move it to another directory; nothing was changed")
            }
            if let kind = EngineFileName(name), EngineFolder.isImpossible(kind) {
                throw LevelError(
                    .corruption,
                    "\(directory.file(name)) has a number that LevelDB cannot have assigned; nothing was changed; move the "
                        + "file to another directory")
            }
            if let usual = EngineFileName.usual(of: name), usual != name {
                throw LevelError(
                    .corruption,
                    "\(directory.file(name)) has a name that LevelDB does not write: it looks for \(usual); rename the file "
                        + "or move it to another directory; nothing was changed")
            }
            if case .temporary = EngineFileName(name), status.linkCount > 1 {
                throw LevelError(
                    .corruption,
                    "\(directory.file(name)) has another hard link elsewhere, and LevelDB would overwrite it; remove \(name), which "
                        + "contains no data; nothing was changed")
            }
        }
    }

    /// Throws if a file cannot be opened, because of permissions or a process limit. LevelDB would treat it as lost.
    private func requireReadableFiles() throws(LevelError) {
        for name in try directory.names() {
            switch EngineFileName(name) {
            case .current, .manifest, .table, .log: break
            case .lock, .messages, .temporary, nil: continue
            }
            do throws(SystemError) {
                _ = try OpenFile(reading: directory.file(name))
            } catch {
                throw error.levelError("open \(directory.file(name)) for its repair; nothing was changed")
            }
        }
    }

    private func keeping(_ backup: String, _ error: LevelError) -> LevelError {
        LevelError(
            error.code, "\(error.message); the original files are in \(backup)",
            cause: error.cause)
    }

    /// Deletes table files and logs that an intact manifest does not name.
    private func removeObsoleteFiles(_ scope: RepairScope) throws(LevelError) {
        for name in scope.obsoleteNames {
            do throws(SystemError) {
                try FileOperations.remove(directory.file(name))
            } catch {
                throw error.levelError("delete \(directory.file(name))")
            }
        }
    }

    /// Rewrites each corrupt log with its intact records, and without duplicate ones.
    ///
    /// - Returns: the bytes that were omitted.
    private func cleanLogs() throws(LevelError) -> UInt64 {
        var dropped: UInt64 = 0
        for name in try directory.names() {
            guard case .log(let number) = EngineFileName(name) else { continue }
            do throws(SystemError) {
                dropped += try clean(directory.file(name), by: directory.file("\(number).dbtmp"))
            } catch {
                throw error.levelError("rewrite \(directory.file(name))")
            }
        }
        return dropped
    }

    private func clean(_ path: String, by temporary: String) throws(SystemError) -> UInt64 {
        var reader = RecordReader(try OpenFile(reading: path), holding: .batches)
        var writer = RecordWriter()
        var order = BatchOrder()
        var dropped: UInt64 = 0
        while let item = try reader.next() {
            switch item {
            case .record(let record) where order.enter(record) != nil: dropped += UInt64(record.count)
            case .record(let record): writer.append(record)
            case .damage(let damage): dropped += damage.byteCount
            }
        }
        guard dropped > 0 else { return 0 }
        try? FileOperations.remove(temporary)
        let file = try OpenFile(
            creating: temporary, permissions: OpenFile(reading: path).status().permissions | 0o600)
        try file.write(writer.bytes)
        try file.synchronize()
        try FileOperations.rename(temporary, replacing: path)
        return dropped
    }

    /// Opens the result with strict checks, reads all of it, and compares it with the data that was readable before.
    private func verify(_ outcome: Outcome) throws(LevelError) -> (
        Database.VerificationReport, Database.RepairReport.Losses
    ) {
        var options = options
        options.integrity = .strict
        options.createIfMissing = false
        options.errorIfExists = false
        // Between the repair and this open, another process may briefly hold the lock.
        options.lockTimeout = max(options.lockTimeout, .seconds(5))
        do throws(LevelError) {
            let database = try Database.open(at: directory.path, options: options)
            // LevelDB's repair puts all tables into level 0, where a read of a key takes the version from the file with
            // the highest number. Until the tables are compacted, that need not be the newest version. It also leaves a
            // single table as it is, even if its Bloom filter is damaged.
            try database.compact()
            let report = try database.verify()
            let survey = RepairSurvey(outcome.scope, backup: outcome.backup, order: database.order)
            let losses = try survey.losses(in: report.isSound ? database : nil)
            try database.close()
            return (report, losses)
        } catch {
            throw keeping(outcome.backup, error)
        }
    }

    private func archivedNames() -> Set<String> {
        guard let lost = try? DatabaseDirectory(directory.file("lost")), let names = try? lost.names() else {
            return []
        }
        return Set(names)
    }
}
