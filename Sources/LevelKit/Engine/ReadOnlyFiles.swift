internal import LevelFiles
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The files through which LevelDB reads a database that was opened for reading.
///
/// They lie in a private directory, in memory where there is such a place. LevelDB opens that directory as a database of
/// its own and writes there what it writes at every opening: a few hundred bytes, and the content of the logs as tables.
///
/// - `MANIFEST` and `CURRENT` are written here from what the original's manifest says.
/// - Each table and each log is a symbolic link to a file that is open here, `/proc/self/fd/17`. So a table stays readable
///   when the process that writes deletes it, and nothing is copied.
/// - Where the system has no such names, or too few descriptors, the directory is a checkpoint: hard links where these can
///   be made, else copies. Of files that somebody else can change it is always a copy.
///
/// *No compaction.* LevelDB would begin to merge tables, and so write the database anew into memory. Therefore directories
/// lie under the names of the tables that it would make first. Opening the output fails with `EISDIR`, which LevelDB takes
/// for an error of its background thread, and from then on it compacts nothing. Reads never ask for that error
/// (`db/db_impl.cc`, `RecordBackgroundError`, `MaybeScheduleCompaction`), and it does not delete the directories
/// (`RemoveObsoleteFiles` calls `unlink`). The names are known: LevelDB numbers the new manifest, one table for each log,
/// the new log, and then the first output; a write buffer of the largest size makes one table of each log.
final class ReadOnlyFiles: @unchecked Sendable {
    // Unchecked: nothing but the lifetime of the open files is used, and that ends under the lock.
    /// The directory that LevelDB opens.
    let enginePath: String
    let scratch: ScratchDirectory
    private var held: [OpenFile]
    private let isRemoved = Mutex(false)
    /// A process that was forked off must leave the directory to this one.
    private let maker = getpid()
    /// The directories that keep LevelDB from compacting.
    private let obstacles: [String]

    /// A directory with links to open files.
    ///
    /// - Parameter version: the state of the original.
    init(
        in scratch: ScratchDirectory, _ version: Version, tables: [FileCollector.HeldTable],
        logs: [FileCollector.HeldLog]
    ) throws(LevelError) {
        let path = scratch.databasePath
        do throws(SystemError) {
            try FileOperations.makeDirectory(path, permissions: 0o700)
            for table in tables {
                try FileOperations.symbolicLink(Self.descriptorName(table.file), at: path + "/" + table.name)
            }
            for log in logs {
                try FileOperations.symbolicLink(Self.descriptorName(log.file), at: path + "/" + log.name)
            }
            obstacles = try Self.prepare(path, version, logs.map(\.number))
        } catch {
            throw Self.failure(error, path)
        }
        self.scratch = scratch
        enginePath = path
        held = tables.map(\.file) + logs.map(\.file)
    }

    /// A directory that holds a checkpoint already.
    ///
    /// - Parameter version: the state of the checkpoint.
    init(checkpointIn scratch: ScratchDirectory, _ version: Version, logs: [UInt64]) throws(LevelError) {
        let path = scratch.databasePath
        do throws(SystemError) {
            try FileOperations.remove(path + "/CURRENT")
            obstacles = try Self.prepare(path, version, logs)
        } catch {
            throw Self.failure(error, path)
        }
        self.scratch = scratch
        enginePath = path
        held = []
    }

    deinit { remove() }

    /// Removes the directory, after LevelDB has closed it.
    func remove() {
        guard getpid() == maker else { return }
        isRemoved.withLock { isRemoved in
            guard !isRemoved else { return }
            isRemoved = true
            for path in obstacles { try? FileOperations.removeDirectory(path) }
            scratch.remove()
            held = []
            ScratchPaths.remove(enginePath)
        }
    }

    // MARK: - Filling

    /// Writes the manifest and the file that names it, and makes the obstacles.
    ///
    /// - Returns: the paths of the obstacles.
    private static func prepare(
        _ path: String, _ version: Version, _ logs: [UInt64]
    ) throws(SystemError) -> [String] {
        let number = max(version.nextFileNumber ?? 0, (logs.max() ?? 0) + 1, (version.logNumber ?? 0) + 1)
        var version = version
        version.nextFileNumber = number + 1
        var writer = RecordWriter()
        writer.append(VersionEdit(version).encoded)
        let name = EngineFileName.manifest(named: number)
        try OpenFile(creating: path + "/" + name, permissions: 0o600).write(writer.bytes)
        try OpenFile(creating: path + "/CURRENT", permissions: 0o600).write(Array((name + "\n").utf8))
        // The new manifest has the next number; tables and the new log follow, then outputs.
        let firstOutput = number + 1 + UInt64(logs.count) + 2
        var obstacles: [String] = []
        for number in firstOutput..<firstOutput + 2 {
            let obstacle = path + "/" + EngineFileName.table(named: number)
            try FileOperations.makeDirectory(obstacle, permissions: 0o700)
            obstacles.append(obstacle)
        }
        return obstacles
    }

    private static func failure(_ error: SystemError, _ path: String) -> LevelError {
        error.levelError("prepare the directory \(path), through which the database is read")
    }

    // MARK: - Descriptors

    /// Whether open files have names that lead to them, even when they were deleted.
    static let canLinkDescriptors: Bool = {
        #if os(Linux)
            unsafe access("/proc/self/fd", R_OK | X_OK) == 0
        #else
            false
        #endif
    }()

    private static func descriptorName(_ file: OpenFile) -> String { "/proc/self/fd/\(file.descriptor)" }
}
