internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Where directories for reading are made.
enum ScratchPlace {
    /// How the names of the directories begin.
    private static let prefix = ".levelkit-reading-"

    /// Makes a private directory: in memory where there is room, else in the directory for temporary files, else beside the
    /// database.
    ///
    /// - Parameters:
    ///   - byteCount: how much will be written into it, about; at most half of what an integer can be.
    ///   - database: the database that is to be read.
    /// - Throws: ``LevelError`` with `io` and the reason of the last place.
    static func make(byteCount: UInt64, for database: DatabaseDirectory) throws(LevelError) -> ScratchDirectory {
        let places = (hasRoomInMemory(byteCount) ? [memory] : []) + temporary + [database.parentPath]
        return try make(in: places, byteCount: byteCount)
    }

    /// Makes a private directory to which hard links from a database can lead, if there is such a place.
    ///
    /// - Throws: as ``make(byteCount:for:)``.
    static func make(onDeviceOf database: DatabaseDirectory) throws(LevelError) -> ScratchDirectory {
        let device = FileStatus(path: database.path)?.identity.device
        let near = (temporary + [database.parentPath]).filter { FileStatus(path: $0)?.identity.device == device }
        return try make(in: near + temporary, byteCount: 0)
    }

    private static var temporary: [String] {
        let variable = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) }
        return [variable, "/tmp"].compactMap(\.self).filter { !$0.isEmpty }
    }

    private static func make(in places: [String], byteCount: UInt64) throws(LevelError) -> ScratchDirectory {
        // In all of them: what a killed process left may lie where this one has no need to look.
        for place in [memory] + temporary { ScratchDirectory.clearLeftovers(in: place, prefix: prefix) }
        var failure = LevelError(.io, "there is no directory for temporary files; set TMPDIR to one")
        for place in places {
            do throws(LevelError) {
                if place != memory, !temporary.contains(place) {
                    ScratchDirectory.clearLeftovers(in: place, prefix: prefix)
                }
                try CopyRoom.require(byteCount, at: place)
                return try ScratchDirectory(in: place, prefix: prefix)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// The file system in memory that POSIX's shared memory uses on Linux.
    private static let memory = "/dev/shm"

    /// Whether there is a file system in memory of which this takes a quarter at most.
    private static func hasRoomInMemory(_ byteCount: UInt64) -> Bool {
        guard isInMemory, unsafe access(memory, W_OK | X_OK) == 0, let free = CopyRoom.freeByteCount(at: memory) else {
            return false
        }
        return free / 4 >= byteCount + (1 << 20)
    }

    /// Whether a file system in memory is mounted there, and not a directory of a disk.
    private static let isInMemory: Bool = {
        guard let mounts = try? OpenFile.content(of: "/proc/self/mounts", limit: 1 << 20) else { return false }
        return String(decoding: mounts, as: UTF8.self).split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 2 && fields[1] == memory && fields[2] == "tmpfs"
        }
    }()
}
