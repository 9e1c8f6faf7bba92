internal import LevelFiles

/// One try at a checkpoint.
struct CheckpointAttempt {
    /// Why a try did not succeed.
    enum Failure: Error {
        /// The writer was faster: a file that the manifest names is gone, or there is a new manifest.
        case overtaken
        /// Files do not fit together.
        case damaged(LevelError)
        /// Trying again would not help.
        case stopped(LevelError)
    }

    let source: DatabaseDirectory
    let mode: Checkpoint.Tables
    let manifest: Manifest
    /// The copied logs.
    private(set) var logs = LogSequence()

    /// Reads the manifest, or what was added to it since the last try.
    init(
        source: DatabaseDirectory, mode: Checkpoint.Tables, follower: inout ManifestFollower?
    ) throws(Failure) {
        self.source = source
        self.mode = mode
        do throws(LevelError) {
            manifest = try ManifestFollower.follow(&follower, in: source)
        } catch {
            throw error.code == .corruption ? .damaged(error) : .stopped(error)
        }
    }

    /// Fills the staging area.
    ///
    /// First every file is held, by a link or a descriptor, which takes a moment; then nothing that the writer does can
    /// take it away, and copying takes as long as it takes.
    ///
    /// - Parameter follower: the one that has read the manifest.
    mutating func run(
        into staging: inout StagingArea, follower: ManifestFollower?
    ) throws(Failure) {
        let tables = try holdTables(in: &staging)
        let logs = try holdLogs()
        guard try currentName() == manifest.name else { throw .overtaken }
        try copy(tables, into: &staging)
        try checkSizes(in: staging)
        do throws(SystemError) {
            try staging.removeTables(except: Set(manifest.tables.map(\.number)))
            try staging.removeOtherFiles()
        } catch {
            throw stopped(error, "clear", staging.path)
        }
        try copy(logs, into: &staging)
        do throws(SystemError) {
            // Only whole records: the copy must not depend on how much of the next one was there.
            try staging.write(follower?.content ?? [], to: manifest.name)
            try staging.write(Array((manifest.name + "\n").utf8), to: "CURRENT")
        } catch {
            throw stopped(error, "write into", staging.path)
        }
    }

    private func currentName() throws(Failure) -> String {
        do throws(LevelError) { return try source.currentManifestName() } catch { throw .stopped(error) }
    }

    private func stopped(_ error: SystemError, _ verb: String, _ path: String) -> Failure {
        .stopped(error.levelError("\(verb) \(path)"))
    }

    // MARK: - Tables

    /// A table that is open, to be copied even if the writer deletes it meanwhile.
    private struct Pending {
        let table: Manifest.Table
        let file: OpenFile
        let name: String
    }

    /// Links the tables.
    ///
    /// - Returns: those that have to be copied.
    private func holdTables(in staging: inout StagingArea) throws(Failure) -> [Pending] {
        var pending: [Pending] = []
        var linksAreRefused = mode == .copied
        // Leaves descriptors for everybody else. Tables beyond it are opened when the first ones are copied.
        let pendingLimit = max(16, FileOperations.openFileLimit / 2)
        for table in manifest.tables {
            if staging.table(table.number) != nil { continue }
            if !linksAreRefused {
                if try link(table, into: &staging) { continue }
                linksAreRefused = true
            }
            pending.append(try open(table))
            if pending.count >= pendingLimit {
                try copy(pending, into: &staging)
                pending = []
            }
        }
        return pending
    }

    /// Links a table.
    ///
    /// - Returns: whether links can be made here.
    private func link(_ table: Manifest.Table, into staging: inout StagingArea) throws(Failure) -> Bool {
        for name in Self.names(of: table) {
            do throws(SystemError) {
                try staging.link(source.file(name), number: table.number, name: name)
            } catch let error where error.isMissingFile {
                continue
            } catch let error where error.refusesLink {
                return false
            } catch {
                throw stopped(error, "link", source.file(name))
            }
            return true
        }
        throw missing(table)
    }

    private func open(_ table: Manifest.Table) throws(Failure) -> Pending {
        for name in Self.names(of: table) {
            do throws(SystemError) {
                return Pending(table: table, file: try OpenFile(reading: source.file(name)), name: name)
            } catch let error where error.isMissingFile {
                continue
            } catch {
                throw stopped(error, "read", source.file(name))
            }
        }
        throw missing(table)
    }

    private func copy(_ pending: [Pending], into staging: inout StagingArea) throws(Failure) {
        for item in pending {
            do throws(SystemError) {
                try staging.copy(item.file, number: item.table.number, name: item.name)
            } catch {
                throw stopped(error, "copy", source.file(item.name))
            }
        }
    }

    private func checkSizes(in staging: StagingArea) throws(Failure) {
        for table in manifest.tables {
            guard let name = staging.table(table.number) else { continue }
            let byteCount: UInt64
            do throws(SystemError) {
                byteCount = try OpenFile(reading: staging.file(name)).status().byteCount
            } catch {
                throw stopped(error, "read", staging.file(name))
            }
            guard byteCount == table.byteCount else {
                throw damaged("table \(table.number) has \(byteCount) bytes in place of \(table.byteCount)")
            }
        }
    }

    private static func names(of table: Manifest.Table) -> [String] {
        [EngineFileName.table(named: table.number), EngineFileName.oldTable(named: table.number)]
    }

    private func missing(_ table: Manifest.Table) -> Failure { damaged("table \(table.number) is missing") }

    private func damaged(_ reason: String) -> Failure {
        .damaged(
            LevelError(
                .corruption,
                "the database at \(source.path) is damaged: \(reason); restore a backup or salvage with repair"))
    }

    // MARK: - Logs

    /// A log that is open.
    private struct HeldLog {
        let number: UInt64
        let file: OpenFile
    }

    /// Opens the logs, the oldest first. Each but the last is complete, since a later one exists. To what the last one
    /// holds, the writer may add until it is copied.
    private func holdLogs() throws(Failure) -> [HeldLog] {
        var numbers: [UInt64] = []
        let names: [String]
        do throws(LevelError) { names = try source.names() } catch { throw .stopped(error) }
        for name in names {
            if case .log(let number) = EngineFileName(name), manifest.needsLog(number) { numbers.append(number) }
        }
        // Without it, writes that are in no table yet would be missing, and LevelDB would not notice.
        guard manifest.logNumber == 0 || numbers.contains(manifest.logNumber) else {
            throw damaged("log \(manifest.logNumber) is missing")
        }
        var logs: [HeldLog] = []
        for number in numbers.sorted() {
            let path = source.file(EngineFileName.log(named: number))
            do throws(SystemError) {
                logs.append(HeldLog(number: number, file: try OpenFile(reading: path)))
            } catch {
                throw error.isMissingFile ? .overtaken : stopped(error, "read", path)
            }
        }
        return logs
    }

    private mutating func copy(_ held: [HeldLog], into staging: inout StagingArea) throws(Failure) {
        for log in held {
            let name = EngineFileName.log(named: log.number)
            let gap: String?
            do throws(SystemError) {
                _ = try staging.copy(log.file, to: name)
                gap = try logs.append(OpenFile(reading: staging.file(name)), number: log.number)
            } catch {
                throw stopped(error, "copy", source.file(name))
            }
            if let gap { throw damaged(gap) }
        }
    }
}
