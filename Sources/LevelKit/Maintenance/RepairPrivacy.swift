internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Keeps files that LevelDB makes during a repair for those who could read the database before.
///
/// LevelDB makes files with mode 0644 less the mask of the process, whatever the mode of those that it replaces, and a program
/// run by root makes them root's. Both are set right at the end. Where a new file would be for more people until then, nobody
/// else can enter the directory meanwhile; that is also what a process leaves that is killed.
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
        var permissions: UInt32 = 0o777
        for name in try handle.names() {
            guard DatabaseDirectory.isEngineFile(name), let file = handle.status(of: name), file.isRegularFile else {
                continue
            }
            permissions &= file.permissions
        }
        filePermissions = permissions
        let mayClose = geteuid() == 0 || status.owner == geteuid()
        isClosed = permissions & 0o044 != 0o044 && status.permissions & 0o077 != 0 && mayClose
        if isClosed { try handle.setPermissions(status.permissions & 0o7700) }
    }

    /// Gives files the permissions that all had before, and those of root the owner of the directory; opens the directory.
    func finish() {
        let newOwner = geteuid() == 0 && status.owner != 0 ? (user: status.owner, group: status.group) : nil
        for name in (try? handle.names()) ?? [] where EngineFileName(name) != nil {
            guard let file = try? OpenFile(reading: name, in: handle.descriptor), let made = handle.status(of: name),
                made.isRegularFile
            else { continue }
            // A file with a second name may be another one of root's, linked here to be given away.
            if let newOwner, made.owner == 0, (try? file.linkCount()) == 1 {
                try? file.setOwner(newOwner.user, group: newOwner.group)
            }
            let allowed = made.permissions & filePermissions | 0o600
            if allowed != made.permissions { try? file.setPermissions(allowed) }
        }
        if let newOwner, let lost = try? DirectoryHandle("lost", in: handle.descriptor),
            (try? lost.status().owner) == 0
        {
            try? lost.setOwner(newOwner.user, group: newOwner.group)
        }
        if isClosed { try? handle.setPermissions(status.permissions) }
    }
}
