#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Who may be able to replace what this user makes in a directory.
///
/// Calls that go by a path are safe only where nobody who is not trusted can put something else under that path meanwhile.
package enum DirectoryTrust: Sendable {
    /// This user and the owner of the system alone, as in a home directory, and in `/tmp` with its sticky bit.
    case nobodyElse
    /// Also the group of the directory.
    case group
    /// Anybody: for callers that go by descriptors alone.
    case anybody

    /// Whether only those who are trusted can rename or remove what this user makes in a directory.
    ///
    /// The owner of a directory can rename what is in it, sticky bit or not. So the directory and all above it must belong to
    /// this user or to the owner of the system.
    ///
    /// - Complexity: one call to the system for each step of the path.
    package func allows(_ path: String) -> Bool {
        if self == .anybody { return true }
        guard let root = Self.status("/"), let resolved = unsafe realpath(path, nil) else { return false }
        defer { unsafe free(resolved) }
        var current = unsafe String(cString: resolved)
        guard let status = Self.status(current), status.isDirectory else { return false }
        while true {
            guard let status = Self.status(current), allows(status, root: root.owner) else { return false }
            guard let parent = DatabaseDirectory.parent(of: current) else { return true }
            current = parent
        }
    }

    /// Whether nobody who is not trusted can make files or links in a directory. The sticky bit does not prevent that.
    static func isClosed(_ path: String) -> Bool {
        guard let status = status(path) else { return false }
        return !status.isWritableByEverybody && DirectoryTrust.group.allows(path)
    }

    /// Whether a database may be made or repaired in a directory: it is closed, or this is the owner of the system, and it and those
    /// above it can be written to by their owners alone. An administrator works in the directories of users, and so does a
    /// container in one of its host; LevelDB goes by paths there, so the owner of such a directory is trusted.
    static func mayHoldDatabase(_ path: String) -> Bool {
        if isClosed(path) { return true }
        guard geteuid() == 0, let resolved = unsafe realpath(path, nil) else { return false }
        defer { unsafe free(resolved) }
        var current = unsafe String(cString: resolved)
        guard let status = status(current), status.isDirectory, !status.isWritableByEverybody else { return false }
        while let parent = DatabaseDirectory.parent(of: current) {
            current = parent
            guard let status = Self.status(current) else { return false }
            // What is in a directory with the sticky bit, its owner can still rename.
            if status.isWritableByEverybody, !status.isSticky || status.owner != 0 { return false }
        }
        return true
    }

    /// Whether others than those who are trusted can make names in an open directory, or rename what has one.
    package static func isShared(_ directory: Int32) -> Bool {
        var status = stat()
        guard let root = Self.status("/"), unsafe fstat(directory, &status) == 0 else { return true }
        let directory = DirectoryHandle.Status(status)
        return directory.isWritableByEverybody || !DirectoryTrust.group.isTrustedOwner(directory, root: root.owner)
    }

    private func allows(_ status: DirectoryHandle.Status, root: UInt32) -> Bool {
        guard isTrustedOwner(status, root: root) else { return false }
        if status.isSticky { return true }
        return !status.isWritableByEverybody && (self == .group || !Self.isWritableByOthersOfGroup(status))
    }

    private func isTrustedOwner(_ status: DirectoryHandle.Status, root: UInt32) -> Bool {
        if [geteuid(), root].contains(status.owner) { return true }
        // In a directory that this user may write to as a member of its group, the owner is another member.
        return self == .group && geteuid() != 0 && status.permissions & 0o020 != 0 && Self.isMember(of: status.group)
    }

    private static func isMember(of group: UInt32) -> Bool {
        if getegid() == group { return true }
        let count = getgroups(0, nil)
        guard count > 0 else { return false }
        var groups = [gid_t](repeating: 0, count: Int(count))
        return unsafe getgroups(count, &groups) >= 0 && groups.contains(group)
    }

    private static func status(_ path: String) -> DirectoryHandle.Status? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? DirectoryHandle.Status(status) : nil
    }

    /// Many systems give each user a group of their own, with the number of the user.
    private static func isWritableByOthersOfGroup(_ status: DirectoryHandle.Status) -> Bool {
        status.permissions & 0o020 != 0 && !(status.group == status.owner && status.owner == geteuid())
    }
}

extension DirectoryHandle.Status {
    fileprivate var isSticky: Bool { permissions & 0o1000 != 0 }
    fileprivate var isWritableByEverybody: Bool { permissions & 0o002 != 0 }
}
