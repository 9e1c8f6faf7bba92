internal import LevelFiles
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The files through which LevelDB reads a database that was opened for reading.
///
/// They are in a private directory, in memory if possible. LevelDB opens that directory as a separate database, and
/// writes there what it writes at every open: a few hundred bytes, and the content of the logs as table files.
///
/// - `MANIFEST` and `CURRENT` are generated from the original manifest.
/// - Each table file and each log is a symbolic link to a file that is open in this process, such as
///   `/proc/self/fd/17`. A table file stays readable after the writing process deletes it, and nothing is copied.
/// - If the system has no such links, or too few descriptors, the directory is a checkpoint made of hard links where
///   possible, else of copies. Files that other users can change are always copied.
///
/// *No compaction.* Otherwise LevelDB would start to compact and rewrite the database in memory. Directories therefore
/// occupy the names of the table files that a compaction would create first. Opening the output fails with `EISDIR`,
/// which LevelDB treats as a background error, and from then on it compacts nothing. Reads never check that error
/// (`db/db_impl.cc`, `RecordBackgroundError`, `MaybeScheduleCompaction`), and LevelDB cannot delete the directories
/// (`RemoveObsoleteFiles` calls `unlink`). The names are predictable: LevelDB numbers the new manifest, one table per
/// log, the new log, and then the first output. With a write buffer of the largest size each log becomes a single
/// table.
final class ReadOnlyFiles: @unchecked Sendable {
    // Unchecked: only the lifetime of the open files matters, and it ends under the lock.
    /// The directory that LevelDB opens.
    let enginePath: String
    let scratch: ScratchDirectory
    private var held: [OpenFile]
    private let isRemoved = Mutex(false)
    /// A forked process must not delete the directory.
    private let maker = getpid()
    /// The directories that prevent LevelDB from compacting.
    private let obstacles: [String]

    /// Creates a directory with links to open files.
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

    /// Prepares a directory that already contains a checkpoint.
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

    /// Deletes the directory, after LevelDB has closed it.
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

    /// Writes the manifest and `CURRENT`, and creates the obstacles.
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
        // The new manifest gets the next number, followed by the tables, the new log and the compaction outputs.
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

    /// Whether the system provides paths to open files, even after their deletion.
    static let canLinkDescriptors: Bool = {
        #if os(Linux)
            unsafe access("/proc/self/fd", R_OK | X_OK) == 0
        #else
            false
        #endif
    }()

    private static func descriptorName(_ file: OpenFile) -> String { "/proc/self/fd/\(file.descriptor)" }
}
