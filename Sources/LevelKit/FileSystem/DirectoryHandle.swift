internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// An open directory. The system resolves names in it from the descriptor, so renaming the directory or replacing it by
/// a link cannot redirect a call.
///
/// No call follows a link in the last component of a name.
final class DirectoryHandle: Sendable {
    let descriptor: Int32

    /// Opens the directory at a path.
    ///
    /// - Parameter followsLink: whether the path may be a link to a directory.
    init(path: String, followsLink: Bool) throws(SystemError) {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW)
        descriptor = unsafe open(path, flags)
        guard descriptor >= 0 else { throw .last }
    }

    /// Opens a directory inside an open directory. A link is an error.
    init(_ name: String, in parent: Int32) throws(SystemError) {
        descriptor = unsafe openat(
            parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .last }
    }

    /// Opens a directory inside an open directory, to use names in it. It need not be readable. A link is an error.
    init(searching name: String, in parent: Int32) throws(SystemError) {
        #if os(Linux)
            // O_PATH, which glibc declares only for its own extensions.
            let flags: Int32 = 0o10_000_000
        #else
            let flags = O_RDONLY
        #endif
        descriptor = unsafe openat(parent, name, flags | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .last }
    }

    /// Opens the directory at a resolved path, to use names in it. It need not be readable.
    ///
    /// A component that was replaced by a link after the path was resolved is an error.
    static func at(resolved path: String) throws(SystemError) -> DirectoryHandle {
        #if os(Linux)
            var directory = try DirectoryHandle(searching: "/", in: AT_FDCWD)
            for step in path.utf8.split(separator: UInt8(ascii: "/")) {
                directory = try DirectoryHandle(searching: String(Substring(step)), in: directory.descriptor)
            }
            return directory
        #else
            // A sandboxed program may be unable to open the directories above its own.
            return try DirectoryHandle(
                opened: unsafe Darwin.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW_ANY))
        #endif
    }

    #if !os(Linux)
        private init(opened descriptor: Int32) throws(SystemError) {
            guard descriptor >= 0 else { throw .last }
            self.descriptor = descriptor
        }
    #endif

    /// Flushes the names in the directory to the disk.
    func synchronize() throws(SystemError) {
        let readable = try readable()
        try withExtendedLifetime(readable) { () throws(SystemError) in
            try OpenFile.synchronize(directory: readable.descriptor)
        }
    }

    /// Returns a handle of the same directory that can list its names.
    func readable() throws(SystemError) -> DirectoryHandle { try DirectoryHandle(".", in: descriptor) }

    deinit { close(descriptor) }

    /// Returns the status of the directory itself.
    func status() throws(SystemError) -> FileStatus {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
        return FileStatus(status)
    }

    /// Returns the status of the file with a name, or `nil` if it does not exist. For a link this is the status of the
    /// link.
    func status(of name: String) -> FileStatus? {
        var status = stat()
        guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return FileStatus(status)
    }

    /// Returns the names in the directory, unordered, without `.` and `..`.
    func names() throws(SystemError) -> [String] { try DirectoryNames.list(in: descriptor) }

    /// Creates a directory. The umask of the process applies to its permissions.
    ///
    /// - Throws: `SystemError` with `EEXIST` if the name is taken.
    func makeDirectory(_ name: String, permissions: UInt32) throws(SystemError) {
        guard unsafe mkdirat(descriptor, name, mode_t(permissions)) == 0 else { throw .last }
    }

    /// Deletes a file or a link. A directory is an error.
    func removeFile(_ name: String) throws(SystemError) {
        guard unsafe unlinkat(descriptor, name, 0) == 0 else { throw .last }
    }

    /// Deletes an empty directory.
    func removeDirectory(_ name: String) throws(SystemError) {
        guard unsafe unlinkat(descriptor, name, AT_REMOVEDIR) == 0 else { throw .last }
    }

    /// Deletes an empty directory if `handle` still refers to it.
    func removeDirectory(_ name: String, openAs handle: DirectoryHandle) throws(SystemError) {
        guard let there = status(of: name), try handle.status().identity == there.identity else {
            throw SystemError(number: ENOENT)
        }
        try removeDirectory(name)
    }

    /// Moves a file or directory from another open directory into this one.
    ///
    /// - Throws: `SystemError` with `EEXIST`, `ENOTEMPTY` or `ENOTDIR` if the name is taken. A name that appears at the
    ///   same moment is replaced if it is an empty directory.
    func take(_ name: String, from source: Int32, as newName: String) throws(SystemError) {
        guard status(of: newName) == nil else { throw SystemError(number: EEXIST) }
        guard unsafe renameat(source, name, descriptor, newName) == 0 else { throw .last }
    }

    /// Sets the permissions of the directory itself.
    func setPermissions(_ permissions: UInt32) throws(SystemError) {
        guard fchmod(descriptor, mode_t(permissions)) == 0 else { throw .last }
    }
}
