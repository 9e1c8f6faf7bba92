import LevelFiles
import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The destination of a command's output: a name in an open directory.
///
/// In a directory that everybody can write to, such as `/tmp`, anybody can plant a link, a pipe or a file under the
/// name of an output. Linux can refuse to follow these (`fs.protected_symlinks`, `fs.protected_hardlinks`,
/// `fs.protected_fifos`, `fs.protected_regular`); other systems, and other settings, do not.
///
/// The path is therefore resolved here, component by component from open directories. Links of this user and of the
/// owner of the system are followed; all others are rejected. Output is written to the name in the directory, and a
/// link planted later is not followed. Files are checked after opening.
final class OutputPlace {
    /// The path as given, for messages.
    let path: String
    /// The path of the directory, with links resolved.
    let directoryPath: String
    /// The name in the directory.
    let name: String
    private let directory: Int32
    /// Whether the name is a kernel link to an open file, such as `/proc/self/fd/1`.
    private let leadsToDescriptor: Bool

    /// Resolves a path.
    ///
    /// - Throws: ``CommandError`` with `cannotCreate` if the directory does not exist, or a link belongs to another
    ///   user.
    init(_ path: String) throws {
        var walk = try Walk(path)
        while let step = try walk.next() {
            if try walk.follow(step) { continue }
            guard step.isLast else {
                try walk.enter(step)
                continue
            }
            self.path = path
            directoryPath = walk.directoryPath
            name = step.name
            directory = walk.release()
            leadsToDescriptor = step.isKernelLink
            try requireNoDatabase()
            return
        }
        throw CommandError(.cannotCreate, "cannot write to \(path): it is not a file", hint: "specify a file")
    }

    deinit { close(directory) }

    /// Creates a directory if it does not exist.
    ///
    /// - Throws: ``CommandError`` with `cannotCreate`; also if a parent directory does not exist, or a link of another
    ///   user leads to the directory.
    static func makeDirectory(_ path: String) throws {
        var walk = try Walk(path)
        while let step = try walk.next() {
            if try walk.follow(step) { continue }
            if step.isLast { return try walk.makeDirectory(step.name) }
            try walk.enter(step)
        }
    }

    /// Whether the destination exists and is not a regular file, such as a pipe or a terminal.
    var isSpecial: Bool { leadsToDescriptor || status.map { $0.st_mode & S_IFMT != S_IFREG } ?? false }

    /// The permissions of the existing file, if it is a regular file of this user; otherwise `nil`.
    var ownPermissions: mode_t? {
        guard let status, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { return nil }
        return status.st_mode & 0o777
    }

    private var status: stat? {
        var status = stat()
        return unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// Throws if the directory is that of a database, or of attached files of one: output would replace its files.
    private func requireNoDatabase() throws {
        let whole = FileDescriptor.resolvingLinks(directoryPath).split(separator: "/")
        for depth in 0...3 where depth == 0 || whole.count >= depth {
            // An attachment is at attachments/ab/abcd… of its store, a rendition at renditions/preview/ab/….
            let isBelow = depth > 0 && ["attachments", "renditions"].contains(whole[whole.count - depth])
            guard depth == 0 || isBelow, isDatabase(above: String(repeating: "../", count: depth)) else { continue }
            throw CommandError(
                .cannotCreate, "\(path) is in the directory of a database, whose files it could replace",
                hint: "choose another directory")
        }
    }

    /// Whether a directory above this one has a file `CURRENT` as LevelDB writes it.
    private func isDatabase(above: String) -> Bool {
        let descriptor = unsafe openat(directory, above + "CURRENT", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        let file = FileDescriptor(rawValue: descriptor)
        defer { try? file.closeFile() }
        var start = [UInt8](repeating: 0, count: 9)
        return (try? file.read(into: &start)) == 9 && start.elementsEqual("MANIFEST-".utf8)
    }

    // MARK: - Opening

    /// Opens the destination for writing.
    ///
    /// - Parameters:
    ///   - flags: Flags such as `O_CREAT`; never `O_TRUNC`, since a file must be checked before it is truncated.
    ///   - permissions: The permissions of a new file, before the process's mask is applied.
    /// - Throws: ``CommandError`` with `cannotCreate`, including if another user planted a file or a pipe there, or a
    ///   file has several hard links.
    func open(_ flags: Int32, permissions: mode_t = 0o666) throws -> FileDescriptor {
        if leadsToDescriptor {
            // Append: the file was opened, and perhaps written to, before.
            let descriptor = unsafe openat(directory, name, O_WRONLY | O_APPEND | O_CLOEXEC)
            guard descriptor >= 0 else { throw FileDescriptor.failure(creating: path) }
            return FileDescriptor(rawValue: descriptor)
        }
        // Check before opening, since opening a pipe waits for its reader.
        if let status { try check(status) }
        let descriptor = unsafe openat(directory, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | flags, permissions)
        guard descriptor >= 0 else { throw FileDescriptor.failure(creating: path) }
        let file = FileDescriptor(rawValue: descriptor)
        do {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { throw FileDescriptor.failure(creating: path) }
            try check(status)
            return file
        } catch {
            try? file.closeFile()
            throw error
        }
    }

    /// Opens the destination for writing from its beginning, creating or truncating it.
    func openForOverwriting() throws -> FileDescriptor {
        let file = try open(O_CREAT)
        if !leadsToDescriptor, file.byteCount != nil, ftruncate(file.rawValue, 0) != 0 {
            defer { try? file.closeFile() }
            throw FileDescriptor.failure(creating: path)
        }
        return file
    }

    /// Throws if a file of another user in a shared directory would be replaced.
    func check() throws {
        if !leadsToDescriptor, let status { try check(status, isReplaced: true) }
    }

    private func check(_ status: stat, isReplaced: Bool = false) throws {
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFIFO else { return }
        if DirectoryTrust.isShared(directory), !Self.isTrusted(status.st_uid) {
            throw Self.refusal(path, "it belongs to another user, in a directory that others can change")
        }
        if kind == S_IFREG, status.st_nlink > 1, !isReplaced {
            throw Self.refusal(path, "the file has another hard link, and would be overwritten there too")
        }
    }

    // MARK: - Temporary files

    /// Creates a file in the directory that only this user can access.
    ///
    /// - Parameter start: The prefix of its name, followed by random letters.
    /// - Returns: The file, and its name.
    func makeTemporary(_ start: String) throws -> (file: FileDescriptor, name: String) {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        for _ in 0..<100 {
            let name = start + String((0..<6).map { _ in letters.randomElement()! })
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let descriptor = unsafe openat(directory, name, flags, 0o600)
            if descriptor >= 0 { return (FileDescriptor(rawValue: descriptor), name) }
            guard errno == EEXIST else { break }
        }
        throw FileDescriptor.failure(creating: "\(directoryPath)/\(start)…")
    }

    /// Renames a file of the directory to the destination, replacing it. Returns `false` if the system refuses; see
    /// `errno`.
    func take(_ temporary: String) -> Bool { unsafe renameat(directory, temporary, directory, name) == 0 }

    /// Flushes the names in the directory to the disk, if this user may list them and the file system can.
    func synchronizeNames() {
        let descriptor = unsafe openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        let names = FileDescriptor(rawValue: descriptor)
        try? names.synchronize()
        try? names.closeFile()
    }

    /// Removes a file of the directory.
    func remove(_ temporary: String) { unsafe unlinkat(directory, temporary, 0) }

    // MARK: - Trust

    fileprivate static func refusal(_ path: String, _ reason: String) -> CommandError {
        CommandError(.cannotCreate, "cannot write to \(path): \(reason)", hint: "write to another path")
    }

    /// Whether a user is this one or the owner of the system.
    fileprivate static func isTrusted(_ owner: uid_t) -> Bool {
        if owner == geteuid() { return true }
        var root = stat()
        return unsafe stat("/", &root) == 0 && owner == root.st_uid
    }
}

/// The resolution of a path, from one open directory to the next.
private struct Walk: ~Copyable {
    struct Step {
        let name: String
        let isLast: Bool
        let isLink: Bool
        /// Whether the kernel created the link: nobody else can, and its target need not be a path, as in `pipe:[12]`.
        let isKernelLink: Bool
        let status: stat?
    }

    private let path: String
    private var directory: Int32
    private(set) var directoryPath: String
    private var rest: [String]
    private var linkCount = 0

    init(_ path: String) throws {
        self.path = path
        directoryPath = path.utf8.first == UInt8(ascii: "/") ? "/" : "."
        rest = Self.steps(of: path)
        directory = unsafe openat(AT_FDCWD, directoryPath, Self.directoryFlags)
        guard directory >= 0 else { throw FileDescriptor.failure(creating: path) }
    }

    deinit { if directory >= 0 { close(directory) } }

    /// The current directory, which the caller must close.
    mutating func release() -> Int32 {
        defer { directory = -1 }
        return directory
    }

    /// The next step; `nil` after the last one.
    mutating func next() throws -> Step? {
        guard !rest.isEmpty else { return nil }
        let name = rest.removeFirst()
        var status = stat()
        guard unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard rest.isEmpty, errno == ENOENT else { throw FileDescriptor.failure(creating: path) }
            return Step(name: name, isLast: true, isLink: false, isKernelLink: false, status: nil)
        }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        return Step(
            name: name, isLast: rest.isEmpty, isLink: isLink, isKernelLink: isLink && isOfKernel, status: status)
    }

    /// Follows a link. Returns false if the step is not a link to follow.
    mutating func follow(_ step: Step) throws -> Bool {
        guard step.isLink, !step.isKernelLink, let status = step.status else { return false }
        let isShared = DirectoryTrust.isShared(directory)
        let place = (directoryPath == "/" ? "/" : directoryPath + "/") + step.name
        // In a directory with the sticky bit, nobody else can replace a link of this user, but anybody can create a
        // hard link to one.
        if !OutputPlace.isTrusted(status.st_uid) || isShared && (status.st_nlink > 1 || !isSticky) {
            throw OutputPlace.refusal(
                place, "it is a link that belongs to another user, or that another user can replace")
        }
        linkCount += 1
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe readlinkat(directory, step.name, &buffer, Int(PATH_MAX))
        // The same limit as the system's.
        guard count > 0, linkCount <= 40 else {
            if count > 0 { errno = ELOOP }
            throw FileDescriptor.failure(creating: path)
        }
        let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if target.utf8.first == UInt8(ascii: "/") { try enter("/", path: "/", flags: 0) }
        rest = Self.steps(of: target) + rest
        return true
    }

    /// Creates a directory in the current one, unless the name exists.
    func makeDirectory(_ name: String) throws {
        guard unsafe mkdirat(directory, name, 0o777) == 0 || errno == EEXIST else {
            throw CommandError(.cannotCreate, "cannot create the directory \(path): \(SystemError(number: errno))")
        }
    }

    /// Enters a directory.
    mutating func enter(_ step: Step) throws {
        let below = (directoryPath == "/" ? "/" : directoryPath + "/") + step.name
        try enter(step.name, path: below, flags: step.isKernelLink ? 0 : O_NOFOLLOW)
    }

    private mutating func enter(_ name: String, path below: String, flags: Int32) throws {
        let opened = unsafe openat(directory, name, Self.directoryFlags | flags)
        guard opened >= 0 else { throw FileDescriptor.failure(creating: path) }
        close(directory)
        directory = opened
        directoryPath = below
    }

    private static func steps(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    /// Directories may allow this user to use names in them, but not to list them.
    private static var directoryFlags: Int32 {
        #if os(Linux)
            // O_PATH, which glibc declares only for its own extensions.
            0o10_000_000 | O_DIRECTORY | O_CLOEXEC
        #else
            O_RDONLY | O_DIRECTORY | O_CLOEXEC
        #endif
    }

    /// Whether others can neither rename nor remove entries of this user in the directory.
    private var isSticky: Bool {
        var status = stat()
        return unsafe fstat(directory, &status) == 0 && status.st_mode & S_ISVTX != 0
            && OutputPlace.isTrusted(status.st_uid)
    }

    /// Whether the kernel provides the entries of the directory, as in `/proc`.
    private var isOfKernel: Bool {
        #if os(Linux)
            var here = stat()
            var processes = stat()
            var root = stat()
            // The inode number of the root of procfs is 1 (PROC_ROOT_INO of linux/proc_ns.h).
            return unsafe fstat(directory, &here) == 0 && stat("/proc", &processes) == 0 && stat("/", &root) == 0
                && here.st_dev == processes.st_dev && processes.st_ino == 1 && root.st_dev != processes.st_dev
        #else
            return false
        #endif
    }
}
