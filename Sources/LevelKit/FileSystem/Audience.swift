internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Who can read the files of a directory, with the directories that it is in: copies elsewhere must not be for more.
struct Audience {
    /// The permissions that a copy of the directory may have; its owner can always use it.
    let permissions: UInt32
    /// The bits that no file of a copy may go beyond.
    private let mask: UInt32
    private let owner: UInt32
    private let group: UInt32

    /// Finds out for the directory at a path.
    ///
    /// - Complexity: one call to the system for each step of the path.
    init(ofDirectory path: String) throws(SystemError) {
        let status = try DirectoryHandle(path: path, followsLink: true).status()
        var mask: UInt32 = 0o777
        var current = path
        while let parent = DatabaseDirectory.parent(of: current) {
            current = parent
            guard let above = DirectoryHandle.Status(path: parent) else { continue }
            guard above.permissions & 0o001 == 0 else { continue }
            // Only the owner and the group come through here.
            mask &= ~0o007
            if above.permissions & 0o010 == 0 || above.group != status.group { mask &= ~0o070 }
        }
        self.mask = mask
        owner = status.owner
        group = status.group
        permissions = status.permissions & mask | 0o700
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

    /// Who is to own a copy in another directory; `nil` for whoever makes it.
    ///
    /// Root works on databases of others, who must be able to use what comes of it: a copy in a directory of the owner of the
    /// database is theirs too.
    func newOwner(in parent: DirectoryHandle.Status) -> (user: UInt32, group: UInt32)? {
        guard geteuid() == 0, owner != 0, parent.owner == owner else { return nil }
        return (owner, group)
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
