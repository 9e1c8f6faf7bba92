internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// An unfinished copy of a database. Only this user can read it, and it gets its final name once it is complete.
///
/// It is built in a scratch directory next to its destination and named after it. All files are new and are created
/// through descriptors, so users who can write to the destination, or replace a directory above it by a link, cannot
/// redirect them. A later copy of the same name
/// deletes what a killed process left.
final class UnpublishedDirectory {
    private static let name = "db"

    /// The path until the directory is published.
    let path: String
    private let audience: Audience
    private let parent: DirectoryHandle
    private let scratch: ScratchDirectory
    private let directory: DirectoryHandle
    private let group: UInt32

    /// Creates the directory.
    ///
    /// - Parameters:
    ///   - place: the final path; resolved, and not resolved again.
    ///   - marker: the infix between the final name and the random letters, such as `.partial-`.
    ///   - audience: the users who may read the published copy.
    init(beside place: DatabaseDirectory, marker: String, for audience: Audience) throws(LevelError) {
        self.audience = audience
        do throws(SystemError) {
            parent = try DirectoryHandle.at(resolved: place.parentPath)
        } catch {
            throw error.levelError("create a directory in \(place.parentPath)")
        }
        let prefix = place.name + marker
        ScratchDirectory.clearLeftovers(in: parent, prefix: prefix)
        scratch = try ScratchDirectory(in: parent, at: place.parentPath, prefix: prefix)
        path = scratch.path + "/" + Self.name
        do throws(SystemError) {
            guard unsafe mkdirat(scratch.descriptor, Self.name, mode_t(audience.permissions)) == 0 else { throw .last }
            directory = try DirectoryHandle(Self.name, in: scratch.descriptor)
            let status = try directory.status()
            group = status.group
            try Self.restrict(directory, to: audience.permissions(status.permissions, newGroup: group))
        } catch {
            scratch.remove()
            throw error.levelError("create the directory \(path)")
        }
    }

    /// Creates a file in the directory.
    ///
    /// - Parameters:
    ///   - permissions: the permissions of the original file.
    ///   - place: a directory made by ``makeDirectory(_:in:)``; `nil` for the directory itself.
    func create(
        _ name: String, permissions: UInt32, in place: DirectoryHandle? = nil
    ) throws(SystemError) -> OpenFile {
        try OpenFile(
            creating: name, in: (place ?? directory).descriptor,
            permissions: audience.permissions(permissions, newGroup: group))
    }

    /// Creates a directory in the directory, or in another one that this method made.
    func makeDirectory(_ name: String, in place: DirectoryHandle?) throws(SystemError) -> DirectoryHandle {
        let permissions = audience.permissions(audience.permissions, newGroup: group) | 0o700
        try (place ?? directory).makeDirectory(name, permissions: permissions)
        let made = try DirectoryHandle(name, in: (place ?? directory).descriptor)
        try Self.restrict(made, to: permissions)
        return made
    }

    /// Takes from a new directory the permissions that are not allowed, and gives its owner those that the umask took.
    private static func restrict(_ directory: DirectoryHandle, to allowed: UInt32) throws(SystemError) {
        let permissions = try directory.status().permissions
        let wanted = allowed & permissions & 0o777 | 0o700
        if wanted != permissions & 0o777 { try directory.setPermissions(wanted | permissions & 0o7000) }
    }

    /// Creates a hard link in the directory to a file of the same file system.
    func link(_ source: String, as name: String) throws(SystemError) {
        try FileOperations.link(source, to: name, in: directory.descriptor)
    }

    /// Opens a file in the directory.
    func open(_ name: String) throws(SystemError) -> OpenFile {
        try OpenFile(reading: name, in: directory.descriptor)
    }

    /// Deletes a file from the directory.
    func remove(_ name: String) throws(SystemError) { try directory.removeFile(name) }

    /// Flushes the directory to the disk and gives it its final name, in the directory that it was built in.
    ///
    /// - Throws: `SystemError` with `EEXIST`, `ENOTEMPTY` or `ENOTDIR` if the name is taken.
    func publish(as name: String) throws(SystemError) {
        try OpenFile.synchronize(directory: directory.descriptor)
        try parent.take(Self.name, from: scratch.descriptor, as: name)
        // The copy is complete and has its name. A parent that cannot be read does not change that.
        try? parent.synchronize()
        scratch.remove()
    }

    /// Deletes the directory with its content.
    func discard() { scratch.remove() }
}
