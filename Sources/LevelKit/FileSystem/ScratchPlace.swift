internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Chooses where to create scratch directories for reading.
enum ScratchPlace {
    /// The prefix of the directory names.
    private static let prefix = ".levelkit-reading-"

    /// Creates a private directory in memory if it fits, else in the directory for temporary files, else next to the
    /// database.
    ///
    /// - Parameters:
    ///   - byteCount: the approximate number of bytes to be written, at most half of the integer range.
    ///   - database: the database to read.
    /// - Throws: ``LevelError`` with `io`; if a place has no room, the message names it.
    static func make(byteCount: UInt64, for database: DatabaseDirectory) throws(LevelError) -> ScratchDirectory {
        let places = (hasRoomInMemory(byteCount) ? [memory] : []) + temporary + [database.parentPath]
        return try make(in: places, byteCount: byteCount)
    }

    /// Creates a private directory, preferably on the device of the database, so that hard links to its files are
    /// possible.
    ///
    /// - Throws: like ``make(byteCount:for:)``.
    static func make(
        byteCount: UInt64, onDeviceOf database: DatabaseDirectory
    ) throws(LevelError) -> ScratchDirectory {
        let device = FileStatus(path: database.path)?.identity.device
        let near = (temporary + [database.parentPath]).filter { FileStatus(path: $0)?.identity.device == device }
        return try make(in: near + temporary, byteCount: byteCount)
    }

    private static var temporary: [String] {
        let variable = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
        return [variable, "/tmp"].compactMap(\.self).filter { !$0.isEmpty }
    }

    private static func make(in places: [String], byteCount: UInt64) throws(LevelError) -> ScratchDirectory {
        // Leftovers are cleared in all places, even in those that this call does not use.
        for place in [memory] + temporary { ScratchDirectory.clearLeftovers(in: place, prefix: prefix) }
        var failure = LevelError(.io, "could not find a directory for temporary files; set TMPDIR to one")
        var full: [String] = []
        for place in places {
            if place != memory, !temporary.contains(place) {
                ScratchDirectory.clearLeftovers(in: place, prefix: prefix)
            }
            if let free = CopyRoom.freeByteCount(at: place), free < byteCount {
                full.append(place)
                continue
            }
            do throws(LevelError) {
                return try ScratchDirectory(in: place, prefix: prefix)
            } catch {
                failure = error
            }
        }
        if full.isEmpty { throw failure }
        throw LevelError(
            .io,
            "could not create temporary files of \(byteCount) bytes: there is no room in "
                + "\(full.joined(separator: " or ")); free some space, or set TMPDIR to a directory with room")
    }

    /// The in-memory file system that Linux uses for POSIX shared memory.
    private static let memory = "/dev/shm"

    /// Returns whether an in-memory file system exists and the bytes take at most a quarter of its free space.
    private static func hasRoomInMemory(_ byteCount: UInt64) -> Bool {
        guard isInMemory, unsafe access(memory, W_OK | X_OK) == 0, let free = CopyRoom.freeByteCount(at: memory) else {
            return false
        }
        return free / 4 >= byteCount + (1 << 20)
    }

    /// Whether the path is a mounted tmpfs, not a directory on a disk.
    private static let isInMemory: Bool = {
        guard let mounts = try? OpenFile.content(of: "/proc/self/mounts", limit: 1 << 20) else { return false }
        return String(decoding: mounts, as: UTF8.self).split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 2 && fields[1] == memory && fields[2] == "tmpfs"
        }
    }()
}
