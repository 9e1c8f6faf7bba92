internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Who can read the files of a database, with the directories that it is in: copies elsewhere must not be for more.
///
/// A copy belongs to whoever makes it, and a copy of a database of somebody else is for nobody but them. So nothing is given
/// away when another user exchanges the directory for a link to a private one meanwhile.
struct Audience {
    /// The permissions that a copy of the directory may have; its owner can always use it.
    let permissions: UInt32
    /// The permissions that every file of the database has, for files that are written for a copy.
    let filePermissions: UInt32
    /// Whether the database belongs to another user, or one can put another directory in its place.
    let isForeign: Bool
    /// The bits that no file of a copy may go beyond.
    private let mask: UInt32
    private let group: UInt32

    /// Finds out for the directory at a path.
    ///
    /// - Complexity: one call to the system for each step of the path, and for each file.
    init(ofDirectory path: String) throws(SystemError) {
        let handle = try DirectoryHandle(path: path, followsLink: true)
        let status = try handle.status()
        let parent = DatabaseDirectory.parent(of: path) ?? "/"
        isForeign = status.owner != geteuid() || !DirectoryTrust.group.allows(parent)
        group = status.group
        mask = isForeign ? 0o700 : Self.mask(above: path, group: status.group)
        permissions = status.permissions & mask | 0o700
        filePermissions = try handle.commonFilePermissions() & mask | 0o600
    }

    private static func mask(above path: String, group: UInt32) -> UInt32 {
        var mask: UInt32 = 0o777
        var current = path
        while let parent = DatabaseDirectory.parent(of: current) {
            current = parent
            guard let above = DirectoryHandle.Status(path: parent) else { continue }
            guard above.permissions & 0o001 == 0 else { continue }
            // Only the owner and the group come through here.
            mask &= ~0o007
            if above.permissions & 0o010 == 0 || above.group != group { mask &= ~0o070 }
        }
        return mask
    }

    /// The permissions for a copy of a file of the directory.
    ///
    /// - Parameter newGroup: the group that the copy has; that of the directory may not have been had.
    func permissions(_ permissions: UInt32, newGroup: UInt32) -> UInt32 {
        var allowed = permissions & mask & 0o777
        // Another group may do what everybody may.
        if newGroup != group { allowed = allowed & ~0o070 | allowed & (allowed & 0o007) << 3 }
        return allowed | 0o600
    }
}

extension DirectoryHandle {
    /// What the permissions of all files with data here have in common, without the right to execute.
    func commonFilePermissions() throws(SystemError) -> UInt32 {
        var permissions: UInt32 = 0o666
        for name in try names() where DatabaseDirectory.isEngineFile(name) {
            guard let file = status(of: name), file.isRegularFile else { continue }
            permissions &= file.permissions
        }
        return permissions
    }
}

extension DirectoryHandle.Status {
    /// The status of the file at a path, links followed; `nil` if there is none.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
