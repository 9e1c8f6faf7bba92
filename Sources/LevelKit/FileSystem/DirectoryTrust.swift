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
    /// - Complexity: one call to the system for each step of the path.
    package func allows(_ path: String) -> Bool {
        if self == .anybody { return true }
        guard let root = Self.status("/"), let resolved = unsafe realpath(path, nil) else { return false }
        defer { unsafe free(resolved) }
        var current = unsafe String(cString: resolved)
        guard let status = Self.status(current), status.isDirectory else { return false }
        if self == .nobodyElse {
            guard [geteuid(), root.owner].contains(status.owner), status.isSticky || !Self.isWritableByGroup(status)
            else { return false }
        }
        while true {
            guard let status = Self.status(current), status.isSticky || !status.isWritableByEverybody else {
                return false
            }
            guard let parent = DatabaseDirectory.parent(of: current) else { return true }
            current = parent
        }
    }

    private static func status(_ path: String) -> DirectoryHandle.Status? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? DirectoryHandle.Status(status) : nil
    }

    /// Many systems give each user a group of their own, with the number of the user.
    private static func isWritableByGroup(_ status: DirectoryHandle.Status) -> Bool {
        status.permissions & 0o020 != 0 && !(status.group == status.owner && status.owner == geteuid())
    }
}

extension DirectoryHandle.Status {
    fileprivate var isSticky: Bool { permissions & 0o1000 != 0 }
    fileprivate var isWritableByEverybody: Bool { permissions & 0o002 != 0 }
}
