internal import LevelFiles

/// An attempt at a checkpoint.
struct CheckpointAttempt {
    typealias Failure = FileCollector.Failure

    let mode: Checkpoint.Tables
    private let collector: FileCollector
    /// The copied logs.
    private(set) var logs = LogSequence()

    /// Reads the manifest, or what was added to it since the last attempt.
    ///
    /// - Parameter followsLinks: whether table files may be symbolic links. They are then copied.
    init(
        source: DatabaseDirectory, mode: Checkpoint.Tables, followsLinks: Bool, follower: inout ManifestFollower?
    ) throws(Failure) {
        self.mode = mode
        collector = try FileCollector(source, followsLinks: followsLinks, &follower)
    }

    private var source: DatabaseDirectory { collector.source }
    var manifest: Manifest { collector.manifest }

    /// Fills the staging area.
    ///
    /// Every file is first secured by a link or a descriptor, which is quick. After that the writer cannot remove any
    /// of them, and copying may take any time.
    ///
    /// - Parameter follower: the follower that has read the manifest.
    mutating func run(
        into staging: inout StagingArea, follower: ManifestFollower?
    ) throws(Failure) {
        if mode == .copied || staging.isForeign { try requireRoom(manifest.tableByteCount, in: staging) }
        let tables = try holdTables(in: &staging)
        let logs = try collector.holdLogs()
        for log in logs { try check(log.file, log.name) }
        try collector.requireCurrent()
        try copy(tables, into: &staging)
        try checkSizes(in: staging)
        do throws(SystemError) {
            try staging.removeTables(except: Set(manifest.tables.map(\.number)))
            try staging.removeOtherFiles()
        } catch {
            throw collector.stopped(error, "clear", staging.path)
        }
        try copy(logs, into: &staging)
        do throws(SystemError) {
            // Complete records only: the copy must not contain a part of the next one.
            try staging.write(follower?.content ?? [], to: manifest.name)
            try staging.write(Array((manifest.name + "\n").utf8), to: "CURRENT")
        } catch {
            throw collector.stopped(error, "write into", staging.path)
        }
    }

    // MARK: - Tables

    /// Links the table files.
    ///
    /// - Returns: the tables that must be copied.
    private func holdTables(in staging: inout StagingArea) throws(Failure) -> [FileCollector.HeldTable] {
        var pending: [FileCollector.HeldTable] = []
        var linksAreRefused = mode == .copied || staging.isForeign
        // Leaves descriptors for other uses. Tables beyond this number are opened after the first ones are copied.
        let pendingLimit = max(16, FileOperations.openFileLimit / 2)
        for table in manifest.tables {
            if staging.table(table.number) != nil { continue }
            if !linksAreRefused {
                if try link(table, into: &staging) { continue }
                linksAreRefused = true
            }
            let held = try collector.hold(table)
            try check(held.file, held.name)
            pending.append(held)
            if pending.count >= pendingLimit {
                try copy(pending, into: &staging)
                pending = []
            }
        }
        return pending
    }

    /// Links a table file.
    ///
    /// - Returns: whether links are possible here.
    private func link(_ table: Manifest.Table, into staging: inout StagingArea) throws(Failure) -> Bool {
        for name in FileCollector.names(of: table) {
            do throws(SystemError) {
                try staging.link(source.file(name), number: table.number, name: name)
            } catch let error where error.isMissingFile {
                continue
            } catch let error where error.refusesLink {
                return false
            } catch {
                throw collector.stopped(error, "link", source.file(name))
            }
            return true
        }
        throw collector.missing(table)
    }

    private func copy(_ pending: [FileCollector.HeldTable], into staging: inout StagingArea) throws(Failure) {
        for item in pending {
            try requireSize(of: item)
            do throws(SystemError) {
                try staging.copy(item.file, number: item.table.number, name: item.name)
            } catch {
                throw collector.stopped(error, "copy", source.file(item.name))
            }
        }
    }

    /// Throws if the size of a table file differs from the manifest, before it is copied.
    private func requireSize(of item: FileCollector.HeldTable) throws(Failure) {
        let byteCount: UInt64
        do throws(SystemError) {
            byteCount = try item.file.status().byteCount
        } catch {
            throw collector.stopped(error, "read", source.file(item.name))
        }
        try check(byteCount, of: item.table)
    }

    private func check(_ byteCount: UInt64, of table: Manifest.Table) throws(Failure) {
        guard byteCount != table.byteCount else { return }
        throw collector.damaged("table \(table.number) has \(byteCount) bytes instead of \(table.byteCount)")
    }

    /// Throws if a file of another user that must be copied is almost entirely sparse.
    private func check(_ file: OpenFile, _ name: String) throws(Failure) {
        do throws(LevelError) { try CopyRoom.check(file, at: source.file(name)) } catch { throw .stopped(error) }
    }

    private func requireRoom(_ byteCount: UInt64, in staging: StagingArea) throws(Failure) {
        do throws(LevelError) { try CopyRoom.require(byteCount, at: staging.path) } catch { throw .stopped(error) }
    }

    private func checkSizes(in staging: StagingArea) throws(Failure) {
        for table in manifest.tables {
            guard let name = staging.table(table.number) else { continue }
            let byteCount: UInt64
            do throws(SystemError) {
                // Detects a table file that was a symbolic link.
                byteCount = try staging.open(name).status().byteCount
            } catch {
                throw collector.stopped(error, "read", source.file(name))
            }
            try check(byteCount, of: table)
        }
    }

    // MARK: - Logs

    private mutating func copy(_ held: [FileCollector.HeldLog], into staging: inout StagingArea) throws(Failure) {
        let byteCount = held.reduce(UInt64(0)) { $0 &+ ((try? $1.file.status().byteCount) ?? 0) }
        try requireRoom(byteCount, in: staging)
        for log in held {
            let name = log.name
            let gap: String?
            do throws(SystemError) {
                _ = try staging.copy(log.file, to: name)
                gap = try logs.append(staging.open(name), number: log.number)
            } catch {
                throw collector.stopped(error, "copy", source.file(name))
            }
            if let gap { throw collector.damaged(gap) }
        }
    }
}
