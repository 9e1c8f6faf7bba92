import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A directory for files that this process alone needs, and that are gone when it ends.
///
/// It lies where hard links from the database can lead: in the directory for temporary files if that is on the same file
/// system, else beside the database if that can be written to. Its name has the process in it, so that a later run
/// clears away what a killed one has left.
final class ScratchDirectory {
    private static let marker = "lkrepl-scratch-"

    /// The path; nothing is there before it is filled.
    let path: String

    /// Chooses a path for what is taken from a database.
    init(of database: String) throws {
        let temporary = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        let parent = Self.parent(of: FileDescriptor.resolvingLinks(database))
        var base = temporary
        if Self.device(of: temporary) != Self.device(of: database), unsafe access(parent, W_OK) == 0 { base = parent }
        Self.clear(base)
        var number = 0
        var path: String
        repeat {
            number += 1
            path = "\(base == "/" ? "" : base)/.\(Self.marker)\(getpid())-\(number)"
        } while FileDescriptor.exists(path)
        self.path = path
        Interruption.removeAtExit(path)
    }

    deinit { remove() }

    /// Removes the directory and the files in it.
    func remove() {
        FileDescriptor.removeDatabase(path + "/lost")
        FileDescriptor.removeDatabase(path)
        Interruption.keep(path)
    }

    /// Makes the directory, and in it copies of the files of a database.
    func copyFiles(of database: String) throws {
        guard unsafe mkdir(path, 0o700) == 0 else {
            throw CommandFailure.system(SystemError(number: errno), "cannot make \(path)")
        }
        for name in FileDescriptor.names(in: database) where name != "LOCK" {
            let source = "\(database)/\(name)"
            guard !FileDescriptor.isSpecial(source) else { continue }
            let input = try FileDescriptor.openForReading(source)
            defer { try? input.closeFile() }
            let output = StandardOutput(
                descriptor: try FileDescriptor.openForWriting("\(path)/\(name)", isNew: true), name: name)
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            while true {
                let count = try input.read(into: &buffer)
                if count == 0 { break }
                try output.write(Array(buffer[..<count]))
            }
            try output.close()
        }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func device(of path: String) -> UInt64? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? UInt64(truncatingIfNeeded: status.st_dev) : nil
    }

    /// Clears away directories of processes that do not run any more.
    private static func clear(_ base: String) {
        for name in FileDescriptor.names(in: base) where name.hasPrefix("." + marker) {
            let digits = name.dropFirst(marker.count + 1).prefix { $0.isNumber }
            guard let process = Int32(digits), kill(process, 0) != 0, errno == ESRCH else { continue }
            FileDescriptor.removeDatabase("\(base)/\(name)/lost")
            FileDescriptor.removeDatabase("\(base)/\(name)")
        }
    }
}
