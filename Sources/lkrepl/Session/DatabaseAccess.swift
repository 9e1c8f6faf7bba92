import DocIndex
import LevelKit
import StorePackages
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Opens databases that may be in use.
///
/// Without `--write` a database is opened as a read-only snapshot of its current state, without a lock and without
/// changing its directory, even if another process has it open. For writing it is locked; if another process has it
/// open, opening fails, or waits.
struct DatabaseAccess {
    /// Whether the database will be changed.
    var isExclusive = true
    /// How long to wait for another process before opening fails.
    var timeout: Duration = .zero
    /// Whether to suppress the note about another process that writes.
    var isQuiet = false
    /// Whether every block is checked before LevelDB reads it.
    var checksEveryBlock = false

    /// Whether the cache and the write buffer are smaller than stores have them by default: 16 and 8 MiB.
    var savesMemory = false

    /// Whether every block is checked, for every database that this process opens.
    static let checksEveryBlockInProcess = Atomic(false)

    /// Opens an existing database.
    ///
    /// - Throws: ``CommandError``, with a diagnosis of the files if the database is foreign or damaged.
    func open(_ path: String) throws -> Database {
        var options = options
        options.lockTimeout = timeout
        if isExclusive {
            DatabaseReplacement.clearLeftovers(of: path)
            try DocumentStore.requireKnownFormat(at: path)
        } else {
            // Reading deletes no leftovers of a load, but without this there might be nothing to read.
            DatabaseReplacement.restoreMoved(to: path)
        }
        do {
            let database = try Database.open(at: path, options: options, mode: isExclusive ? .readWrite : .readOnly)
            if let scratch = database.scratch { Interruption.removeAtExit(scratch) }
            if !isExclusive, !isQuiet { Self.tellWriter(of: path) }
            return database
        } catch {
            if isExclusive, error.code == .io, let reason = Self.reasonForReading(path) {
                throw Self.unwritable(path, reason)
            }
            throw CommandError(error).diagnosed(at: path)
        }
    }

    /// Opens a package for reading.
    ///
    /// - Throws: ``CommandError`` with `noPermission` if it should be changed; `PackageError`.
    func openPackage(_ path: String) throws -> PackagedStore {
        if isExclusive { try Self.requireNoPackage(path) }
        let packaged = try PackagedStore(at: path, options: options)
        Interruption.removeAtExit(packaged.scratch)
        if let scratch = packaged.database.scratch { Interruption.removeAtExit(scratch) }
        return packaged
    }

    /// Throws if a path is that of a package, which cannot be changed.
    static func requireNoPackage(_ path: String) throws {
        guard Package.isPackage(at: path) else { return }
        throw CommandError(
            .noPermission, "\(path) is a package, which can only be read",
            hint: "unpack --into STORE adds its documents to a store")
    }

    private var options: DatabaseOptions {
        var options = DocumentStore.Options().database
        options.createIfMissing = false
        if savesMemory {
            options.cacheByteCount = 16 << 20
            options.writeBufferByteCount = 8 << 20
        }
        options.checksEveryBlock = checksEveryBlock || Self.checksEveryBlockInProcess.load(ordering: .relaxed)
        return options
    }

    /// Notes which other process may be changing the database.
    private static func tellWriter(of path: String) {
        guard let writer = Database.writer(at: path), writer != getpid() else { return }
        StandardError.shared.write(
            VisibleText.singleLine(
                "\(path): open for writing by pid \(writer)\(name(of: writer)); reading it as of \(clock())") + "\n")
    }

    /// The reason that a database can be read but not opened for writing, because its directory or lock file is not
    /// writable; otherwise `nil`.
    static func reasonForReading(_ path: String) -> String? {
        guard unsafe access(path, R_OK | X_OK) == 0 else { return nil }
        for file in [path, path + "/LOCK"] where unsafe access(file, W_OK) != 0 {
            switch errno {
            case EACCES, EPERM: return "not writable"
            case EROFS: return "on a read-only file system"
            default: continue
            }
        }
        return nil
    }

    /// The failure to change a database that is not writable.
    static func unwritable(_ path: String, _ reason: String) -> CommandError {
        CommandError(
            .noPermission, "\(path) cannot be changed: it is \(reason)",
            hint: "change its permissions, or work on a copy made by lkrepl snapshot")
    }

    /// Opens a temporary copy of a database, which is deleted with all changes when it is closed. It shares tables with
    /// the original, so it needs space only for new data.
    ///
    /// - Parameter owner: The database, if this process has it open and thus holds its lock.
    /// - Returns: The copy, and its directory.
    /// - Throws: Like ``open(_:)``.
    func openCopy(of path: String, owner: Database?) throws -> (database: Database, scratch: ScratchDirectory) {
        let scratch = try ScratchDirectory(of: path)
        do {
            if let owner {
                try owner.checkpoint(to: scratch.databasePath)
            } else {
                try Checkpoint.take(of: path, to: scratch.databasePath)
            }
            return (try Database.open(at: scratch.databasePath, options: options), scratch)
        } catch {
            scratch.remove()
            throw CommandError(error).diagnosed(at: path)
        }
    }

    /// The name of a process in parentheses; empty if the system does not provide it.
    private static func name(of process: Int32) -> String {
        guard let file = try? FileDescriptor.openForReading("/proc/\(process)/comm") else { return "" }
        defer { try? file.closeFile() }
        let bytes = ((try? file.readAll(limit: 4096, name: "comm")) ?? []).prefix { $0 != 0x0a }
        return bytes.isEmpty ? "" : " (\(String(decoding: bytes, as: UTF8.self)))"
    }

    /// The wall-clock time, comparable to modification times of files.
    static var secondsSince1970: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The local time of the day, `12:01:07`.
    private static func clock() -> String {
        var now = time(nil)
        var parts = unsafe tm()
        unsafe localtime_r(&now, &parts)
        return unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
            .map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
    }
}
