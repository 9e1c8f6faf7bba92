internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Keeps files that LevelDB creates during a repair private to the users who could read the database before.
///
/// LevelDB creates files with mode 0644 minus the umask, whatever the mode of the files that they replace. The modes
/// are corrected at the end. If new files would be readable by more users until then, the directory is closed to other
/// users during the repair. A killed process leaves it closed.
struct RepairPrivacy {
    private let handle: DirectoryHandle
    private let status: FileStatus
    /// The permissions that all files had in common.
    private let filePermissions: UInt32
    private let isClosed: Bool

    /// Reads the permissions of the directory, and closes it to other users if necessary.
    init(_ directory: DatabaseDirectory) throws(SystemError) {
        handle = try DirectoryHandle(path: directory.path, followsLink: false)
        status = try handle.status()
        filePermissions = try handle.commonFilePermissions()
        let mayClose = geteuid() == 0 || status.owner == geteuid()
        isClosed = filePermissions & 0o044 != 0o044 && status.permissions & 0o077 != 0 && mayClose
        if isClosed { try handle.setPermissions(status.permissions & 0o7700) }
    }

    /// Restores the common permissions on the files of this user, and reopens the directory.
    func finish() {
        for name in (try? handle.names()) ?? [] where EngineFileName(name) != nil {
            // A file with several hard links may belong to another directory.
            guard let file = try? OpenFile(reading: name, in: handle.descriptor), let made = try? file.status(),
                made.owner == geteuid(), made.linkCount == 1
            else { continue }
            let allowed = made.permissions & filePermissions | 0o600
            if allowed != made.permissions { try? file.setPermissions(allowed) }
        }
        if isClosed { try? handle.setPermissions(status.permissions) }
    }
}
