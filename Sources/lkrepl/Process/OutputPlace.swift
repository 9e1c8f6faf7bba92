import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Where a command writes to: a name in an open directory.
///
/// In a directory that everybody can write to, such as `/tmp`, anybody can make a link, a pipe or a file under the name that a
/// command is about to write to. Linux can refuse to follow these (`fs.protected_symlinks`, `fs.protected_hardlinks`,
/// `fs.protected_fifos`, `fs.protected_regular`); other systems, and other settings, do not.
///
/// So the path is resolved here, step by step from open directories. Links of this user and of the owner of the system are
/// followed; any other is refused. What is written goes to the name in the directory, and no link that is put there
/// later is followed. A file is checked when it is open.
final class OutputPlace {
    /// The path as it was given, for messages.
    let path: String
    /// The path of the directory, with links resolved.
    let directoryPath: String
    /// The name in the directory.
    let name: String
    private let directory: Int32
    /// Whether the name is one of the kernel's links to open files, such as `/proc/self/fd/1`.
    private let leadsToDescriptor: Bool

    /// Resolves a path.
    ///
    /// - Throws: ``CommandFailure`` with `cannotCreate` where there is no directory, or a link of another user.
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
            return
        }
        throw CommandFailure(.cannotCreate, "cannot write to \(path): it is no file", hint: "name a file")
    }

    deinit { close(directory) }

    /// Whether something is there that is no regular file, such as a pipe or a terminal.
    var isSpecial: Bool { leadsToDescriptor || status.map { $0.st_mode & S_IFMT != S_IFREG } ?? false }

    /// The permissions of the file that is there, if it is a file of this user.
    var ownPermissions: mode_t? {
        guard let status, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { return nil }
        return status.st_mode & 0o777
    }

    private var status: stat? {
        var status = stat()
        return unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    // MARK: - Opening

    /// Opens what is there for writing.
    ///
    /// - Parameters:
    ///   - flags: such as `O_CREAT`; never `O_TRUNC`, since a file must be checked before it is emptied.
    ///   - permissions: those of a new file, before the mask of the process.
    /// - Throws: ``CommandFailure`` with `cannotCreate`, also where another user has put a file or a pipe there, or a file has
    ///   a second name.
    func open(_ flags: Int32, permissions: mode_t = 0o666) throws -> FileDescriptor {
        if leadsToDescriptor {
            // Behind what the file holds: it was opened, and perhaps written to, before.
            let descriptor = unsafe openat(directory, name, O_WRONLY | O_APPEND | O_CLOEXEC)
            guard descriptor >= 0 else { throw FileDescriptor.failure(creating: path) }
            return FileDescriptor(rawValue: descriptor)
        }
        // Opening a pipe waits for its reader.
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

    /// Opens a file for writing from its beginning: a new one, or in place of what it held.
    func openForOverwriting() throws -> FileDescriptor {
        let file = try open(O_CREAT)
        if !leadsToDescriptor, file.byteCount != nil, ftruncate(file.rawValue, 0) != 0 {
            defer { try? file.closeFile() }
            throw FileDescriptor.failure(creating: path)
        }
        return file
    }

    /// Throws where a file of another user would be replaced that is in a shared directory.
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
            throw Self.refusal(path, "the file has a second name elsewhere, and would be overwritten there too")
        }
    }

    // MARK: - Temporary files

    /// Makes a file in the directory that only this user can use.
    ///
    /// - Parameter start: how its name begins; random letters follow.
    /// - Returns: the file, and its name.
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

    /// Gives a file of the directory the name, in place of what has it; `false` where the system refuses, with `errno`.
    func take(_ temporary: String) -> Bool { unsafe renameat(directory, temporary, directory, name) == 0 }

    /// Removes a file of the directory.
    func remove(_ temporary: String) { unsafe unlinkat(directory, temporary, 0) }

    // MARK: - Trust

    fileprivate static func refusal(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(.cannotCreate, "cannot write to \(path): \(reason)", hint: "write to another path")
    }

    /// Whether a user is this one or the owner of the system.
    fileprivate static func isTrusted(_ owner: uid_t) -> Bool {
        if owner == geteuid() { return true }
        var root = stat()
        return unsafe stat("/", &root) == 0 && owner == root.st_uid
    }
}

/// The steps of a path, from one open directory to the next.
private struct Walk: ~Copyable {
    struct Step {
        let name: String
        let isLast: Bool
        let isLink: Bool
        /// Whether the kernel made it: nobody else can, and its text need not be a path, as in `pipe:[12]`.
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

    /// The directory that was reached, which the caller closes.
    mutating func release() -> Int32 {
        defer { directory = -1 }
        return directory
    }

    /// The next step; `nil` behind the last one.
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

    /// Goes on with where a link leads; returns whether the step is one that is followed.
    mutating func follow(_ step: Step) throws -> Bool {
        guard step.isLink, !step.isKernelLink, let status = step.status else { return false }
        let isShared = DirectoryTrust.isShared(directory)
        let place = (directoryPath == "/" ? "/" : directoryPath + "/") + step.name
        // In a directory with the sticky bit nobody else can exchange a link of this user; but a second name for one can be
        // made anywhere.
        if !OutputPlace.isTrusted(status.st_uid) || isShared && (status.st_nlink > 1 || !isSticky) {
            throw OutputPlace.refusal(place, "it is a link that belongs to another user, or that one can exchange")
        }
        linkCount += 1
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe readlinkat(directory, step.name, &buffer, Int(PATH_MAX))
        // As many links as the system follows.
        guard count > 0, linkCount <= 40 else {
            if count > 0 { errno = ELOOP }
            throw FileDescriptor.failure(creating: path)
        }
        let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if target.utf8.first == UInt8(ascii: "/") { try enter("/", path: "/", flags: 0) }
        rest = Self.steps(of: target) + rest
        return true
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

    /// Directories may be such that this user can use names in them, and not list them.
    private static var directoryFlags: Int32 {
        #if os(Linux)
            // O_PATH, which glibc declares for its own extensions only.
            0o10_000_000 | O_DIRECTORY | O_CLOEXEC
        #else
            O_RDONLY | O_DIRECTORY | O_CLOEXEC
        #endif
    }

    /// Whether others can neither rename nor remove what this user has in the directory.
    private var isSticky: Bool {
        var status = stat()
        return unsafe fstat(directory, &status) == 0 && status.st_mode & S_ISVTX != 0
            && OutputPlace.isTrusted(status.st_uid)
    }

    /// Whether the kernel makes the names of the directory, as in `/proc`.
    private var isOfKernel: Bool {
        #if os(Linux)
            var here = stat()
            var processes = stat()
            var root = stat()
            // The inode of the root of that file system is 1 (PROC_ROOT_INO of linux/proc_ns.h).
            return unsafe fstat(directory, &here) == 0 && stat("/proc", &processes) == 0 && stat("/", &root) == 0
                && here.st_dev == processes.st_dev && processes.st_ino == 1 && root.st_dev != processes.st_dev
        #else
            return false
        #endif
    }
}
