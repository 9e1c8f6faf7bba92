#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The users that are allowed to be able to replace what this user creates in a directory.
///
/// Calls by path are safe only if no untrusted user can put something else at that path in between.
package enum DirectoryTrust: Sendable {
    /// Only this user and root, as in a home directory or in `/tmp` with its sticky bit.
    case nobodyElse
    /// Also the group of the directory.
    case group

    /// Returns whether only trusted users can rename or delete what this user creates in a directory.
    ///
    /// The owner of a directory can rename its entries, sticky bit or not. The directory and all its parents must
    /// therefore belong to this user or to root.
    ///
    /// - Complexity: one system call per path component.
    package func allows(_ path: String) -> Bool {
        guard let resolved = unsafe realpath(path, nil) else { return false }
        defer { unsafe free(resolved) }
        return allows(resolved: unsafe String(cString: resolved))
    }

    /// Like ``allows(_:)`` for a resolved path. Returns `false` if a link has replaced a component since then.
    func allows(resolved path: String) -> Bool {
        guard let root = FileStatus(path: "/") else { return false }
        return Self.chain(to: path).allSatisfy { place in
            guard let status = FileStatus(linkAt: place), status.isDirectory else { return false }
            return allows(status, root: root.owner)
                && (status.isSticky || !AccessControlList.letsOthersWrite(at: place))
        }
    }

    /// Returns the directories from the root to a path. In this order, each one that is trusted cannot be replaced while
    /// the next is looked at.
    private static func chain(to path: String) -> [String] {
        var chain = [path]
        while let parent = DatabaseDirectory.parent(of: chain[chain.count - 1]) { chain.append(parent) }
        return chain.reversed()
    }

    /// Returns whether only trusted users can create files or links in the directory of a resolved path. The sticky bit
    /// does not prevent creation.
    static func isClosed(_ path: String) -> Bool {
        guard let status = FileStatus(linkAt: path) else { return false }
        return !status.isWritableByEverybody && !AccessControlList.letsOthersWrite(at: path)
            && DirectoryTrust.group.allows(resolved: path)
    }

    /// Returns whether a database may be created or repaired in the directory of a resolved path.
    ///
    /// The directory must not be writable by everybody, and its own place must be trusted; see ``mayHoldDirectory(_:)``.
    static func mayHoldDatabase(_ path: String) -> Bool {
        guard let status = FileStatus(linkAt: path) else { return false }
        return !status.isWritableByEverybody && !AccessControlList.letsOthersWrite(at: path) && mayHoldDirectory(path)
    }

    /// Returns whether the directory of a database may be created in the directory of a resolved path.
    ///
    /// This holds if only trusted users can rename what is in it. It also holds for root if neither the directory nor
    /// its parents are writable by everybody, except for directories of root with the sticky bit: an administrator works
    /// in the directories of users, and so does a container in a directory of its host. LevelDB opens files by path
    /// there, so the owner of such a directory is trusted.
    static func mayHoldDirectory(_ path: String) -> Bool {
        if DirectoryTrust.group.allows(resolved: path) { return true }
        guard geteuid() == 0 else { return false }
        return chain(to: path).allSatisfy { place in
            guard let status = FileStatus(linkAt: place), status.isDirectory else { return false }
            // An owner can rename entries of a directory with the sticky bit.
            let isOpen = status.isWritableByEverybody || AccessControlList.letsOthersWrite(at: place)
            return !isOpen || status.isSticky && status.owner == 0
        }
    }

    /// Returns whether untrusted users can create or rename entries in an open directory.
    package static func isShared(_ directory: Int32) -> Bool {
        var status = stat()
        guard let root = FileStatus(path: "/"), unsafe fstat(directory, &status) == 0 else { return true }
        if AccessControlList.letsOthersWrite(to: directory) { return true }
        let directory = FileStatus(status)
        return directory.isWritableByEverybody || !DirectoryTrust.group.isTrustedOwner(directory, root: root.owner)
    }

    /// Returns whether a link cannot come from an untrusted user. In a directory that untrusted users can write to, it
    /// must belong to this user or root, have no other hard link, and be protected by the sticky bit.
    static func isTrustedLink(_ link: FileStatus, in directory: String) -> Bool {
        guard let root = FileStatus(path: "/"), let resolved = FileStatus(path: directory) else { return false }
        let isOpen = resolved.isWritableByEverybody || AccessControlList.letsOthersWrite(at: directory)
        let isOwnersTrusted = DirectoryTrust.group.isTrustedOwner(resolved, root: root.owner)
        if isOwnersTrusted, !isOpen { return true }
        return [geteuid(), root.owner].contains(link.owner) && link.linkCount == 1 && isOwnersTrusted
            && resolved.isSticky
    }

    private func allows(_ status: FileStatus, root: UInt32) -> Bool {
        guard isTrustedOwner(status, root: root) else { return false }
        if status.isSticky { return true }
        return !status.isWritableByEverybody && (self == .group || !Self.isWritableByOthersOfGroup(status))
    }

    private func isTrustedOwner(_ status: FileStatus, root: UInt32) -> Bool {
        if [geteuid(), root].contains(status.owner) { return true }
        // A directory that this user can write to through its group may belong to another member of that group.
        return self == .group && geteuid() != 0 && status.permissions & 0o020 != 0 && Self.isMember(of: status.group)
    }

    private static func isMember(of group: UInt32) -> Bool {
        if getegid() == group { return true }
        let count = getgroups(0, nil)
        guard count > 0 else { return false }
        var groups = [gid_t](repeating: 0, count: Int(count))
        return unsafe getgroups(count, &groups) >= 0 && groups.contains(group)
    }

    /// Returns whether other members of the group can write to the file. Many systems give each user a private group
    /// whose ID equals the user ID.
    private static func isWritableByOthersOfGroup(_ status: FileStatus) -> Bool {
        status.permissions & 0o020 != 0 && !(status.group == status.owner && status.owner == geteuid())
    }
}

extension FileStatus {
    fileprivate var isSticky: Bool { permissions & 0o1000 != 0 }
    fileprivate var isWritableByEverybody: Bool { permissions & 0o002 != 0 }
}
