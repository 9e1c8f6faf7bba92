internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The directory of a database, as an absolute path.
///
/// LevelDB opens its files lazily by the path it was given. After a `chdir` a relative path would lead elsewhere, and
/// every key would be reported as absent; so paths are made absolute before LevelDB sees them.
struct DatabaseDirectory: Hashable {
    /// The absolute path, with links resolved as far as the path exists.
    let path: String

    /// What a directory holds, judged by the names of its files alone.
    enum Content: Equatable {
        /// The path does not exist.
        case missing
        /// There is a directory with nothing of LevelDB's that holds entries: at most a lock file, a log of messages, or
        /// the manifest of a creation that another process is at, or did not finish.
        case empty
        /// There is a `CURRENT` file.
        case database
        /// There are tables or logs, and no `CURRENT`.
        case databaseWithoutCurrent
        /// There are files that are not LevelDB's.
        case foreign
        /// The path leads to something that is no directory.
        case notADirectory
    }

    /// The directory that `path` names.
    ///
    /// - Throws: ``LevelError`` with `invalidArgument` for an empty path or one with a NUL, which C would cut short.
    init(_ path: String) throws(LevelError) {
        guard !path.isEmpty else {
            throw LevelError(.invalidArgument, "the path of the database is empty; give the path of a directory")
        }
        guard !path.utf8.contains(0) else {
            throw LevelError(.invalidArgument, "the path of the database contains a NUL byte; remove it")
        }
        self.path = try Self.resolved(path)
    }

    /// The path of a file in the directory.
    func file(_ name: String) -> String {
        path == "/" ? "/" + name : path + "/" + name
    }

    /// The last step of the path.
    var name: String {
        guard let slash = path.utf8.lastIndex(of: Self.slash) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    /// What the directory holds.
    ///
    /// - Throws: ``LevelError`` with `io` where the directory cannot be listed.
    func content() throws(LevelError) -> Content {
        guard let kind = FileStatus(path: path) else { return .missing }
        guard kind.isDirectory else { return .notADirectory }
        var content = Content.empty
        for name in try names() {
            if name == "CURRENT" { return .database }
            if name == "LOCK" || name == "LOG" || name == "LOG.old" { continue }
            if Self.holdsEntries(name) {
                content = .databaseWithoutCurrent
            } else if content == .empty, !Self.isEngineFile(name) {
                content = .foreign
            }
        }
        // The list of a directory may leave out a file that was made or renamed meanwhile.
        if content == .databaseWithoutCurrent, FileStatus(path: file("CURRENT")) != nil { return .database }
        return content
    }

    /// The names in the directory, in no order, without `.` and `..`.
    func names() throws(LevelError) -> [String] {
        guard let stream = unsafe opendir(path) else {
            throw LevelError(.io, "could not list \(path); check its permissions", cause: lastSystemError())
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    unsafe String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Makes the directory and its parents. Not everybody may write to them, whatever the mask of the process is.
    ///
    /// - Returns: the paths that were made, outermost first, so that a failed open can take them away again.
    func create() throws(LevelError) -> [String] {
        var missing: [String] = []
        var current = path
        while FileStatus(path: current) == nil, let parent = Self.parent(of: current) {
            missing.append(current)
            current = parent
        }
        var made: [String] = []
        for directory in missing.reversed() {
            guard unsafe mkdir(directory, 0o775) == 0 else {
                // Another process was faster: the directory is not this one's to take away.
                if errno == EEXIST { continue }
                let cause = lastSystemError()
                for directory in made.reversed() { unsafe rmdir(directory) }
                throw LevelError(.io, "could not make the directory \(directory); check permissions", cause: cause)
            }
            made.append(directory)
        }
        return made
    }

    /// Throws where others could make files in the directory, or put another one in its place.
    ///
    /// LevelDB goes by paths, follows links and empties what they lead to.
    ///
    /// - Parameter action: a phrase that completes "could not …", such as `make a database in`.
    func requireClosed(to action: String) throws(LevelError) {
        guard !DirectoryTrust.mayHoldDatabase(path) else { return }
        throw LevelError(
            .invalidArgument,
            "could not \(action) \(path): it, or a directory that it is in, belongs to another user or can be written to by "
                + "everybody, who could put links to your files there; use a directory of your own, change its owner or "
                + "permissions, or run the command as its owner")
    }

    /// Removes the engine's files, and the directory if it holds nothing else.
    func remove() {
        for name in (try? names()) ?? [] where Self.isEngineFile(name) || Self.isEngineName(name) {
            unsafe unlink(file(name))
        }
        unsafe rmdir(path)
    }

    /// Whether `name` is one of the files of which there is one.
    static func isEngineName(_ name: String) -> Bool {
        ["CURRENT", "LOCK", "LOG", "LOG.old"].contains(name)
    }

    /// Whether `name` is one that LevelDB gives to a file with data.
    static func isEngineFile(_ name: String) -> Bool {
        switch EngineFileName(name) {
        case .current, .manifest, .table, .log, .temporary: true
        case .lock, .messages, nil: false
        }
    }

    /// Whether a file of this name holds entries of the user: a table or a log.
    static func holdsEntries(_ name: String) -> Bool {
        isEngineFile(name) && [".ldb", ".sst", ".log"].contains { name.hasSuffix($0) }
    }

    private static func resolved(_ path: String) throws(LevelError) -> String {
        // The steps that do not exist yet, last first, and the `..` that wait for a step before them.
        var tail: [Substring] = []
        var parentCount = 0
        var head = path
        while true {
            if let resolved = unsafe realpath(head, nil) {
                defer { unsafe free(resolved) }
                var base = unsafe String(cString: resolved)
                for _ in 0..<parentCount { base = parent(of: base) ?? "/" }
                return tail.isEmpty ? base : (base == "/" ? "" : base) + "/" + tail.reversed().joined(separator: "/")
            }
            // The last step does not exist yet: resolve what is before it. `..` behind a missing directory means the
            // directory before it.
            let trimmed = trimmingTrailingSlashes(head)
            let step: Substring
            if let slash = trimmed.utf8.lastIndex(of: slash) {
                step = trimmed[trimmed.utf8.index(after: slash)...]
                head = slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
            } else if trimmed != "." {
                step = trimmed[...]
                head = "."
            } else {
                throw LevelError(
                    .io,
                    "could not make the path \(path) absolute, since the working directory is gone; give an "
                        + "absolute path", cause: lastSystemError())
            }
            switch step {
            case ".": break
            case "..": parentCount += 1
            case _ where parentCount > 0: parentCount -= 1
            default: tail.append(step)
            }
        }
    }

    // Paths are taken apart as bytes: a slash and a combining accent behind it are one `Character`.
    private static let slash = UInt8(ascii: "/")

    private static func trimmingTrailingSlashes(_ path: String) -> String {
        var path = path[...]
        while path.utf8.count > 1, path.utf8.last == slash { path = path[..<path.utf8.index(before: path.endIndex)] }
        return String(path)
    }

    /// The path of the directory that a path is in; `nil` for the root.
    static func parent(of path: String) -> String? {
        guard let slash = path.utf8.lastIndex(of: slash), path != "/" else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// What the system knows of a file.
struct FileStatus {
    /// Device and inode: two paths lead to the same file exactly if these are equal.
    let identity: FileIdentity
    let isDirectory: Bool
    let isRegularFile: Bool

    /// The status of the file at `path`, links followed; `nil` if there is none.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        identity = FileIdentity(status)
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
    }
}

/// A file's identity on this machine, whatever its path.
struct FileIdentity: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }
}

/// The system's words for the error of the last call on this thread.
func lastSystemError() -> String {
    unsafe String(cString: strerror(errno))
}
