internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

extension ContentDirectory {
    /// Puts all files into an unfinished copy of the database, as links or copies, and flushes them to the disk.
    ///
    /// The caller holds the files (``holdFiles()``) and has copied the database before, so the copy has each file that
    /// its records refer to. A file that is unfinished, or is added during the copy, is left out or copied needlessly.
    ///
    /// - Parameters:
    ///   - linksAllowed: whether files may be shared by hard links, where the file system allows it.
    ///   - filesOnly: whether links, directories and others in place of files are left out. If not, they are an error.
    /// - Returns: the number of files.
    func copyFiles(
        to copy: UnpublishedDirectory, linksAllowed: Bool, filesOnly: Bool = false
    ) throws(LevelError) -> Int {
        guard let root = try openedRoot() else { return 0 }
        var count = 0
        var linksAllowed = linksAllowed
        var place = path
        do throws(SystemError) {
            let target = try copy.makeDirectory(Self.name, in: nil)
            for shard in try root.names().sorted() where Self.isShardName(shard) {
                let source = try DirectoryHandle(shard, in: root.descriptor)
                let names = try source.names().filter {
                    Self.isContentName($0) && $0.hasPrefix(shard)
                        && (!filesOnly || source.status(of: $0)?.isRegularFile == true)
                }
                if names.isEmpty { continue }
                let directory = try copy.makeDirectory(shard, in: target)
                for name in names {
                    place = file(name)
                    try Self.copyFile(name, from: source, to: directory, of: copy, &linksAllowed)
                }
                try OpenFile.synchronize(directory: directory.descriptor)
                count += names.count
            }
            try OpenFile.synchronize(directory: target.descriptor)
        } catch {
            throw error.levelError("copy \(place) to \(copy.path)")
        }
        return count
    }

    private static func copyFile(
        _ name: String, from source: DirectoryHandle, to target: DirectoryHandle, of copy: UnpublishedDirectory,
        _ linksAllowed: inout Bool
    ) throws(SystemError) {
        // A link to a link, or to a pipe, would be neither copied nor readable.
        guard source.status(of: name)?.isRegularFile == true else { throw .notAFile }
        if linksAllowed {
            if unsafe linkat(source.descriptor, name, target.descriptor, name, 0) == 0 { return }
            guard SystemError.last.refusesLink else { throw .last }
            linksAllowed = false
        }
        let file = try OpenFile(reading: name, in: source.descriptor)
        let made = try copy.create(name, permissions: file.status().permissions, in: target)
        _ = try made.fill(from: file)
        try made.synchronize()
    }

    /// Deletes all files and the directories, inside the directory of a database that is being deleted. Other names
    /// are kept.
    static func clear(in database: DirectoryHandle) {
        guard let root = try? DirectoryHandle(name, in: database.descriptor) else { return }
        for inner in (try? root.names()) ?? [] where isShardName(inner) || inner == newName {
            guard let directory = try? DirectoryHandle(inner, in: root.descriptor) else { continue }
            for file in (try? directory.names()) ?? [] where inner == newName || isContentName(file) {
                try? directory.removeFile(file)
            }
            try? root.removeDirectory(inner, openAs: directory)
        }
        try? root.removeFile(lockName)
        try? database.removeDirectory(name, openAs: root)
    }
}
