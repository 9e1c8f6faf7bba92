import DocIndex
import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How a command gets at a database that may be in use.
///
/// A database that nobody has open is opened. One that another process has open is read from a checkpoint, which takes no
/// lock and changes nothing there; for writing it is refused, or waited for.
struct DatabaseAccess {
    /// Whether the database itself is needed, and not what it was a moment ago.
    var isExclusive = true
    /// How long another process is waited for, before it is refused or a checkpoint is taken.
    var timeout: Duration = .zero
    /// Whether nothing is said about a checkpoint.
    var isQuiet = false

    /// Opens a database that exists.
    ///
    /// - Returns: the database, and the directory of the checkpoint that is read in its place; it goes when the database
    ///   is closed.
    /// - Throws: ``CommandFailure``, with what the files tell where the database is foreign or broken.
    func open(_ path: String) throws -> (database: Database, checkpoint: ScratchDirectory?) {
        var options = DocumentStore.Options().database
        options.createIfMissing = false
        options.lockTimeout = timeout
        do {
            return (try Database.open(at: path, options: options), nil)
        } catch {
            let failure = CommandFailure(error)
            if error.code == .io, let reason = Self.reasonForReading(path) {
                guard !isExclusive else { throw Self.unwritable(path, reason) }
                return try openCheckpoint(of: path, options, reason: reason)
            }
            guard error.code == .locked, !isExclusive else { throw failure.diagnosed(at: path) }
            return try openCheckpoint(of: path, options)
        }
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
    /// - Throws: as ``open(_:)``.
    func openCopy(of path: String, owner: Database?) throws -> (database: Database, checkpoint: ScratchDirectory?) {
        var options = DocumentStore.Options().database
        options.createIfMissing = false
        return try openCheckpoint(of: path, options, owner: owner, isTold: false)
    }

    private func openCheckpoint(
        of path: String, _ options: DatabaseOptions, owner: Database? = nil, isTold: Bool = true, reason: String? = nil
    ) throws -> (database: Database, checkpoint: ScratchDirectory?) {
        let scratch = try ScratchDirectory(of: path)
        do {
            let report =
                try owner?.checkpoint(to: scratch.databasePath)
                ?? Checkpoint.take(of: path, to: scratch.databasePath)
            let database = try Database.open(at: scratch.databasePath, options: options)
            if !isQuiet, isTold {
                let holder = report.holder.map { "open for writing by pid \($0)\(Self.name(of: $0))" }
                StandardError.shared.write(
                    VisibleText.singleLine(
                        "\(path): \(holder ?? reason ?? "in use"); reading a checkpoint taken \(Self.clock())") + "\n")
            }
            return (database, scratch)
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
