internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The steps of opening a database for reading.
///
/// Nothing in the directory is created, renamed or locked. The file system may be full or read-only, and another
/// process may be writing. The files are held open as for a checkpoint (``FileCollector``) and checked
/// (``EngineFolder``, ``StoreInspection``). LevelDB then reads them through a private directory (``ReadOnlyFiles``).
struct ReadOnlyDatabaseOpener {
    let directory: DatabaseDirectory
    let options: DatabaseOptions

    /// The number of attempts while another process changes the database.
    private static let tryLimit = 20
    /// A write buffer large enough to turn each log into a single table.
    private static let writeBufferByteCount = 1 << 30
    /// The space for the files that LevelDB writes in the private directory, apart from manifests and the content of
    /// logs.
    private static let ownFileByteCount: UInt64 = 64 << 10
    /// The descriptors to leave for other uses.
    private static let spareDescriptorCount = 128

    /// The files of the database at one moment.
    private struct Files {
        let version: Version
        let tables: [FileCollector.HeldTable]
        let logs: [FileCollector.HeldLog]
    }

    /// Opens the database.
    func run() throws(LevelError) -> DatabaseCore {
        guard try directory.content() == .database else { throw try directory.missingDatabase() }
        if options.errorIfExists {
            throw LevelError(
                .databaseExists, "a database already exists at \(directory.path); open it, or choose another path")
        }
        try requireFileSize(of: Self.ownFileByteCount)
        // Checked before anything is read, because the manifest may be too long, or a link.
        let folder = try EngineFolder(directory)
        try folder.check()
        var follower: ManifestFollower?
        let manifest = try ManifestFollower.follow(&follower, in: directory)
        try inspection.check(follower?.version ?? Version())
        let limit = FileOperations.raisedOpenFileLimit(for: manifest.tables.count + Self.spareDescriptorCount)
        // LevelDB maps the first thousand tables into memory, and keeps descriptors of the others.
        let isWithinLimit = 2 * manifest.tables.count + Self.spareDescriptorCount <= limit
        var isTrusted = folder.isTrusted
        if isTrusted, isWithinLimit, ReadOnlyFiles.canLinkDescriptors {
            if let core = try openLinks() { return core }
            isTrusted = false
        }
        let byteCount = folder.copiedByteCount(of: manifest) &+ Self.ownFileByteCount
        return try openCheckpoint(isCopied: !isTrusted, byteCount: byteCount)
    }

    /// Throws if the process may not write files as large as those of the private directory. A signal would end the
    /// process, or LevelDB would fail with an error that gives no reason.
    private func requireFileSize(of byteCount: UInt64) throws(LevelError) {
        let limit = FileOperations.fileByteCountLimit
        guard limit < byteCount else { return }
        throw LevelError(
            .io,
            "could not open the database at \(directory.path) for reading: LevelDB writes up to \(byteCount) bytes to a file "
                + "in a private directory, but this process may write files of at most \(limit) bytes; raise the limit "
                + "(ulimit -f)")
    }

    private var inspection: StoreInspection {
        StoreInspection(
            directory: directory, order: options.order, toleratesDamage: options.integrity == .relaxed)
    }

    // MARK: - Links to open files

    /// Opens the database through links to its open files.
    ///
    /// - Returns: `nil` if other users can change one of the files. The owner of the parent directory may have replaced
    ///   the directory since it was listed.
    private func openLinks() throws(LevelError) -> DatabaseCore? {
        let (files, _) = try FileCollector.repeated(directory, tryLimit: Self.tryLimit, action: "read") {
            (follower) throws(FileCollector.Failure) in try collect(&follower)
        }
        let held = files.tables.map(\.file) + files.logs.map(\.file)
        guard held.allSatisfy(EngineFolder.isTrusted) else { return nil }
        let open = Dictionary(uniqueKeysWithValues: files.tables.map { ($0.table, $0) })
        let last = files.version.lastSequence ?? .max
        try inspection.check(
            files.tables.map(\.table),
            upTo: options.checksEveryBlock ? BatchOrder.tableLimit(last, before: files.logs.map(\.file)) : last,
            options.checksEveryBlock ? .everything : .outline
        ) { table in open[table].map { ($0.name, $0.file) } }
        // The content of the logs is written to tables of about the same size.
        let logByteCount = files.logs.reduce(UInt64(0)) { $0 &+ ((try? $1.file.status().byteCount) ?? 0) }
        // One manifest for LevelDB to read, and one that it writes.
        let manifestByteCount = 2 * UInt64(VersionEdit(files.version).encoded.count)
        let byteCount = logByteCount &+ manifestByteCount &+ Self.ownFileByteCount
        try requireFileSize(of: byteCount)
        let scratch = try ScratchPlace.make(byteCount: byteCount, for: directory)
        let links = try ReadOnlyFiles(in: scratch, files.version, tables: files.tables, logs: files.logs)
        return try start(links, tableCount: held.count)
    }

    /// Opens the files of a single consistent state.
    private func collect(_ follower: inout ManifestFollower?) throws(FileCollector.Failure) -> Files {
        let collector = try FileCollector(directory, &follower)
        let version = follower?.version ?? Version()
        do throws(LevelError) { try inspection.check(version) } catch { throw .stopped(error) }
        var tables: [FileCollector.HeldTable] = []
        for table in collector.manifest.tables { tables.append(try collector.hold(table)) }
        let logs = try collector.holdLogs()
        try collector.requireCurrent()
        try checkOrder(of: logs, collector)
        return Files(version: version, tables: tables, logs: logs)
    }

    private func checkOrder(
        of logs: [FileCollector.HeldLog], _ collector: FileCollector
    ) throws(FileCollector.Failure) {
        do throws(LevelError) {
            try inspection.check(collector.manifest)
            var order = BatchOrder(after: collector.manifest.newestBound)
            for log in logs { try inspection.check(log.file, log.name, &order) }
        } catch {
            throw error.code == .corruption ? .damaged(error) : .stopped(error)
        }
    }

    // MARK: - A checkpoint

    /// Opens a checkpoint in a private directory.
    ///
    /// - Parameters:
    ///   - isCopied: whether other users may change the files. Then every block is checked, in the copy.
    ///   - byteCount: the size of a copy.
    private func openCheckpoint(isCopied: Bool, byteCount: UInt64) throws(LevelError) -> DatabaseCore {
        let scratch =
            isCopied
            ? try ScratchPlace.make(byteCount: byteCount, for: directory)
            : try ScratchPlace.make(byteCount: Self.ownFileByteCount, onDeviceOf: directory)
        ScratchPaths.insert(scratch.databasePath, original: directory.path)
        let copy = try DatabaseDirectory(scratch.databasePath)
        var held: ReadOnlyFiles?
        do throws(LevelError) {
            try Checkpoint.take(
                of: directory.path, to: copy.path, tables: isCopied ? .copied : .linked, tryLimit: Self.tryLimit)
            // As for links to open files.
            guard try EngineFolder(copy).isTrusted else {
                throw LevelError(
                    .busy, "files of \(directory.path) were replaced by files of another user meanwhile; try again")
            }
            let (files, _) = try FileCollector.repeated(copy, tryLimit: 1, action: "read") {
                (follower) throws(FileCollector.Failure) in
                let collector = try FileCollector(copy, &follower)
                let logs = try collector.holdLogs()
                try checkOrder(of: logs, collector)
                return (version: follower?.version ?? Version(), manifest: collector.manifest, logs: logs.map(\.number))
            }
            try StoreInspection(directory: copy, order: options.order).check(
                tablesOf: files.manifest, isCopied || options.checksEveryBlock ? .everything : .outline)
            let opened = try ReadOnlyFiles(checkpointIn: scratch, files.version, logs: files.logs)
            held = opened
            return try start(opened, tableCount: files.manifest.tables.count + files.logs.count)
        } catch {
            if held == nil {
                ScratchPaths.remove(scratch.databasePath)
                scratch.remove()
            }
            throw LevelError(
                error.code, ScratchPaths.translated(error.message, copy.path, directory.path),
                cause: error.cause.map { ScratchPaths.translated($0, copy.path, directory.path) })
        }
    }

    // MARK: - The engine

    /// Opens the private directory with LevelDB.
    private func start(_ held: ReadOnlyFiles, tableCount: Int) throws(LevelError) -> DatabaseCore {
        var settings = options
        settings.createIfMissing = false
        settings.writeBufferByteCount = Self.writeBufferByteCount
        // The content of the logs is written to memory and read immediately.
        settings.compression = .none
        settings.maxOpenFileCount = min(50_000, max(options.maxOpenFileCount, 2 * tableCount + 64))
        ScratchPaths.insert(held.enginePath, original: directory.path)
        guard let identity = FileStatus(path: held.enginePath)?.identity else {
            throw LevelError(.io, "could not read \(held.enginePath)", cause: SystemError.last.text)
        }
        do throws(LevelError) {
            let engine = try EngineDatabase.open(
                path: held.enginePath, options: EngineOptions(settings), shownPath: directory.path)
            return DatabaseCore(
                directory: directory, engine: engine, identity: identity, options: options, readOnlyFiles: held)
        } catch {
            held.remove()
            throw error
        }
    }
}
