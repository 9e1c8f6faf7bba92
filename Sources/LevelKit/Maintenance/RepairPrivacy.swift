internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Keeps files that LevelDB makes during a repair for those who could read the database before.
///
/// LevelDB makes files with mode 0644 less the mask of the process, whatever the mode of those that it replaces. That is set
/// right at the end. Where a new file would be for more people until then, nobody else can enter the directory meanwhile;
/// that is also what a process leaves that is killed.
struct RepairPrivacy {
    private let handle: DirectoryHandle
    private let status: DirectoryHandle.Status
    /// What everybody was allowed to do with every file.
    private let filePermissions: UInt32
    private let isClosed: Bool

    /// Looks at the directory, and closes it to others where that is needed.
    init(_ directory: DatabaseDirectory) throws(SystemError) {
        handle = try DirectoryHandle(path: directory.path, followsLink: false)
        status = try handle.status()
        filePermissions = try handle.commonFilePermissions()
        let mayClose = geteuid() == 0 || status.owner == geteuid()
        isClosed = filePermissions & 0o044 != 0o044 && status.permissions & 0o077 != 0 && mayClose
        if isClosed { try handle.setPermissions(status.permissions & 0o7700) }
    }

    /// Gives files of this user the permissions that all had before; opens the directory.
    func finish() {
        for name in (try? handle.names()) ?? [] where EngineFileName(name) != nil {
            // A file with a second name may be another one, linked here.
            guard let file = try? OpenFile(reading: name, in: handle.descriptor), let made = try? file.status(),
                made.owner == geteuid(), made.linkCount == 1
            else { continue }
            let allowed = made.permissions & filePermissions | 0o600
            if allowed != made.permissions { try? file.setPermissions(allowed) }
        }
        if isClosed { try? handle.setPermissions(status.permissions) }
    }
}
