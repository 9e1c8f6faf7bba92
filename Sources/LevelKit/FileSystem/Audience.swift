internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The users who can read a database, given its file permissions and those of the directories above it. A copy
/// elsewhere must not be readable by more users.
///
/// The user who makes a copy owns it. A copy of another user's database is private to its maker, so a user who swaps
/// the directory for a link to a private one during the copy gains nothing.
struct Audience {
    /// The permissions for a copy of the directory. The owner always has full access.
    let permissions: UInt32
    /// The permissions that all files of the database have in common, for new files in a copy.
    let filePermissions: UInt32
    /// Whether another user owns the database, or can replace its directory.
    let isForeign: Bool
    /// The permission bits that files of a copy may have at most.
    private let mask: UInt32
    private let group: UInt32

    /// Reads the permissions of the directory at a path, of its files and of its parents.
    ///
    /// - Complexity: one system call per path component and per file.
    init(ofDirectory path: String) throws(SystemError) {
        let handle = try DirectoryHandle(path: path, followsLink: true)
        let status = try handle.status()
        let parent = DatabaseDirectory.parent(of: path) ?? "/"
        isForeign = status.owner != geteuid() || !DirectoryTrust.group.allows(parent)
        group = status.group
        // A list may exclude users whom the bits let in, and the bits of the group are then not those of the group.
        let mask =
            isForeign || AccessControlList.exists(on: handle) ? 0o700 : Self.mask(above: path, group: status.group)
        self.mask = mask
        permissions = status.permissions & mask | 0o700
        filePermissions = try handle.commonFilePermissions() & mask | 0o600
    }

    private static func mask(above path: String, group: UInt32) -> UInt32 {
        var mask: UInt32 = 0o777
        var current = path
        while let parent = DatabaseDirectory.parent(of: current) {
            current = parent
            guard let above = FileStatus(path: parent) else { continue }
            if AccessControlList.exists(at: parent) { return 0o700 }
            guard above.permissions & 0o001 == 0 else { continue }
            // Others cannot traverse this parent directory, only its owner and perhaps its group.
            mask &= ~0o007
            if above.permissions & 0o010 == 0 || above.group != group { mask &= ~0o070 }
        }
        return mask
    }

    /// Returns the permissions for a copy of a file in the directory.
    ///
    /// - Parameter newGroup: the group of the copy. It differs from the group of the directory if the process could not
    ///   set that one.
    func permissions(_ permissions: UInt32, newGroup: UInt32) -> UInt32 {
        var allowed = permissions & mask & 0o777
        // A different group gets only the permissions that everybody has.
        if newGroup != group { allowed = allowed & ~0o070 | allowed & (allowed & 0o007) << 3 }
        return allowed | 0o600
    }
}

extension DirectoryHandle {
    /// Returns the permissions that all data files in the directory have in common, without the execute bits.
    func commonFilePermissions() throws(SystemError) -> UInt32 {
        var permissions: UInt32 = 0o666
        for name in try names() where DatabaseDirectory.isEngineFile(name) {
            guard let file = status(of: name), file.isRegularFile else { continue }
            permissions &= file.permissions
        }
        return permissions
    }
}
