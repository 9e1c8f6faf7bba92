#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The identity, owner, permissions and type of a file.
struct FileStatus: Hashable {
    /// Device and inode. Two paths lead to the same file if and only if these are equal.
    let identity: FileIdentity
    let owner: UInt32
    let group: UInt32
    /// The permission bits, including the set-id and sticky bits.
    let permissions: UInt32
    let isDirectory: Bool
    let isRegularFile: Bool
    let isLink: Bool
    /// The number of hard links.
    let linkCount: Int

    init(_ status: stat) {
        identity = FileIdentity(status)
        owner = UInt32(status.st_uid)
        group = UInt32(status.st_gid)
        permissions = UInt32(status.st_mode) & 0o7777
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        isLink = status.st_mode & S_IFMT == S_IFLNK
        linkCount = Int(status.st_nlink)
    }

    /// Reads the status of the file at `path`, following links. Returns `nil` if the path does not exist.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of the file at `path`, or of the link there. Returns `nil` if the path does not exist.
    init?(linkAt path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}

/// The identity of a file on this machine, independent of its path.
struct FileIdentity: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
