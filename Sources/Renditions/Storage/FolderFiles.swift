internal import DocIndex
internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The files of a ``RenditionFolder``: `preview/ab/ab34….jpg`, in a directory for each specification, and in that one for
/// the first two digits of the digest.
///
/// Files appear complete, by renaming. They are never flushed to the disk: a checksum in the database finds files that
/// a power failure has left incomplete. No link is followed.
struct FolderFiles {
    /// The folder.
    let path: String

    /// Returns the content of a file; `nil` if it is missing or unreadable.
    func read(_ key: RenditionKey, byteCount: Int) -> [UInt8]? {
        guard let file = try? OpenFile(reading: self.file(key), followsLink: false) else { return nil }
        return try? file.readToEnd(limit: byteCount + 1)
    }

    /// Writes a file, replacing an existing one.
    func write(_ bytes: [UInt8], _ key: RenditionKey) throws(SystemError) {
        let target = file(key)
        let name = target + Self.newSuffix
        try makeDirectories(key)
        do throws(SystemError) {
            // What a killed process has left.
            unsafe unlink(name)
            try OpenFile(creating: name, permissions: 0o600).write(bytes)
            guard unsafe rename(name, target) == 0 else { throw .last }
        } catch {
            unsafe unlink(name)
            throw error
        }
    }

    /// Deletes a file, if it exists.
    func remove(_ key: RenditionKey) {
        unsafe unlink(file(key))
        unsafe unlink(file(key) + Self.newSuffix)
    }

    private static let newSuffix = ".new"

    func file(_ key: RenditionKey) -> String {
        let digest = key.digest.description
        return "\(path)/\(key.specification.name)/\(digest.prefix(2))/\(digest).jpg"
    }

    private func makeDirectories(_ key: RenditionKey) throws(SystemError) {
        let directory = "\(path)/\(key.specification.name)"
        for path in [path, directory, "\(directory)/\(key.digest.description.prefix(2))"] {
            if unsafe mkdir(path, 0o700) == 0 { continue }
            guard errno == EEXIST, Self.isDirectory(path) else { throw .last }
        }
    }

    /// Whether a path is a directory, and not a link to one.
    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Deletes the folder with everything in it, if it is a directory. Links are deleted, not followed.
    func removeAll() { if Self.isDirectory(path) { Self.remove(path, depth: 0) } }

    private static func remove(_ path: String, depth: Int) {
        // The deepest path is `preview/ab/ab34….jpg`.
        if depth < 4, isDirectory(path) {
            let handle = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard handle >= 0 else { return }
            let names = (try? DirectoryNames.list(in: handle)) ?? []
            close(handle)
            for name in names { remove("\(path)/\(name)", depth: depth + 1) }
            unsafe rmdir(path)
        } else {
            unsafe unlink(path)
        }
    }
}
