internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A copy of a database that is being put together, where nobody but this user can look in, and gets its name when it is
/// whole.
///
/// It is made in a scratch directory beside its place, named after it. All files are made through descriptors and are new, so
/// nobody who can write to the place can redirect them. What a killed process leaves is removed by the next one that
/// makes a copy of the same name.
final class UnpublishedDirectory {
    private static let name = "db"

    /// The path that it has until it is published.
    let path: String
    private let audience: Audience
    private let scratch: ScratchDirectory
    private let directory: DirectoryHandle
    private let group: UInt32

    /// Makes the directory.
    ///
    /// - Parameters:
    ///   - place: the path that it will have.
    ///   - marker: what stands between that name and random letters, such as `.partial-`.
    ///   - audience: who may use it and its files in the end.
    init(beside place: DatabaseDirectory, marker: String, for audience: Audience) throws(LevelError) {
        self.audience = audience
        let parent = place.parentPath
        let prefix = place.name + marker
        ScratchDirectory.clearLeftovers(in: parent, prefix: prefix)
        scratch = try ScratchDirectory(in: parent, prefix: prefix, trust: .anybody)
        path = scratch.path + "/" + Self.name
        do throws(SystemError) {
            guard unsafe mkdirat(scratch.descriptor, Self.name, mode_t(audience.permissions)) == 0 else { throw .last }
            directory = try DirectoryHandle(Self.name, in: scratch.descriptor)
            let status = try directory.status()
            group = status.group
            let allowed = audience.permissions(status.permissions, newGroup: group) & status.permissions | 0o700
            if allowed != status.permissions & 0o777 {
                try directory.setPermissions(allowed | status.permissions & 0o7000)
            }
        } catch {
            scratch.remove()
            throw error.levelError("make the directory \(path)")
        }
    }

    /// Makes a file in it.
    ///
    /// - Parameter permissions: those of the file that it is a copy of.
    func create(_ name: String, permissions: UInt32) throws(SystemError) -> OpenFile {
        try OpenFile(
            creating: name, in: directory.descriptor,
            permissions: audience.permissions(permissions, newGroup: group))
    }

    /// Gives a file of the same file system a second name in it.
    func link(_ source: String, as name: String) throws(SystemError) {
        try FileOperations.link(source, to: name, in: directory.descriptor)
    }

    /// Opens a file in it.
    func open(_ name: String) throws(SystemError) -> OpenFile {
        try OpenFile(reading: name, in: directory.descriptor)
    }

    /// Removes a file from it.
    func remove(_ name: String) throws(SystemError) { try directory.removeFile(name) }

    /// Gives the directory its name, with everything on the disk.
    ///
    /// - Throws: `SystemError` with `EEXIST`, `ENOTEMPTY` or `ENOTDIR` where the name is taken.
    func publish(as place: String) throws(SystemError) {
        try OpenFile.synchronize(directory: directory.descriptor)
        guard !FileOperations.exists(place) else { throw SystemError(number: EEXIST) }
        // Between the question and the rename only an empty directory could be replaced: the system refuses the rest.
        guard unsafe renameat(scratch.descriptor, Self.name, AT_FDCWD, place) == 0 else { throw .last }
        if let parent = DatabaseDirectory.parent(of: place) { try FileOperations.synchronizeDirectory(parent) }
        scratch.remove()
    }

    /// Removes it with everything in it.
    func discard() { scratch.remove() }
}
