import LevelFiles
import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension ScratchDirectory {
    /// Creates a directory for files copied from a database; it is also removed when the process ends.
    ///
    /// It must be on a file system that can hold hard links to files of the database: the temporary directory if
    /// possible, otherwise next to the database, if this user can write there and others cannot replace its files.
    /// Leftovers of killed processes in that place are removed.
    convenience init(of database: String) throws {
        let temporary = Terminal.environment("TMPDIR") ?? "/tmp"
        let parent = FileDescriptor.parent(of: FileDescriptor.resolvingLinks(database))
        var base = temporary
        if Self.device(of: temporary) != Self.device(of: database), unsafe access(parent, W_OK) == 0,
            DirectoryTrust.nobodyElse.allows(parent)
        {
            base = parent
        }
        Self.clearLeftovers(in: base)
        try self.init(in: base)
        Interruption.removeAtExit(self)
    }

    /// Copies the files of a database into ``databasePath``: regular files that LevelDB may have created, without
    /// links.
    func copyFiles(of database: String) throws {
        guard unsafe mkdir(databasePath, 0o700) == 0 else {
            throw CommandError.system(SystemError(number: errno), "cannot create \(databasePath)")
        }
        let files = try Self.files(of: database)
        let byteCount = files.reduce(UInt64(0)) { $0 &+ ((try? $1.file.status().byteCount) ?? 0) }
        try CopyRoom.require(byteCount, at: path)
        for (name, file) in files {
            let output = StandardOutput(
                descriptor: try FileDescriptor.openNew("\(databasePath)/\(name)"), name: name)
            var rest = try file.status().byteCount
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            // Copies at most the counted length, since the file may be growing.
            while rest > 0 {
                let count = try FileDescriptor(rawValue: file.descriptor).read(into: &buffer)
                if count == 0 { break }
                try output.write(Array(buffer[..<min(count, Int(clamping: rest))]))
                rest -= min(rest, UInt64(count))
            }
            try output.close()
        }
    }

    /// Opens the files of a database except its lock file, skipping links and devices.
    private static func files(of database: String) throws -> [(name: String, file: OpenFile)] {
        var files: [(name: String, file: OpenFile)] = []
        for name in FileDescriptor.names(in: database) {
            guard let kind = EngineFileName(name), kind != .lock else { continue }
            let source = "\(database)/\(name)"
            guard !FileDescriptor.isLinkOrSpecial(source) else { continue }
            let file: OpenFile
            do throws(LevelFiles.SystemError) {
                file = try OpenFile(reading: source, followsLink: false)
            } catch {
                throw CommandError(.inputOutput, "cannot read \(source): \(error.text)")
            }
            if case .manifest = kind, try file.status().byteCount > EngineFileName.manifestByteLimit {
                throw CommandError(
                    .badData, "\(source) exceeds the size limit of manifests", hint: "move it away, or restore a backup"
                )
            }
            try CopyRoom.check(file, at: source)
            files.append((name, file))
        }
        return files
    }

    private static func device(of path: String) -> UInt64? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? UInt64(truncatingIfNeeded: status.st_dev) : nil
    }
}
