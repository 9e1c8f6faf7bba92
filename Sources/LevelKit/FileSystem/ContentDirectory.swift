internal import LevelFiles
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The directory `attachments` of a database: immutable files, each named by the SHA-256 digest of its content in
/// hexadecimal. LevelDB ignores it, and whatever moves the directory of the database moves it along.
///
///     attachments/ab/ab34…    a file, in a directory named by the first two digits
///     attachments/new/…       files that are being written; what a killed process leaves is deleted later
///     attachments/lock        held while files are deleted, shared by those who read or copy them
///
/// A record may refer to a file once the content and the name of the file, and the name of its directory, are on the
/// disk. What a crash leaves before that is a file without a record, which may be incomplete.
/// Everything is opened relative to the directory, and no link is followed.
package final class ContentDirectory: Sendable {
    /// The name of the directory.
    package static let name = "attachments"
    static let newName = "new"
    private static let continuedPrefix = "continued-"
    static let lockName = "lock"

    /// The absolute path of the directory.
    package let path: String
    private let databasePath: String
    /// The directory of the database when it was opened; `nil` if it did not exist.
    private let identity: FileIdentity?
    private let isReadOnly: Bool
    /// Opened at the first use. A database without the directory has no files.
    private let root = Mutex<DirectoryHandle?>(nil)
    /// The files in `new` that this process is writing.
    private let pending = Mutex<Set<String>>([])
    /// The directories whose names are on the disk, as far as this process knows: those that it has synced. A process
    /// that was killed may have created others.
    private let durableNames = Mutex<Set<String>>([])
    /// The lock of ``keepFiles()``.
    private let kept = Mutex<ContentLock?>(nil)

    /// Names the directory of the database at a resolved path; creates and opens nothing.
    init(at databasePath: String, isReadOnly: Bool) {
        self.databasePath = databasePath
        identity = FileStatus(path: databasePath)?.identity
        self.isReadOnly = isReadOnly
        path = DatabaseDirectory(resolved: databasePath).file(Self.name)
    }

    // MARK: - Reading

    /// Opens a file; `nil` if there is none with that name.
    ///
    /// - Throws: ``LevelError`` with `io`, including for a link and for anything that is not a file.
    package func open(_ name: String) throws(LevelError) -> ContentReader? {
        guard let shard = try existing(shardOf: name) else { return nil }
        return try attempt("open \(file(name))") { () throws(SystemError) in
            guard let open = try Self.open(name, in: shard) else { return nil }
            return try ContentReader(open, path: file(name))
        }
    }

    /// Calls `body` for each file, in no particular order.
    ///
    /// - Throws: ``LevelError`` with `io`; what `body` throws.
    package func forEachFile(_ body: (ContentFile) throws -> Void) throws {
        guard let root = try openedRoot() else { return }
        let shards = try attempt("list \(path)") { () throws(SystemError) in try root.names() }
        for shard in shards.sorted() where Self.isShardName(shard) {
            let place = path + "/" + shard
            let directory = try attempt("open \(place)") { () throws(SystemError) in
                try Self.ifPresent { () throws(SystemError) in try DirectoryHandle(shard, in: root.descriptor) }
            }
            guard let directory else { continue }
            let names = try attempt("list \(place)") { () throws(SystemError) in try directory.names() }
            for name in names.sorted() where Self.isContentName(name) && name.hasPrefix(shard) {
                if let file = ContentFile(name, in: directory) { try body(file) }
            }
        }
    }

    /// Returns the files that a killed process has left unfinished.
    package func abandonedFiles() throws -> [ContentFile] {
        guard let root = try openedRoot() else { return [] }
        return try attempt("list \(path)/\(Self.newName)") { () throws(SystemError) in
            let directory = try Self.ifPresent { () throws(SystemError) in
                try DirectoryHandle(Self.newName, in: root.descriptor)
            }
            guard let directory else { return [] }
            let written = pending.withLock { $0 }
            return try directory.names().filter { !written.contains($0) }
                .compactMap { ContentFile($0, in: directory) }
        }
    }

    /// The path of a file, for messages.
    package func file(_ name: String) -> String { "\(path)/\(name.prefix(2))/\(name)" }

    /// Whether another database has taken the place of the one that was opened, whose files are deleted then.
    package var isReplaced: Bool { identity != nil && FileStatus(path: databasePath)?.identity != identity }

    // MARK: - Deleting

    /// Deletes a file. Does nothing if the file does not exist.
    ///
    /// The names are not flushed: after a power failure, the file may be back, and nothing refers to it.
    package func remove(_ name: String) throws(LevelError) {
        guard let shard = try existing(shardOf: name) else { return }
        try attempt("delete \(file(name))") { () throws(SystemError) in
            _ = try Self.ifPresent { () throws(SystemError) in try shard.removeFile(name) }
        }
    }

    /// Deletes an unfinished file.
    package func removeAbandoned(_ file: ContentFile) throws(LevelError) {
        guard let root = try openedRoot() else { return }
        try attempt("delete \(path)/\(Self.newName)/\(file.name)") { () throws(SystemError) in
            let directory = try DirectoryHandle(Self.newName, in: root.descriptor)
            _ = try Self.ifPresent { () throws(SystemError) in try directory.removeFile(file.name) }
        }
    }

    // MARK: - Locking

    /// Prevents the deletion of files by any process until the result is released; `nil` if the database has no files.
    ///
    /// Waits while files are being deleted.
    ///
    /// - Parameter limit: how long to wait. Every process that can read the lock file could hold it for ever.
    /// - Throws: ``LevelError`` with `busy` after that time; `io`.
    package func holdFiles(waiting limit: Duration = .seconds(60)) throws(LevelError) -> ContentLock? {
        guard let root = try openedRoot() else { return nil }
        let deadline = ContinuousClock.now + limit
        while true {
            do throws(SystemError) {
                return try Self.ifPresent { () throws(SystemError) in
                    try ContentLock(in: root, isExclusive: false, writable: !isReadOnly)
                }
            } catch let error where error.number == EWOULDBLOCK {
                guard ContinuousClock.now < deadline else {
                    throw LevelError(
                        .busy,
                        "another process is deleting attachments of the database at \(databasePath); try again later")
                }
                usleep(20_000)
            } catch {
                throw error.levelError("lock \(path)/\(Self.lockName)")
            }
        }
    }

    /// Prevents the deletion of files by any process until ``releaseFiles()``.
    package func keepFiles() throws(LevelError) {
        let lock = try holdFiles()
        kept.withLock { $0 = lock }
    }

    /// Ends what ``keepFiles()`` began.
    package func releaseFiles() { kept.withLock { $0 = nil } }

    /// Returns a lock under which this process may delete files; `nil` while another process, or a checkpoint, reads
    /// them.
    ///
    /// - Parameter limit: how long to wait. Until it calls `exec`, a child process holds the locks of its parent, even
    ///   released ones.
    package func holdForDeletion(waiting limit: Duration = .seconds(1)) throws(LevelError) -> ContentLock? {
        let root = try madeRoot()
        let deadline = ContinuousClock.now + limit
        while true {
            do throws(SystemError) {
                return try ContentLock(in: root, isExclusive: true, writable: true)
            } catch let error where error.number == EWOULDBLOCK {
                guard ContinuousClock.now < deadline else { return nil }
                usleep(5000)
            } catch {
                throw error.levelError("lock \(path)/\(Self.lockName)")
            }
        }
    }

    // MARK: - Writing

    /// Begins a new file.
    ///
    /// - Parameter byteCount: the expected size; 0 if it is not known.
    /// - Throws: ``LevelError`` with `io`, including if there is not enough space.
    package func newFile(byteCount: UInt64 = 0) throws(LevelError) -> NewContentFile {
        let root = try madeRoot()
        try CopyRoom.require(byteCount, at: path)
        let name = "\(getpid())-\(UInt64.random(in: .min ... .max))"
        _ = pending.withLock { $0.insert(name) }
        do throws(LevelError) {
            return try attempt("create a file in \(path)/\(Self.newName)") { () throws(SystemError) in
                let directory = try DirectoryHandle(Self.newName, in: root.descriptor)
                let file = try OpenFile(creating: name, in: directory.descriptor, permissions: filePermissions())
                return NewContentFile(name: name, file: file, directory: directory, of: self)
            }
        } catch {
            forget(name)
            throw error
        }
    }

    /// Opens a file that was not finished, to append to it. Begins it if there is none.
    ///
    /// It stays where it is until it is published, discarded, or deleted as an abandoned one. Its content may be wrong
    /// after a power failure.
    ///
    /// - Parameters:
    ///   - key: the name by which it is found again: a part of a file name.
    ///   - limit: the largest size of the content, in bytes. A larger one is deleted.
    /// - Returns: `nil` if this process is writing the file already.
    /// - Throws: ``LevelError`` with `io`.
    package func continuedFile(_ key: String, limit: UInt64) throws(LevelError) -> NewContentFile? {
        let root = try madeRoot()
        let name = Self.continuedPrefix + key
        guard pending.withLock({ $0.insert(name).inserted }) else { return nil }
        do throws(LevelError) {
            return try attempt("open \(path)/\(Self.newName)/\(name)") { () throws(SystemError) in
                let directory = try DirectoryHandle(Self.newName, in: root.descriptor)
                let file = try continuedFile(name, in: directory)
                if try file.status().byteCount > limit { try file.truncate(to: limit) }
                return NewContentFile(name: name, file: file, directory: directory, of: self, isContinued: true)
            }
        } catch {
            forget(name)
            throw error
        }
    }

    private func continuedFile(_ name: String, in directory: DirectoryHandle) throws(SystemError) -> OpenFile {
        if directory.status(of: name) != nil {
            do throws(SystemError) {
                return try OpenFile(continuing: name, in: directory.descriptor)
            } catch {
                // It is a link, or not readable.
                try directory.removeFile(name)
            }
        }
        _ = try OpenFile(creating: name, in: directory.descriptor, permissions: filePermissions())
        return try OpenFile(continuing: name, in: directory.descriptor)
    }

    /// Notes that a file in `new` is finished or deleted.
    func forget(_ name: String) { _ = pending.withLock { $0.remove(name) } }

    /// Returns the directory for files whose names start like `name`. Creates it if necessary. Its name is on the disk
    /// only after ``synchronizeName(ofShardFor:)``.
    func madeShard(of name: String) throws(LevelError) -> DirectoryHandle {
        let root = try madeRoot()
        return try attempt("create \(path)/\(name.prefix(2))") { () throws(SystemError) in
            try Self.madeDirectory(String(name.prefix(2)), in: root)
        }
    }

    /// Flushes the name of the directory for files whose names start like `name` to the disk, unless this process has
    /// done so. The first time, this covers all that exist.
    func synchronizeName(ofShardFor name: String) throws(LevelError) {
        let shard = String(name.prefix(2))
        guard !durableNames.withLock({ $0.contains(shard) }) else { return }
        let root = try madeRoot()
        try attempt("create \(path)/\(shard)") { () throws(SystemError) in
            let isFirst = durableNames.withLock(\.isEmpty)
            let names = isFirst ? try root.names() : [shard]
            // The name of the directory itself: a process that was killed may have created it, too.
            if isFirst {
                let database = try DirectoryHandle(path: databasePath, followsLink: false)
                try OpenFile.synchronize(directory: database.descriptor)
            }
            try OpenFile.synchronize(directory: root.descriptor)
            durableNames.withLock { $0.formUnion(names) }
        }
    }

    /// Flushes a file, its name and the name of its directory to the disk. For a file without a record, which may come
    /// from a process that was killed before it did so. Does nothing if the file does not exist.
    package func makeDurable(_ name: String) throws(LevelError) {
        guard let shard = try existing(shardOf: name) else { return }
        try attempt("write \(file(name))") { () throws(SystemError) in
            try Self.open(name, in: shard)?.synchronize()
            try OpenFile.synchronize(directory: shard.descriptor)
        }
        try synchronizeName(ofShardFor: name)
    }

    // MARK: - Parts

    private func existing(shardOf name: String) throws(LevelError) -> DirectoryHandle? {
        guard Self.isContentName(name) else {
            throw LevelError(.invalidArgument, "\(name) is not the name of an attachment's file")
        }
        guard let root = try openedRoot() else { return nil }
        return try attempt("open \(path)/\(name.prefix(2))") { () throws(SystemError) in
            try Self.ifPresent { () throws(SystemError) in
                try DirectoryHandle(String(name.prefix(2)), in: root.descriptor)
            }
        }
    }

    /// Returns the directory; `nil` if it does not exist.
    func openedRoot() throws(LevelError) -> DirectoryHandle? {
        if let open = root.withLock({ $0 }) { return open }
        let made = try attempt("open \(path)") { () throws(SystemError) -> DirectoryHandle? in
            let database = try DirectoryHandle(path: databasePath, followsLink: false)
            return try Self.ifPresent { () throws(SystemError) in
                try DirectoryHandle(Self.name, in: database.descriptor)
            }
        }
        guard let made else { return nil }
        return root.withLock { root in
            if root == nil { root = made }
            return root
        }
    }

    private func madeRoot() throws(LevelError) -> DirectoryHandle {
        if isReadOnly {
            throw LevelError(
                .readOnly, "the database at \(databasePath) is open for reading; open it for writing to change it")
        }
        if let open = try openedRoot(), open.status(of: Self.lockName) != nil { return open }
        return try attempt("create \(path)") { () throws(SystemError) in
            let database = try DirectoryHandle(path: databasePath, followsLink: false)
            let made = try Self.madeDirectory(Self.name, in: database)
            _ = try Self.madeDirectory(Self.newName, in: made)
            // A lock without the directory `new` would look complete.
            try OpenFile.synchronize(directory: made.descriptor)
            // Readers cannot create it.
            _ = try ContentLock(in: made, isExclusive: false, writable: true)
            return root.withLock { root in
                let kept = root ?? made
                root = kept
                return kept
            }
        }
    }

    /// The permissions of new files: those of the database's own files.
    private func filePermissions() throws(SystemError) -> UInt32 {
        let database = try DirectoryHandle(path: databasePath, followsLink: false)
        return database.status(of: "CURRENT").map { $0.permissions & 0o666 | 0o600 } ?? 0o600
    }

    /// Opens a directory in an open one. Creates it if necessary, with the permissions of the open one.
    static func madeDirectory(_ name: String, in parent: DirectoryHandle) throws(SystemError) -> DirectoryHandle {
        if parent.status(of: name) == nil {
            let permissions = try parent.status().permissions & 0o777 | 0o700
            guard unsafe mkdirat(parent.descriptor, name, mode_t(permissions)) == 0 || errno == EEXIST else {
                throw .last
            }
        }
        return try DirectoryHandle(name, in: parent.descriptor)
    }

    static func open(_ name: String, in directory: DirectoryHandle) throws(SystemError) -> OpenFile? {
        try ifPresent { () throws(SystemError) in try OpenFile(reading: name, in: directory.descriptor) }
    }

    static func ifPresent<R>(_ body: () throws(SystemError) -> R) throws(SystemError) -> R? {
        do throws(SystemError) {
            return try body()
        } catch let error where error.isMissingFile {
            return nil
        }
    }

    private func attempt<R>(_ action: String, _ body: () throws(SystemError) -> R) throws(LevelError) -> R {
        do throws(SystemError) { return try body() } catch { throw error.levelError(action) }
    }

    /// Returns whether a name is a SHA-256 digest in hexadecimal.
    static func isContentName(_ name: String) -> Bool { name.utf8.count == 64 && isHexadecimal(name) }

    /// Returns whether a name is that of a directory with files.
    static func isShardName(_ name: String) -> Bool { name.utf8.count == 2 && isHexadecimal(name) }

    private static func isHexadecimal(_ name: String) -> Bool {
        name.utf8.allSatisfy {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
        }
    }
}

/// The name, size and age of a file in a ``ContentDirectory``.
package struct ContentFile: Sendable, Hashable {
    /// The name.
    package let name: String
    /// The size in bytes.
    package let byteCount: UInt64
    /// When the content was written, in milliseconds since 1970.
    package let time: UInt64

    /// Reads the status of a file; `nil` if it is missing or not a file.
    init?(_ name: String, in directory: DirectoryHandle) {
        var status = stat()
        guard unsafe fstatat(directory.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        #if canImport(Glibc)
            let modified = status.st_mtim
        #else
            let modified = status.st_mtimespec
        #endif
        self.name = name
        byteCount = UInt64(max(0, status.st_size))
        time = UInt64(clamping: Int64(modified.tv_sec)) * 1000 + UInt64(clamping: modified.tv_nsec) / 1_000_000
    }
}

/// A lock on the files of a ``ContentDirectory``, released with the last reference to it.
package final class ContentLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `SystemError` with `EWOULDBLOCK` while another process holds the lock.
    init(in directory: DirectoryHandle, isExclusive: Bool, writable: Bool) throws(SystemError) {
        let flags = (writable ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        descriptor = unsafe openat(directory.descriptor, ContentDirectory.lockName, flags, mode_t(0o644))
        guard descriptor >= 0 else { throw .last }
        while flock(descriptor, (isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 {
            guard errno == EINTR else { throw .last }
        }
    }

    deinit { close(descriptor) }
}
