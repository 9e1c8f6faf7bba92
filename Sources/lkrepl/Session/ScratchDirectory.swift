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
            try Self.copy(
                FileDescriptor(rawValue: file.descriptor), try file.status().byteCount, to: "\(databasePath)/\(name)")
        }
        try linkAttachments(of: database)
    }

    /// Copies at most `byteCount` bytes, since the file may be growing.
    private static func copy(_ file: FileDescriptor, _ byteCount: UInt64, to path: String) throws {
        let output = StandardOutput(descriptor: try FileDescriptor.openNew(path), name: path)
        var rest = byteCount
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while rest > 0 {
            let count = try file.read(into: &buffer)
            if count == 0 { break }
            try output.write(Array(buffer[..<min(count, Int(clamping: rest))]))
            rest -= min(rest, UInt64(count))
        }
        try output.close()
    }

    /// Links the files of attachments, which nothing changes in place; copies them from another file system.
    private func linkAttachments(of database: String) throws {
        let source = "\(database)/\(Self.attachments)"
        guard Self.isDirectory(source) else { return }
        func make(_ directory: String) throws {
            guard unsafe mkdir(directory, 0o700) == 0 else {
                throw CommandError.system(SystemError(number: errno), "cannot create \(directory)")
            }
        }
        let target = "\(databasePath)/\(Self.attachments)"
        try make(target)
        for shard in FileDescriptor.names(in: source) where shard.utf8.count == 2 {
            guard Self.isDirectory("\(source)/\(shard)") else { continue }
            try make("\(target)/\(shard)")
            for name in FileDescriptor.names(in: "\(source)/\(shard)") where name.hasPrefix(shard) {
                try Interruption.check()
                let (from, to) = ("\(source)/\(shard)/\(name)", "\(target)/\(shard)/\(name)")
                guard !FileDescriptor.isLinkOrSpecial(from), unsafe link(from, to) != 0 else { continue }
                let file = try FileDescriptor.openForReading(from)
                defer { try? file.closeFile() }
                try Self.copy(file, .max, to: to)
            }
        }
    }

    /// Whether a path is a directory, and not a link to one.
    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static let attachments = "attachments"

    /// Opens the files of a database except its lock file, skipping links and devices.
    private static func files(of database: String) throws -> [(name: String, file: OpenFile)] {
        var files: [(name: String, file: OpenFile)] = []
        for name in FileDescriptor.names(in: database) {
            guard let kind = EngineFileName(name), kind != .lock else { continue }
            let source = "\(database)/\(name)"
            guard !FileDescriptor.isLinkOrSpecial(source) else { continue }
            let file: OpenFile
            do throws(SystemError) {
                file = try OpenFile(reading: source, followsLink: false)
            } catch {
                throw CommandError(.inputOutput, "cannot read \(source): \(error.text)")
            }
            if case .manifest = kind, try file.status().byteCount > EngineFileName.manifestByteLimit {
                throw CommandError(
                    .badData, "\(source) exceeds the size limit of manifests",
                    hint: "move it to another directory, or restore a backup"
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
