import DocIndex
import LevelKit
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How a command gets at a database that may be in use.
///
/// Without `--write` a database is read as it is at this moment, without a lock and without a change in its directory, whoever
/// else has it open. For writing it is locked; one that another process has open is refused, or waited for.
struct DatabaseAccess {
    /// Whether the database is to be changed.
    var isExclusive = true
    /// How long another process is waited for, before it is refused.
    var timeout: Duration = .zero
    /// Whether nothing is said about another process that writes.
    var isQuiet = false
    /// Whether every block is checked before LevelDB reads it.
    var checksEveryBlock = false

    /// Whether that holds for every database that this process opens.
    static let checksEveryBlockInProcess = Atomic(false)

    /// Opens a database that exists.
    ///
    /// - Throws: ``CommandFailure``, with what the files tell where the database is foreign or broken.
    func open(_ path: String) throws -> Database {
        var options = options
        options.lockTimeout = timeout
        DatabaseReplacement.clearLeftovers(of: path)
        do {
            let database = try Database.open(at: path, options: options, mode: isExclusive ? .readWrite : .readOnly)
            if let scratch = database.scratch { Interruption.removeAtExit(scratch) }
            if !isExclusive, !isQuiet { Self.tellWriter(of: path) }
            return database
        } catch {
            if isExclusive, error.code == .io, let reason = Self.reasonForReading(path) {
                throw Self.unwritable(path, reason)
            }
            throw CommandFailure(error).diagnosed(at: path)
        }
    }

    private var options: DatabaseOptions {
        var options = DocumentStore.Options().database
        options.createIfMissing = false
        options.checksEveryBlock = checksEveryBlock || Self.checksEveryBlockInProcess.load(ordering: .relaxed)
        return options
    }

    /// Says which other process may be changing what is read.
    private static func tellWriter(of path: String) {
        guard let writer = Database.writer(at: path), writer != getpid() else { return }
        StandardError.shared.write(
            VisibleText.singleLine(
                "\(path): open for writing by pid \(writer)\(name(of: writer)); reading it as of \(clock())") + "\n")
    }

    /// Why a database can be read and not opened, where its directory or lock file may not be written to; else `nil`.
    static func reasonForReading(_ path: String) -> String? {
        guard unsafe access(path, R_OK | X_OK) == 0 else { return nil }
        for file in [path, path + "/LOCK"] where unsafe access(file, W_OK) != 0 {
            switch errno {
            case EACCES, EPERM: return "not writable"
            case EROFS: return "on a file system for reading alone"
            default: continue
            }
        }
        return nil
    }

    /// The failure of whoever wants to change such a database.
    static func unwritable(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(
            .noPermission, "\(path) cannot be changed: it is \(reason)",
            hint: "change its permissions, or work on a copy that lkrepl snapshot makes")
    }

    /// Opens a copy of a database, which is gone with all that was written to it when it is closed. Tables are shared with
    /// the original, so the copy takes the room of what is new.
    ///
    /// - Parameter owner: the database, where this process has it open and so must not ask who has its lock.
    /// - Returns: the copy, and the directory that it is in.
    /// - Throws: as ``open(_:)``.
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
            throw CommandFailure(error).diagnosed(at: path)
        }
    }

    /// The name of a process in parentheses, where the system tells it.
    private static func name(of process: Int32) -> String {
        guard let file = try? FileDescriptor.openForReading("/proc/\(process)/comm") else { return "" }
        defer { try? file.closeFile() }
        let bytes = ((try? file.readAll(limit: 4096, name: "comm")) ?? []).prefix { $0 != 0x0a }
        return bytes.isEmpty ? "" : " (\(String(decoding: bytes, as: UTF8.self)))"
    }

    /// The time of the clock on the wall, which files carry too.
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
